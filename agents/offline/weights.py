"""How much each word says about who should look at a complaint, from descriptions and examples alone."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from agents.offline.clauses import clauses
from agents.offline.words import stem

THRESHOLD = 1.35
"""Score of the best clause from which a specialist is consulted."""
SMOOTH = 0.6
"""Added to how often a term is said in all, so that one that is said once weighs less."""
KEY = 4
"""How many times a term counts that stands for all of a short clause."""
POWER = 2.5
"""Exponent of the share of a term that one specialist has: the higher, the less shared terms count."""
NONE = ""
"""Stands in for a specialist where a text is for nobody."""
Weights = dict[str, dict[str, float]]
Known = tuple[tuple[str, str, tuple[str, ...]], ...]
"""Name, description and examples of each specialist."""


def scores(terms: Iterable[str], weights: Weights) -> dict[str, float]:
    """Return how much these terms say for each."""
    row: defaultdict[str, float] = defaultdict(float)
    for term in sorted(term for term in terms if term in weights):
        for name, weight in weights[term].items():
            row[name] += weight
    return dict(row)


@lru_cache(maxsize=16)
def index(known: Known, out_of_scope: tuple[str, ...]) -> Weights:
    """Return what each term says, with those out-of-scope texts that no description names."""
    roster = _weigh({name: _count(name, description, ()) for name, description, _ in known})
    unclaimed = [text for text in out_of_scope if not _claimed(text, roster)]
    return _weigh({NONE: _count("", "", unclaimed), **{name: _count(name, description, examples) for name, description, examples in known}})


def _claimed(text: str, roster: Weights) -> bool:
    """Say whether a description names something that an out-of-scope text is about."""
    return any(score >= THRESHOLD for clause in clauses(text) for score in scores(clause.terms, roster).values())


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
