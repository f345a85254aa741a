"""Cases of any depth for routing evaluations: real events through the real fold, over scripted work that names other specialists."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from agents.registry import SPECIALISTS
from agents.specialist import Specialist
from contracts import Handle, Registry, estimate, merge_handles, registry_of
from ledger import (
    RULES,
    Compacted,
    Decided,
    Finished,
    Limits,
    NewCriterion,
    Opened,
    Prompt,
    Returned,
    RosterLine,
    Setup,
    compact,
    fold,
    plain,
    render,
)
from ledger.view import roster_names
from tests.bench import work as scripted_work
from tests.scripted import specialist

JSON = dict[str, Any]
START = dt.datetime(2025, 6, 1, 8, tzinfo=dt.UTC)
CASE = "eval"


@dataclass(frozen=True, slots=True)
class Turn:
    """One specialist's work, as a ledger and as a transcript tell it."""

    specialist: str
    ask: str
    headline: str
    outcome: str
    records: tuple[str, ...] = ()
    """What its tools gave it; about 1,500 tokens each."""
    prose: str = ""
    """What it wrote; about 600 tokens."""


def stand_in(original: Specialist, run: Any = None) -> Specialist:
    """Return a specialist with the roster line and examples of `original`, and scripted work."""
    more = {"description": original.description, "examples": original.examples, "after": original.after}
    return specialist(original.name, run, **more) if run else specialist(original.name, **more)


STAND_INS = tuple(map(stand_in, SPECIALISTS))
NAMES = tuple(item.name for item in SPECIALISTS)
REGISTRY: Registry = registry_of(STAND_INS)


def scripted(name: str, index: int) -> Turn:
    """Return the `index`-th piece of unrelated work of a specialist; the benchmark's, so both measure the same kind of history."""
    kinds = list(scripted_work.SPECIALISTS)
    place = kinds.index(name) if name in kinds else NAMES.index(name) % len(kinds)
    made = scripted_work.turn(1 + place + len(kinds) * index)
    return Turn(name, made.ask, made.headline, made.outcome, made.records, made.prose)


def unrelated(names: Sequence[str], offset: int) -> Iterator[Turn]:
    """Yield work of `names` in turn, without end and without a repetition in 40 rounds."""
    place = 0
    while True:
        yield scripted(names[place % len(names)], (offset + place // len(names)) % 40)
        place += 1


@dataclass(frozen=True)
class Case:
    """A case under way: its ledger, handles, events and turns. A value, so that one history can go on in several ways."""

    ledger: JSON = field(default_factory=dict)
    artifacts: JSON = field(default_factory=dict)
    events: tuple[JSON, ...] = ()
    turns: tuple[Turn, ...] = ()

    def then(self, event: Any) -> "Case":
        """Return the case after one event.

        Raises:
            ValueError: The ledger did not take it; a case made of such events would measure nothing.
        """
        made = plain(event)
        ledger = fold(self.ledger, made, REGISTRY)
        if ledger is self.ledger or ledger["rejected"] or ledger["conflicts"]:
            raise ValueError(f"the ledger refused {made['type']}: {ledger.get('rejected')}")
        return replace(self, ledger=ledger, events=(*self.events, made))

    def work(self, turn: Turn, criteria: Sequence[str] = ("c1",), *, done: bool = True) -> "Case":
        """Return the case after one dispatch and its return; `done` settles the criteria."""
        case, n = self.fitting(), self.ledger["counts"]["decisions"] + 1
        ask = f"{', '.join(criteria)}: {turn.ask}"
        decided = Decided(
            case=CASE,
            n=n,
            at=(START + dt.timedelta(minutes=n)).isoformat(),
            action="dispatch",
            reason=f"{turn.specialist} keeps that file",
            dispatch=({"specialist": turn.specialist, "ask": ask},),
            verdict="ok",
            verdicts=("ok",),
            prompt_sha256=case.prompt.sha256,
        )
        handle = _handle(case.ledger["counts"]["steps"] + 1, turn)
        result = {
            "status": "done" if done else "partial",
            "headline": turn.headline,
            "outcome": turn.outcome,
            "facts": {"count": 1},
            "artifacts": [handle.alias],
            "settles": list(criteria) if done else [],
            "questions": [],
        }
        case = case.then(decided)
        case = case.then(Returned(case=CASE, step=case.ledger["counts"]["steps"], specialist=turn.specialist, result=result))
        known = merge_handles(case.artifacts, {handle.alias: handle.model_dump(mode="json")})
        return replace(case, artifacts=known, turns=(*self.turns, turn))

    def fitting(self) -> "Case":
        """Return the case with older turns compacted, as the supervisor does before each decision."""
        case = self
        while stretch := compact(case.ledger, case.artifacts):
            event = Compacted(case=CASE, upto_step=stretch.upto_step, upto_decision=stretch.upto_decision, before=stretch.before, handle=stretch.stem)
            case = replace(case.then(event), artifacts=merge_handles(case.artifacts, dict.fromkeys(stretch.removed)))
        return case

    def closed(self) -> "Case":
        """Return the case closed with what it has."""
        return self.then(Finished(case=CASE, at=(START + dt.timedelta(hours=9)).isoformat(), status="done"))

    @property
    def prompt(self) -> Prompt:
        """The router's prompt of the next decision."""
        return render(self.ledger, self.artifacts)

    @property
    def hop(self) -> int:
        """Which decision comes next."""
        return int(self.ledger["counts"]["decisions"]) + 1

    @property
    def roster(self) -> list[str]:
        """The names that the router may pick from."""
        return roster_names(self.ledger)


def opened(goal: str, *criteria: tuple[str, Sequence[str]], limits: Limits | None = None) -> Case:
    """Return a new case; each criterion is (text, owners)."""
    lines = tuple(RosterLine(name=item.name, description=item.description) for item in STAND_INS)
    event = Opened(
        case=CASE,
        at=START.isoformat(),
        goal=goal,
        criteria=tuple(NewCriterion(text=text, owners=tuple(owners)) for text, owners in criteria),
        setup=Setup(roster=lines, limits=limits or Limits(max_hops=80), rules=RULES),
    )
    return Case().then(event)


def bare(ask: str) -> str:
    """Return an ask without the criterion ids before it."""
    return ask.partition(": ")[2] or ask


def _handle(step: int, turn: Turn) -> Handle:
    digest, size, tokens = _measured(turn)
    return Handle(
        alias=f"A{step}",
        case=CASE,
        digest=digest,
        bytes=size,
        tokens=tokens,
        media_type="text/plain",
        kind="report",
        description=f"Report of {turn.specialist}",
        producer=turn.specialist,
    )


@cache
def _measured(turn: Turn) -> tuple[str, int, int]:
    body = "\n".join([*turn.records, turn.prose, turn.headline])
    return hashlib.sha256(body.encode()).hexdigest(), len(body.encode()), estimate(body)
