"""Replay: the ledger as decision k saw it, rebuilt from the final ledger and its archived stretches alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from contracts.errors import LedgerError
from ledger import apply
from ledger.compact import compacted
from ledger.render import Prompt, render
from ledger.seal import sealed
from ledger.view import known_aliases

JSON = dict[str, Any]
STRETCH = frozenset({"previous", "before", "steps", "decisions", "questions", "artifacts"})
"""What replay needs of an archived stretch."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One decision's prompt, rebuilt."""

    prompt: Prompt
    record: JSON
    """The decision as it stands in the ledger or its archived stretch."""

    @property
    def n(self) -> int:
        """Number of the decision."""
        return int(self.record["n"])

    @property
    def recorded(self) -> str:
        """SHA-256 on the decision record."""
        return str(self.record["prompt_sha256"])

    @property
    def same(self) -> bool:
        """Whether the rebuilt prompt is byte-equal to the one that was sent."""
        return self.prompt.sha256 == self.recorded


@dataclass(frozen=True, slots=True)
class History:
    """Everything that a case recorded."""

    steps: list[JSON]
    decisions: list[JSON]
    questions: list[JSON]
    artifacts: JSON
    stretches: list[JSON]
    made_by: dict[int, list[JSON]]
    """Steps by the decision that dispatched them."""


def at(ledger: JSON, artifacts: JSON, k: int, archives: Mapping[str, JSON] | None = None) -> tuple[JSON, JSON]:
    """Return ledger and handle index as decision `k` saw them; `k` may be one past the last decision.

    Raises:
        LedgerError: There is no such decision, or a stretch that compaction archived is not in `archives`.
    """
    return _at(ledger, whole(ledger, artifacts, archives or {}), k)


def _at(ledger: JSON, history: History, k: int) -> tuple[JSON, JSON]:
    if not 1 <= k <= ledger["counts"]["decisions"] + 1:
        raise LedgerError(f"there is no decision {k}: the case has {ledger['counts']['decisions']}")
    state = sealed(next(islice(_states(ledger, history), k - 1, None)))
    aliases = known_aliases(state) | {alias for step in state["steps"] for alias in step["handed"]}
    return state, {alias: handle for alias, handle in history.artifacts.items() if alias in aliases}


def rebuild(ledger: JSON, artifacts: JSON, k: int, archives: Mapping[str, JSON] | None = None) -> Rebuilt:
    """Rebuild the prompt of decision `k` and hold it against the recorded digest; raises as `at` does."""
    history = whole(ledger, artifacts, archives or {})
    state, handles = _at(ledger, history, k)
    record = next((item for item in history.decisions if item["n"] == k), None)
    if record is None:
        raise LedgerError(f"decision {k} was not made yet: the case has {ledger['counts']['decisions']}")
    return Rebuilt(render(state, handles), record)


def rebuild_all(ledger: JSON, artifacts: JSON, archives: Mapping[str, JSON] | None = None) -> Iterator[Rebuilt]:
    """Rebuild the prompts of all decisions in one pass; raises as `at` does."""
    history = whole(ledger, artifacts, archives or {})
    for record, state in zip(history.decisions, _states(ledger, history), strict=False):
        yield Rebuilt(render(state, history.artifacts), record)


def chain(ledger: JSON, archives: Mapping[str, JSON]) -> tuple[list[JSON], str | None]:
    """Return the archived stretches, oldest first, as far back as they are there, and the handle at which their chain breaks.

    It breaks at a stretch that is missing, or at one that was there before: then the archives were altered.
    """
    found: dict[str, JSON] = {}
    handle = ledger["archive"][-1]["handle"] if ledger["archive"] else None
    while handle and handle in archives and handle not in found:
        found[handle] = archives[handle] | {"handle": handle}
        handle = archives[handle]["previous"]
    return list(reversed(found.values())), handle


def whole(ledger: JSON, artifacts: JSON, archives: Mapping[str, JSON]) -> History:
    """Return everything the case recorded, archived stretches first.

    Raises:
        LedgerError: A stretch is missing.
    """
    stretches, broken = chain(ledger, archives)
    if broken in archives:
        raise LedgerError(f"the archived stretch {broken} names itself as an earlier one: the archives were altered")
    if broken:
        raise LedgerError(f"the archived stretch {broken} is missing: replay needs it; was its artifact deleted?")
    return joined(ledger, artifacts, stretches)


def joined(ledger: JSON, artifacts: JSON, stretches: Sequence[JSON]) -> History:
    """Return what these archived stretches and the ledger recorded."""
    parts = [*stretches, ledger | {"artifacts": artifacts}]
    index = {alias: value for part in parts for alias, value in part["artifacts"].items()}
    records = {key: [item for part in parts for item in part[key]] for key in ("steps", "decisions", "questions")}
    made_by: dict[int, list[JSON]] = {}
    for step in records["steps"]:
        made_by.setdefault(step["decision"], []).append(step)
    return History(**records, artifacts=index, stretches=list(stretches), made_by=made_by)


def _states(ledger: JSON, history: History) -> Iterator[JSON]:
    """Yield the ledger before each decision, and after the last."""
    known = {key: ledger[key] for key in ("case", "goal", "goal_handle", "criteria", "setup", "earlier")}
    state = apply.opened(**known, at=ledger["opened_at"], mark=ledger["opened_hash"])
    state = apply.costed(state, "intake", ledger["spent"]["intake"])
    for decision in history.decisions:
        state = _archived(state, history, decision["n"])
        yield state
        state = _replayed(state, decision, history)
    yield _archived(state, history, len(history.decisions) + 1)


def _archived(state: JSON, history: History, before: int) -> JSON:
    for stretch in history.stretches:
        if stretch["before"] == before:
            state = compacted(state, {key: stretch[key] for key in ("upto_step", "upto_decision", "before", "handle", "previous")})
    return state


def _replayed(state: JSON, decision: JSON, history: History) -> JSON:
    steps = history.made_by.get(decision["n"], [])
    sent = ("n", "decision", "specialist", "ask", "handed", "criteria")
    state = apply.decided(state, decision, [apply.pending(**{key: step[key] for key in sent}) for step in steps])
    for step in steps:
        if step["hash"] is not None:
            state, _ = apply.returned(state, step, [item | apply.UNANSWERED for item in history.questions if item["step"] == step["n"]])
    put = [item["id"] for item in history.questions if item["decision"] == decision["n"]]
    state = apply.asked(state, put, decision["n"]) if put else state
    for question in history.questions:
        if question["after"] == decision["n"]:
            state = apply.answered(state, question)
    return state
