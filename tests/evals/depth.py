"""By depth: the same decision asked at hop 2, 12 and 25 of a run, after unrelated work of other specialists."""

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from agents.model.faults import Fault
from ledger.events import CRITERION
from tests.evals.asking import Outcome
from tests.evals.cases import NAMES, Case, Turn, bare, opened, scripted, unrelated
from tests.evals.labels import Item
from tests.evals.scoring import difference, mean
from tests.shipped import SPECIALISTS as SHIPPED

EARLY, MIDDLE, LATE = HOPS = (2, 12, 25)
OPENING = "I keep a list for our block, and the last point on it is this:"
BLOCK = "what the offices have on file about the block"
PREMATURE, MISSED = FINISH = ("premature", "missed")
PER_NAME = 3
SCRIPTED_AT = 50
"""Work of the finish probes, apart from the history's."""
WORKERS = tuple(item.name for item in SHIPPED) or NAMES
"""Whose work fills a history: the benchmark scripts that of the shipped specialists."""
JSON = dict[str, Any]
Key = tuple[str, int]
"""Probe id and hop."""


@dataclass(frozen=True)
class Probe:
    """One decision that is asked at several depths."""

    id: str
    kind: str
    text: str
    gold: frozenset[str] = frozenset()
    acceptable: frozenset[str] = frozenset()
    last: Turn | None = None
    """The turn that a follow-up refers to."""

    @property
    def set(self) -> str:
        """Name of the set that it is of."""
        return self.id.partition("/")[0]

    @lru_cache(maxsize=512)  # noqa: B019 - a probe is a small frozen value, and each is asked again on every prompt
    def at(self, hop: int) -> Case:
        """Return the case just before decision `hop`: c1 settled by other specialists' work, c2 what is asked now."""
        others = [name for name in WORKERS if name not in self.gold | self.acceptable] or list(WORKERS)
        history = list(islice(unrelated(others, zlib.crc32(self.id.encode()) % 40), hop - 1))
        if self.last is not None:
            history[-1] = self.last
        if self.kind not in FINISH:
            return _worked(opened(f"{OPENING} {self.text}", (BLOCK, ()), (CRITERION.cut(self.text), ())), history)
        case = opened(f"{OPENING} {self.text}", (BLOCK, ()), (CRITERION.cut(self.text), sorted(self.gold)))
        if self.kind == PREMATURE:
            return _worked(case, history)
        owner = next(iter(self.gold))
        return _worked(case, history[:-1]).work(scripted(owner, SCRIPTED_AT), ("c1", "c2"))

    def right(self, outcome: Outcome) -> bool:
        """Say whether a decision is right: the next choice among whom the labels name, or the end where nobody is left."""
        if self.kind == MISSED:
            return outcome.action == "finish"
        if self.kind == PREMATURE:
            return outcome.action in ("dispatch", "ask")
        allowed = self.gold | self.acceptable
        if outcome.action == "dispatch":
            return bool(outcome.names) and outcome.names <= allowed
        return outcome.action == "finish" and not self.gold and outcome.waived == {"c2"}


def probes(items: Sequence[Item], name: str = "desk") -> list[Probe]:
    """Return the probes of the set `name`: its texts whose labels name only specialists of the roster."""
    return [
        Probe(f"{name}/{item.id}", item.kind, item.text, item.gold, item.acceptable_extra, _last(item))
        for item in items
        if item.gold | item.acceptable_extra <= set(NAMES) and (item.before is None or item.before.specialist in NAMES)
    ]


def finish_probes() -> list[Probe]:
    """Return cases with one criterion left, where finishing is premature, and with none left, where going on misses the end."""
    made = []
    for name in NAMES:
        for index in range(PER_NAME):
            matter = scripted(name, SCRIPTED_AT + index)
            made += [Probe(f"{kind}-{name}-{index}", kind, matter.ask, frozenset({name})) for kind in (PREMATURE, MISSED)]
    return made


def among(asked: Mapping[Key, Outcome], known: Sequence[Probe]) -> dict[Key, Outcome]:
    """Return the outcomes of these probes."""
    names = {probe.id for probe in known}
    return {key: outcome for key, outcome in asked.items() if key[0] in names}


def scores(asked: Mapping[Key, Outcome], known: Sequence[Probe]) -> JSON:
    """Return accuracy early, in the middle and late, and late minus early with its 95 % interval, paired by probe where both were asked."""
    right = {hop: {probe.id: float(probe.right(asked[probe.id, hop])) for probe in known if (probe.id, hop) in asked} for hop in HOPS}
    both = [name for name in right[EARLY] if name in right[LATE]]
    early, late = ([right[hop][name] for name in both] if both else list(right[hop].values()) for hop in (EARLY, LATE))
    told: JSON = {"early": mean(early), "middle": mean(right[MIDDLE].values()), "late": mean(late), "items": len(both) or len(early) + len(late)}
    if early and late:
        told |= {"difference": mean(late) - mean(early), "interval": list(difference(late, early))}
    told["faults"] = sum(bool(item.fault) for item in asked.values())
    told["fault_kinds"] = dict(Counter(item.fault for item in asked.values() if item.fault))
    told["legal"] = mean(item.verdict == "ok" for item in asked.values())
    told["prompt_tokens"] = {str(hop): size([outcome for key, outcome in asked.items() if key[1] == hop]) for hop in HOPS}
    return told


def by(group: Callable[[Probe], str], asked: Mapping[Key, Outcome], known: Sequence[Probe]) -> JSON:
    """Return the accuracy of each group of probes."""
    told = {}
    for name in dict.fromkeys(map(group, known)):
        mine = [probe for probe in known if group(probe) == name]
        if found := among(asked, mine):
            told[name] = {key: value for key, value in scores(found, mine).items() if key in ("early", "middle", "late", "items")}
    return told


def errors(asked: Mapping[Key, Outcome], known: Sequence[Probe]) -> JSON:
    """Return the shares of premature and of missed finishes by depth, with the interval of late minus early; no decision counts as an error."""
    told = {}
    for kind in FINISH:
        mine = [probe for probe in known if probe.kind == kind]
        if found := among(asked, mine):
            share = scores(found, mine)
            told[kind] = {key: 1 - share[key] for key in ("early", "middle", "late")} | {key: share[key] for key in ("items", "faults")}
            if "interval" in share:
                low, high = share["interval"]
                told[kind] |= {"difference": 0 - share["difference"], "interval": [0 - high, 0 - low]}
    return told


def size(outcomes: Sequence[Outcome]) -> int:
    """Return the mean size of prompts in estimated tokens."""
    return round(mean(outcome.prompt_tokens for outcome in outcomes))


def fitting(outcomes: Sequence[Outcome]) -> float:
    """Return the share of prompts that fit the model's window."""
    return mean(outcome.fault != Fault.WINDOW_EXCEEDED for outcome in outcomes)


def _last(item: Item) -> Turn | None:
    if item.before is None:
        return None
    said = f"{item.before.headline}; it stands on file for {bare(item.before.ask)}."
    return Turn(item.before.specialist, bare(item.before.ask), item.before.headline, said)


def _worked(case: Case, history: Sequence[Turn]) -> Case:
    for place, turn in enumerate(history):
        case = case.work(turn, done=place % 4 != 1)
    return case.fitting()
