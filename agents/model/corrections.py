"""What a corrective re-ask says: words of ours alone, so that no text from outside comes back as an instruction."""

from collections.abc import Sequence

from agents.model.faults import Fault

FINAL = frozenset(
    {
        Fault.AUTH,
        Fault.QUOTA,
        Fault.RATE_LIMIT,
        Fault.TIMEOUT,
        Fault.UNAVAILABLE,
        Fault.BAD_REQUEST,
        Fault.PROVIDER_ERROR,
        Fault.CONTENT_FILTER,
        Fault.REFUSAL,
        Fault.WINDOW_EXCEEDED,
    }
)
"""Outcomes that asking the same again cannot mend; the call itself has already been retried where that helps."""

_HINTS = {
    Fault.ANSWERED_ITSELF: "do not answer the resident; choose who works next",
    Fault.PROSE: "no prose; give the decision object",
    Fault.CUT_OFF: "the reply was cut off; keep reason and asks short",
    Fault.EMPTY: "the reply was empty",
    Fault.REASONING_ONLY: "the reply was empty; put the decision object in the content",
    Fault.UNCLOSED_THINK: "stop thinking and give the decision object",
    Fault.AMBIGUOUS: "give one decision object and no other words",
    Fault.SELF_ROUTE: "you cannot choose yourself",
    Fault.WRONG_KEY: "wrong keys",
}


def correction_for(code: str, detail: str, roster: Sequence[str]) -> str:
    """Return one line for the re-ask; `detail` is used for the guard's own verdicts only."""
    if code in set(Fault):
        said = _HINTS.get(Fault(code), "that was not a decision")
        return f"{said}. Choose from {', '.join(roster)}. action is dispatch, ask or finish."
    return f"refused ({code}): {detail}."
