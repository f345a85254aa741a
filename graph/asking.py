"""One turn of the supervisor: the ledger as it goes on, the prompt that fits, and what asking the router came to."""

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
from contracts.decision import Decision
from graph.context import Context
from graph.desk import Desk, tell
from graph.keeping import keep
from ledger import Compacted, Decided, Prompt, Verdict, compact, difficulty, judge, plain, render
from ledger.criteria import labelled
from ledger.events import LINE, RAW, Sent
from ledger.share import CORRECTION
from ledger.view import open_criteria, roster_names

JSON = dict[str, Any]


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


async def ask(turn: Turn, router: Endpoint, runtime: Runtime[Context]) -> Outcome:
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


def decided(turn: Turn, outcome: Outcome) -> Decided:
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
