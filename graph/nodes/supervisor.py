"""The supervisor: read the ledger, ask the router once, let the guard judge, record, move."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.model.corrections import FINAL
from contracts.decision import Action
from graph.asking import Turn, ask, decided
from graph.context import Context, context_of
from graph.desk import Desk, tell, watch
from graph.folding import trusted
from graph.keeping import reason_of, touch
from graph.state import SupervisorView
from ledger import Returned, Stopped, over_budget
from ledger.apply import INTERRUPTED
from ledger.check import checked_handles
from ledger.events import LINE
from ledger.view import open_criteria, open_questions, pending_steps, sent_by
from store.errors import StoreError

JSON = dict[str, Any]
RESERVE = 3
"""Supersteps kept back for the supervisor and the answer under the caller's recursion limit."""
TOUCH = 8
"""Decisions between two touches of an open case in the store."""
_TOLD = (
    "n",
    "action",
    "reason",
    "verdict",
    "detail",
    "tokens_in",
    "tokens_cached",
    "tokens_out",
    "tokens_source",
    "latency_ms",
    "attempts",
    "difficulty",
    "model",
)
"""What a stream event tells of a decision."""


def make_supervisor(desk: Desk) -> Any:
    """Return the supervisor node of this desk."""

    async def supervisor(state: SupervisorView, runtime: Runtime[Context]) -> Command[str]:
        """Pick who works next from the ledger alone; history and transcripts are not there to be read."""
        ledger = trusted(state["ledger"])
        turn = Turn(desk, ledger, checked_handles(ledger, state["artifacts"]), [], {})
        case = turn.ledger["case"]
        for step in pending_steps(turn.ledger):
            turn.record(Returned(case=case, step=step["n"], specialist=step["specialist"], cause=INTERRUPTED))
        if turn.ledger["status"] != "open":
            return turn.to("answer")
        age = desk.age(turn.ledger)
        reason = over_budget(turn.ledger, age)
        if not reason and state["remaining_steps"] <= RESERVE:
            reason = "the caller's recursion limit is nearly reached"
        if reason:
            return _stop(turn, runtime, reason)
        if turn.ledger["counts"]["decisions"] % TOUCH == TOUCH - 1:
            await touch(desk.store, case)
        try:
            outcome = await ask(turn, desk.router(context_of(runtime)), runtime)
        except StoreError as error:
            return _stop(turn, runtime, f"older turns could not be archived: {reason_of(error)}")
        turn.record(decided(turn, outcome))
        record = turn.ledger["decisions"][-1]
        told = {key: record[key] for key in _TOLD} | {"dispatch": sent_by(record, turn.ledger["steps"])}
        tell(runtime, "decision", case=case, hop=turn.ledger["counts"]["hops"], **told)
        watch(desk, runtime, turn.ledger, turn.artifacts)
        if outcome.verdict.ok:
            return turn.to(*_goals(record))
        if record["verdict"] in FINAL:
            return _stop(turn, runtime, record["detail"] or record["verdict"])
        if reason := over_budget(turn.ledger, age):
            return _stop(turn, runtime, reason)
        return turn.to("supervisor")

    return supervisor


def _goals(record: JSON) -> list[str]:
    if record["action"] == Action.DISPATCH:
        return list(dict.fromkeys(item["specialist"] for item in record["dispatch"]))
    return ["ask" if record["action"] == Action.ASK else "answer"]


def _stop(turn: Turn, runtime: Runtime[Context], reason: str) -> Command[str]:
    """Go to the answer; what stops a case that had something left to do is recorded and told."""
    refused = turn.ledger["decisions"][-1:] and turn.ledger["decisions"][-1]["verdict"] != "ok"
    if refused or open_criteria(turn.ledger) or open_questions(turn.ledger):
        if not turn.ledger["reason"]:
            turn.record(Stopped(case=turn.ledger["case"], reason=LINE.cut(reason)))
        tell(runtime, "stopped", case=turn.ledger["case"], reason=turn.ledger["reason"])
    return turn.to("answer")
