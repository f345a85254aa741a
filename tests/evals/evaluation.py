"""The whole evaluation: texts through the desk, decisions by depth, early and missed ends, three prompts for the same decision."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.evals import depth, runs
from tests.evals.asking import EndpointLost, Outcome, Watched, ask, gather
from tests.evals.depth import EARLY, HOPS, LATE, Probe
from tests.evals.labels import Item, balanced
from tests.evals.views import LAST, LEDGER, TRANSCRIPT, VIEWS

FINISH_IN_ABLATION = 4
LEDGER_ONLY = "the offline router sees goal and criteria alone in the other two prompts; only a model shows what they do to a choice"
JSON = dict[str, Any]
Key = tuple[str, int]
Start = Callable[[str, int], Callable[[], object]]


@dataclass(frozen=True)
class Plan:
    """What is to be evaluated."""

    sets: Mapping[str, Sequence[Item]]
    probes: Sequence[Probe]
    finish: Sequence[Probe]
    sample: Sequence[Probe]
    """Probes of the ablation."""
    single: Mapping[str, int] = field(default_factory=dict)
    """Probe id to the one hop it is asked at; a probe that is not in it is asked at all."""
    parallel: int = 1

    def keys(self) -> list[tuple[Probe, int]]:
        """Return every probe with every hop it is asked at."""
        return [(probe, hop) for probe in (*self.probes, *self.finish) for hop in HOPS if self.single.get(probe.id, hop) == hop]

    @property
    def size(self) -> int:
        """How many runs and single decisions there are in all."""
        return sum(map(len, self.sets.values())) + len(self.keys()) + len(_both(self.sample)) * (len(VIEWS) - 1)


def plan_of(sets: Mapping[str, Sequence[Item]], *, limit: int | None, sample: int, unpaired: bool, parallel: int) -> Plan:
    """Plan an evaluation; `limit` and `sample` are spread over the kinds. The ablation asks a part of the paired probes once more."""
    chosen = {name: balanced(items, limit) for name, items in sets.items()}
    deep = [(name, item) for name, items in sets.items() for item in balanced([item for item in items if item.depth], limit)]
    known = [probe for name, item in deep for probe in depth.probes([item], name)]
    finish = balanced(depth.finish_probes(), limit and 2 * limit)
    single = {f"{name}/{item.id}": int(item.depth or 0) for name, item in deep} if unpaired else {}
    few = [] if unpaired or not sample else [*balanced(known, sample), *balanced(finish, min(sample // 2, 2 * FINISH_IN_ABLATION))]
    return Plan(chosen, known, finish, few, single, parallel)


@dataclass
class Done:
    """What has been done so far; filled while the evaluation runs, so that a broken one keeps it."""

    texts: dict[str, dict[str, runs.Run]] = field(default_factory=dict)
    asked: dict[str, dict[Key, Outcome]] = field(default_factory=dict)
    """By view."""
    stopped: str = "interrupted"
    """Why it is not complete; empty when it is."""
    begun: float = field(default_factory=time.monotonic)

    @property
    def size(self) -> int:
        """How many runs and single decisions are done."""
        return sum(map(len, self.texts.values())) + sum(map(len, self.asked.values()))


async def evaluate(router: Watched, plan: Plan, done: Done, home: Path, start: Start) -> None:
    """Carry the plan out; `start(part, total)` opens a line of progress and returns its tick."""
    try:
        for name, items in plan.sets.items():
            made = done.texts.setdefault(name, {})
            await gather({item.id: partial(runs.run, router, item, home) for item in items}, made, plan.parallel, start(name, len(items)))
        await _ask(router, plan.keys(), LEDGER, plan, done, start)
        for view in (TRANSCRIPT, LAST):
            await _ask(router, _both(plan.sample), view, plan, done, start)
        done.stopped = ""
    except* EndpointLost as lost:
        done.stopped = f"the endpoint was lost: {lost.exceptions[0]}"


async def _ask(router: Watched, keys: Sequence[tuple[Probe, int]], view: str, plan: Plan, done: Done, start: Start) -> None:
    async def one(probe: Probe, hop: int) -> Outcome:
        case = probe.at(hop)
        return await ask(router, case, VIEWS[view](case))

    if keys:
        jobs = {(probe.id, hop): partial(one, probe, hop) for probe, hop in keys}
        await gather(jobs, done.asked.setdefault(view, {}), plan.parallel, start(f"by depth, {view}", len(jobs)))


def _both(sample: Sequence[Probe]) -> list[tuple[Probe, int]]:
    return [(probe, hop) for probe in sample for hop in (EARLY, LATE)]


def result(router: Watched, plan: Plan, done: Done) -> JSON:
    """Return the figures of what was done."""
    asked = done.asked.get(LEDGER, {})
    known = depth.among(asked, plan.probes)
    sets = {name: [(item, made[item.id]) for item in plan.sets[name] if item.id in made] for name, made in done.texts.items()}
    return {
        "model": router.choice.model,
        "complete": not done.stopped,
        "stopped": done.stopped,
        "done": done.size,
        "planned": plan.size,
        "sets": {name: runs.scores(pairs) for name, pairs in sets.items() if pairs},
        "depth": depth.scores(known, plan.probes) | {"hops": list(HOPS), **_groups(known, plan.probes)} if known else {},
        "finish": depth.errors(asked, plan.finish),
        "ablation": _ablation(plan, done) if plan.sample else {},
        "ablation_note": "left out" if not plan.sample else LEDGER_ONLY if router.choice.is_offline else "",
        "cost": {key: getattr(router.spent, key) for key in ("tokens_in", "tokens_out", "tokens_cached", "tokens_source", "calls")},
        "seconds": round(time.monotonic() - done.begun, 1),
    }


def _groups(known: Mapping[Key, Outcome], probes: Sequence[Probe]) -> JSON:
    return {"kinds": depth.by(lambda probe: probe.kind, known, probes), "sets": depth.by(lambda probe: probe.set, known, probes)}


def _ablation(plan: Plan, done: Done) -> JSON:
    """Return the same decisions on each prompt; a prompt that does not fit the window cannot be decided from, so it counts as wrong."""
    told = {}
    routed = [probe for probe in plan.sample if probe.kind not in depth.FINISH]
    ends = [probe for probe in plan.sample if probe.kind in depth.FINISH]
    for view in VIEWS:
        asked = done.asked.get(view, {})
        mine, end = depth.among(asked, routed), depth.among(asked, ends)
        if not mine:
            continue
        found = depth.scores(mine, routed)
        told[view] = {key: found[key] for key in ("early", "late", "difference", "interval", "items", "faults") if key in found}
        told[view] |= {"finish_early": depth.scores(end, ends)["early"], "finish_late": depth.scores(end, ends)["late"]} if end else {}
        for name, hop in (("early", EARLY), ("late", LATE)):
            here = [outcome for key, outcome in mine.items() if key[1] == hop]
            told[view] |= {f"tokens_{name}": depth.size(here), f"fits_{name}": depth.fitting(here)}
    return told
