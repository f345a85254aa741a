"""What the guard says of a decision."""

from dataclasses import dataclass

from contracts.decision import Dispatch

REFUSALS = {
    "contradiction": "the fields do not go with the action",
    "nothing_to_ask": "ask, and no question is open",
    "empty_dispatch": "dispatch, and nobody is named",
    "too_many": "more specialists at once than the case allows",
    "unknown_specialist": "a name that is not in the roster",
    "unknown_handle": "a handle that this case does not show",
    "not_allowed": "a specialist that may not follow the last ones",
    "no_criterion": "an ask that names none of several criteria it may be for",
    "repeat": "an ask that was made before, and nothing relevant is new",
    "no_progress": "the specialist, or the last steps, said the same again",
    "cycle": "the last few steps repeat the few before them",
    "unknown_criterion": "out_of_scope names no criterion of the case",
    "not_out_of_scope": "out_of_scope names one that somebody covers or worked on",
    "premature_finish": "finish, and criteria are open",
    "open_questions": "finish, and questions wait for people",
}
"""Every code of a refusal by the guard. Records also hold `ok`, `not_registered` and the faults of a reply that could not be read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says of one decision."""

    code: str
    """`ok`, or the name of what is wrong: one of REFUSALS."""
    detail: str = ""
    """One line for the corrective re-ask, written by code; no outside text in it."""
    dispatch: tuple[Dispatch, ...] = ()
    """The dispatches that hold, duplicates collapsed."""
    justified: str = ""
    """Why a repeated ask is legal, such as `answered q3`."""

    @property
    def ok(self) -> bool:
        """Whether the decision may be carried out."""
        return self.code == "ok"
