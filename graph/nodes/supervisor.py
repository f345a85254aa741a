"""The supervisor: read the ledger, ask the router once, let the guard judge, record, move."""

import time
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.model.calls import Cost
from agents.model.corrections import FINAL, correction_for
from agents.model.endpoint import Endpoint
from agents.model.faults import Fault
from agents.model.settings import Method
from agents.model.stated import Reading
from contracts import LedgerError, clip
from contracts.decision import Action, Decision
from graph.context import Context, context_of
from graph.desk import Desk, tell, watch
from graph.folding import trusted
from graph.keeping import keep, reason_of, touch
from graph.state import SupervisorView
from ledger import Compacted, Decided, Prompt, Returned, Stopped, Verdict, compact, difficulty, judge, over_budget, plain, render
from ledger.apply import INTERRUPTED
from ledger.check import checked_handles
from ledger.criteria import labelled
from ledger.events import LINE, RAW, Sent
from ledger.share import CORRECTION
from ledger.view import open_criteria, open_questions, pending_steps, roster_names, sent_by
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


@dataclass
class Turn:
    """One turn of the supervisor: the ledger as it will be, and the updates that make it so."""

    desk: Desk
    ledger: JSON
    artifacts: JSON
    events: list[JSON]
    removed: dict[str, Any]

    def record(self, event: Any) -> None:
        """Add an event and go on with the ledger that it makes."""
        self.events.append(plain(event))
        before, self.ledger = self.ledger, self.desk.fold(self.ledger, self.events[-1])
        notes = [note for name in ("rejected", "conflicts") for note in self.ledger[name] if note not in before[name]]
        if notes or self.ledger is before:  # a list of faults that is full takes no further note
            raise LedgerError(f"the ledger refuses the supervisor's own {self.events[-1]['type']} event: {notes[0] if notes else 'nothing changed'}")

    def to(self, *names: str) -> Command[str]:
        """Return the command that applies this turn."""
        return Command(update={"ledger": self.events, "artifacts": self.removed}, goto=list(names))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of asking the router: its last reply as judged, and what all of them cost."""

    prompt: Prompt
    decision: Decision | None
    verdict: Verdict
    verdicts: tuple[str, ...]
    raw: str
    """What the last reply that could not be used said, cut."""
    spent: Cost
    latency_ms: int
    model: str
    method: Method


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
            outcome = await _ask(turn, desk.router(context_of(runtime)), runtime)
        except StoreError as error:
            return _stop(turn, runtime, f"older turns could not be archived: {reason_of(error)}")
        turn.record(_decided(turn, outcome))
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


async def _compacted(turn: Turn, runtime: Runtime[Context], budget: int | None = None) -> Prompt:
    """Archive older turns until the prompt fits, each stretch stored before it is recorded; return the prompt."""
    prompt, most = render(turn.ledger, turn.artifacts), budget or turn.ledger["setup"]["limits"]["budget"]
    while prompt.tokens > most - CORRECTION and (stretch := compact(turn.ledger, turn.artifacts, most)):
        case, last = turn.ledger["case"], stretch.upto_step
        handle = await keep(
            turn.desk.store,
            case,
            stretch.body,
            stem=stretch.stem,
            media_type="application/json",
            kind="ledger_stretch",
            description=f"Ledger up to step {last}",
            producer="supervisor",
        )
        turn.record(Compacted(case=case, upto_step=last, upto_decision=stretch.upto_decision, before=stretch.before, handle=handle.alias))
        turn.removed |= dict.fromkeys(stretch.removed)
        turn.artifacts = {alias: value for alias, value in turn.artifacts.items() if alias not in turn.removed}
        tell(runtime, "compaction", case=case, upto_step=last, handle=handle.alias)
        prompt = render(turn.ledger, turn.artifacts)
    return prompt


async def _ask(turn: Turn, router: Endpoint, runtime: Runtime[Context]) -> Outcome:
    """Ask the router, with one corrective re-ask; a window that is exceeded gets one retry on half the budget."""
    prompt, roster, started = await _compacted(turn, runtime), roster_names(turn.ledger), time.monotonic()
    spent, verdicts, raw, correction, halved = Cost(), [], "", "", False
    while True:
        reply, reading = await router.decide(prompt.system, prompt.user, roster, correction)
        spent = spent + reply.spent
        decision, verdict = _judged(turn, reading)
        verdicts.append(verdict.code)
        if verdict.ok:
            break
        raw = RAW.cut(reply.raw) or raw
        if verdict.code == Fault.WINDOW_EXCEEDED and not halved:
            halved, prompt = True, await _compacted(turn, runtime, turn.ledger["setup"]["limits"]["budget"] // 2)
            continue
        if correction or verdict.code in FINAL:
            break
        correction = clip(correction_for(reading.fault, verdict, roster), tokens=CORRECTION - 4)
    ms = round(1000 * (time.monotonic() - started))
    return Outcome(prompt, decision, verdict, tuple(verdicts), raw, spent, ms, reply.model, reply.method)


def _decided(turn: Turn, outcome: Outcome) -> Decided:
    """Return the event that records it."""
    decision, verdict, spent = outcome.decision, outcome.verdict, outcome.spent
    work = (verdict.dispatch or decision.dispatch) if decision else ()
    return Decided(
        case=turn.ledger["case"],
        n=turn.ledger["counts"]["decisions"] + 1,
        at=turn.desk.instant(),
        action=decision.action if decision else None,
        reason=decision.reason if decision else "",
        dispatch=tuple(Sent(specialist=item.specialist, ask=item.ask, handles=item.handles) for item in work),
        out_of_scope=decision.out_of_scope if decision else (),
        verdict=verdict.code,
        verdicts=outcome.verdicts,
        detail=LINE.cut(verdict.detail),
        justified=LINE.cut(verdict.justified),
        raw=outcome.raw,
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        tokens_cached=spent.tokens_cached,
        tokens_source="reported" if spent.tokens_source == "reported" else "estimated",
        latency_ms=outcome.latency_ms,
        attempts=max(spent.calls, len(outcome.verdicts)),
        model=LINE.cut(outcome.model),
        method=str(outcome.method),
        prompt_sha256=outcome.prompt.sha256,
        prompt_tokens=outcome.prompt.tokens,
        difficulty=difficulty(turn.ledger),
    )


def _judged(turn: Turn, reading: Reading) -> tuple[Decision | None, Verdict]:
    if reading.fault is not None:
        return None, Verdict(str(reading.fault), reading.detail)
    waiting = open_criteria(turn.ledger)

    def ask_for(name: str) -> str:
        mine = [item for item in waiting if name in item["owners"]] or [item for item in waiting if name in item["candidates"]]
        free = [item for item in waiting if not item["owners"]]
        mine = mine or (free if len(free) == 1 else [])
        return labelled((item["id"] for item in mine[:3]), (item["text"] for item in mine[:3])) if mine else "Work on the goal"

    decision = reading.decision(ask_for)
    verdict = judge(turn.ledger, decision)
    # A case may outlive a specialist: its roster stays as it was opened, the graph has no such node any more.
    gone = [item.specialist for item in verdict.dispatch if item.specialist not in turn.desk.specialists]
    return decision, Verdict("not_registered", f"{gone[0]} is not there any more: choose another") if gone else verdict
