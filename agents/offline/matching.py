"""Which specialists a text is for, from their descriptions and examples alone; so a new one is routed with no code change.

A word counts for a specialist by how often its examples use it and how seldom the others do; pairs of words say more than words.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from agents.offline.asides import silenced
from agents.offline.clauses import MOST, Clause, clauses, stem, tokens
from agents.offline.scope import OUT_OF_SCOPE

THRESHOLD = 1.35
"""Score of the best clause from which a specialist is consulted."""
HINT = 0.8
"""Score from which a text that says nothing plainer names one specialist; "and the sidewalk there?" says one word of it."""
SHARE = 0.6
"""A clause speaks for a specialist only with this share of what it says for the one it speaks for most."""
LISTED = 3.5
"""Score from which one thing of a list ("rats and no heat") speaks for a specialist whatever else its clause says."""
SMOOTH = 0.6
"""Added to how often a term is said in all, so that one that is said once weighs less."""
FADE = 0.3
"""Factor by which each further clause that speaks for a specialist counts less."""
KEY = 4
"""How many times a term counts that stands for all of a short clause."""
STRONG = 3.0
"""Thresholds from which a clause speaks for a specialist whatever its share."""
POWER = 2.5
"""Exponent of the share of a term that one specialist has: the higher, the less shared terms count."""
NONE = ""
"""Stands in for a specialist where a text is for nobody."""
Weights = dict[str, dict[str, float]]


class Described(Protocol):
    """What matching needs of a specialist."""

    @property
    def name(self) -> str:
        """Name in the roster."""

    @property
    def description(self) -> str:
        """Its one line; what it names weighs twice."""

    @property
    def examples(self) -> tuple[str, ...]:
        """Texts it answers for; a clause of one or two words is a key word."""


@dataclass(frozen=True, slots=True)
class Match:
    """A specialist that a text is for."""

    name: str
    score: float
    clauses: tuple[str, ...]
    """The clauses of the text that speak for it, as written."""


def match(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str] = OUT_OF_SCOPE) -> tuple[Match, ...]:
    """Return the specialists that `text` is for, best first; nobody when none covers it.

    Args:
        text: A complaint, a criterion, or part of one.
        specialists: Whoever is registered.
        out_of_scope: Example texts for nobody; those that a registered description names do not count.
    """
    return tuple(found for found in _ranked(text, specialists, out_of_scope, THRESHOLD) if found.name != NONE)


def hinted(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str] = OUT_OF_SCOPE) -> tuple[Match, ...]:
    """Return the one specialist that `text` hints at where it says one thing and says it vaguely; else nobody."""
    ranked = _ranked(text, specialists, out_of_scope, HINT)[: len(clauses(text)) == 1]
    return tuple(found for found in ranked if found.name != NONE)


def foreign(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str] = OUT_OF_SCOPE) -> bool:
    """Say whether `text` is plainly about something that none covers, rather than about nothing known."""
    return [found.name for found in _ranked(text, specialists, out_of_scope, THRESHOLD)] == [NONE]


def _ranked(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str], least: float) -> list[Match]:
    known = tuple((item.name, item.description, tuple(item.examples)) for item in specialists)
    names, weights = [item[0] for item in known], _index(known, tuple(out_of_scope))
    text = text[:MOST]
    heard = clauses(text, silenced(text, names))
    if not heard and (ordered := [name for name in names if name in tokens(text)]):
        return [Match(name, THRESHOLD, tuple(clause.text for clause in clauses(text))) for name in ordered]
    return _rank(heard or clauses(text), names, weights, least)


def _rank(found: Sequence[Clause], names: Sequence[str], weights: Weights, least: float) -> list[Match]:
    scored = [_heard(clause, weights) for clause in found]
    ranked = []
    for name in (*names, NONE):
        mine = sorted(((row[name], at) for at, row in enumerate(scored) if name in row), key=lambda pair: (-pair[0], pair[1]))
        total = sum(score * FADE**place for place, (score, _) in enumerate(mine))
        if total >= least:
            loud = sorted(at for score, at in mine if score >= least / 2)
            ranked.append(Match(name, round(total, 3), tuple(found[at].text for at in loud)))
    return sorted(ranked, key=lambda item: -item.score)


def _heard(clause: Clause, weights: Weights) -> dict[str, float]:
    """Return the scores of those that a clause speaks for: as a whole, or with one of the things that it lists."""
    row = _loudest(_score(clause.terms, weights))
    for part in clause.parts:
        for name, score in _loudest(_score(part, weights)).items():
            if score >= LISTED:
                row[name] = max(score, row.get(name, 0.0))
    return row


def _loudest(row: dict[str, float]) -> dict[str, float]:
    least = min(STRONG * THRESHOLD, SHARE * max(row.values(), default=0.0))
    return {name: score for name, score in row.items() if score >= least}


def _score(terms: Iterable[str], weights: Weights) -> dict[str, float]:
    row: defaultdict[str, float] = defaultdict(float)
    for term in sorted(terms):
        for name, weight in weights.get(term, {}).items():
            row[name] += weight
    return dict(row)


@lru_cache(maxsize=16)
def _index(known: tuple[tuple[str, str, tuple[str, ...]], ...], out_of_scope: tuple[str, ...]) -> Weights:
    roster = _weigh({name: _count(name, description, ()) for name, description, _ in known})
    unclaimed = [text for text in out_of_scope if not _claimed(text, roster)]
    return _weigh({NONE: _count("", "", unclaimed), **{name: _count(name, description, examples) for name, description, examples in known}})


def _claimed(text: str, roster: Weights) -> bool:
    """Say whether a description names something that an out-of-scope text is about."""
    return any(score >= THRESHOLD for clause in clauses(text) for score in _score(clause.terms, roster).values())


def _count(name: str, description: str, examples: Iterable[str]) -> Counter[str]:
    counts = Counter(stem(word) for word in name.replace("-", "_").split("_") if word)
    for text, times in ((description, 2), *((text, 1) for text in examples)):
        for clause in clauses(text):
            for term in clause.terms:
                counts[term] += times * (KEY if term in clause.whole else 1)
    return counts


def _weigh(counts: dict[str, Counter[str]]) -> Weights:
    weights: Weights = {}
    totals: Counter[str] = Counter()
    for counter in counts.values():
        totals.update(counter)
    for name, counter in counts.items():
        for term, count in counter.items():
            weights.setdefault(term, {})[name] = (count / (totals[term] + SMOOTH)) ** POWER * (1 + math.log(count))
    return weights
