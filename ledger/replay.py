"""Replay: the ledger as decision k saw it, rebuilt from the final ledger and its archived stretches alone."""

from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One decision's prompt, rebuilt."""

    n: int
    prompt: Prompt
    recorded: str
    """SHA-256 on the decision record."""

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
    if not 1 <= k <= ledger["counts"]["decisions"] + 1:
        raise LedgerError(f"there is no decision {k}: the case has {ledger['counts']['decisions']}")
    history = whole(ledger, artifacts, archives or {})
    state = sealed(next(islice(_states(ledger, history), k - 1, None)))
    aliases = known_aliases(state) | {alias for step in state["steps"] for alias in step["handed"]}
    return state, {alias: handle for alias, handle in history.artifacts.items() if alias in aliases}


def rebuild(ledger: JSON, artifacts: JSON, k: int, archives: Mapping[str, JSON] | None = None) -> Rebuilt:
    """Rebuild the prompt of decision `k` and hold it against the recorded digest; raises as `at` does."""
    state, handles = at(ledger, artifacts, k, archives)
    recorded = next((item for item in whole(ledger, artifacts, archives or {}).decisions if item["n"] == k), None)
    if recorded is None:
        raise LedgerError(f"decision {k} was not made yet: the case has {ledger['counts']['decisions']}")
    return Rebuilt(k, render(state, handles), recorded["prompt_sha256"])


def rebuild_all(ledger: JSON, artifacts: JSON, archives: Mapping[str, JSON] | None = None) -> Iterator[Rebuilt]:
    """Rebuild the prompts of all decisions in one pass; raises as `at` does."""
    history = whole(ledger, artifacts, archives or {})
    for record, state in zip(history.decisions, _states(ledger, history), strict=False):
        yield Rebuilt(record["n"], render(state, history.artifacts), record["prompt_sha256"])


def whole(ledger: JSON, artifacts: JSON, archives: Mapping[str, JSON]) -> History:
    """Return everything the case recorded, archived stretches first.

    Raises:
        LedgerError: A stretch is missing.
    """
    stretches: list[JSON] = []
    handle = ledger["archive"][-1]["handle"] if ledger["archive"] else None
    while handle:
        if handle not in archives:
            raise LedgerError(f"the archived stretch {handle} is missing: replay needs it; was its artifact deleted?")
        if any(stretch["handle"] == handle for stretch in stretches):
            raise LedgerError(f"the archived stretch {handle} names itself as an earlier one: the archives were altered")
        stretches.insert(0, archives[handle] | {"handle": handle})
        handle = archives[handle]["previous"]
    parts = [*stretches, ledger | {"artifacts": artifacts}]
    index = {alias: value for part in parts for alias, value in part["artifacts"].items()}
    joined = {key: [item for part in parts for item in part[key]] for key in ("steps", "decisions", "questions")}
    made_by: dict[int, list[JSON]] = {}
    for step in joined["steps"]:
        made_by.setdefault(step["decision"], []).append(step)
    return History(joined["steps"], joined["decisions"], joined["questions"], index, stretches, made_by)


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
    sent = ((step["n"], step["decision"], step["specialist"], step["ask"], step["handed"], step["criteria"]) for step in steps)
    state = apply.decided(state, decision, [apply.pending(*item) for item in sent])
    fresh = {"status": "open", "answer": "", "handle": None, "decision": None, "after": None}
    for step in steps:
        if step["hash"] is not None:
            state, _ = apply.returned(state, step, [item | fresh for item in history.questions if item["step"] == step["n"]])
    put = [item["id"] for item in history.questions if item["decision"] == decision["n"]]
    state = apply.asked(state, put, decision["n"]) if put else state
    for question in history.questions:
        if question["after"] == decision["n"]:
            state = apply.answered(state, question)
    return state
