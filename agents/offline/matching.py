"""Which specialists a text is for, from their descriptions and examples alone; so a new one is routed with no code change.

A word counts for a specialist by how often its examples use it and how seldom the others do; pairs of words say more than words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from agents.offline.asides import silenced
from agents.offline.clauses import Clause, clauses
from agents.offline.scope import OUT_OF_SCOPE
from agents.offline.weights import NONE, THRESHOLD, Known, Weights, index, scores
from agents.offline.words import tokens

HINT = 0.8
"""Score from which a text that says nothing plainer names one specialist; "and the sidewalk there?" says one word of it."""
SHARE = 0.6
"""A clause speaks for a specialist only with this share of what it says for the one it speaks for most."""
LISTED = 3.5
"""Score from which one thing of a list ("rats and no heat") speaks for a specialist whatever else its clause says."""
FADE = 0.3
"""Factor by which each further clause that speaks for a specialist counts less."""
STRONG = 3.0
"""Thresholds from which a clause speaks for a specialist whatever its share."""


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


@dataclass(frozen=True, slots=True)
class Said:
    """A clause of a text, and whom it speaks for."""

    text: str
    at: int
    """Where it starts in the text."""
    scores: dict[str, float]

    @property
    def foreign(self) -> bool:
        """Whether it is plainly about something that none covers."""
        return [name for name, score in self.scores.items() if score >= THRESHOLD] == [NONE]


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
    found = tuple(item for item in _ranked(text, specialists, out_of_scope, HINT)[:1] if item.name != NONE)
    return found if found and len(clauses(text)) == 1 else ()


def foreign(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str] = OUT_OF_SCOPE) -> bool:
    """Say whether `text` is plainly about something that none covers, rather than about nothing known."""
    return [found.name for found in _ranked(text, specialists, out_of_scope, THRESHOLD)] == [NONE]


def heard(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str] = OUT_OF_SCOPE) -> tuple[Said, ...]:
    """Return what `text` says, clause by clause, without its asides where it says anything else."""
    return _heard(text, _known(specialists), tuple(out_of_scope))


def _known(specialists: Iterable[Described]) -> Known:
    return tuple((item.name, item.description, tuple(item.examples)) for item in specialists)


@lru_cache(maxsize=8)
def _heard(text: str, known: Known, out_of_scope: tuple[str, ...]) -> tuple[Said, ...]:
    names, weights = [item[0] for item in known], index(known, out_of_scope)
    found = clauses(text, silenced(text, names))
    if not found and (ordered := [name for name in names if name in {*tokens(text)}]):
        return tuple(Said(clause.text, clause.at, dict.fromkeys(ordered, THRESHOLD)) for clause in clauses(text))
    return tuple(Said(clause.text, clause.at, _speaks_for(clause, weights)) for clause in found or clauses(text))


def _ranked(text: str, specialists: Iterable[Described], out_of_scope: Sequence[str], least: float) -> list[Match]:
    known = _known(specialists)
    said, ranked = _heard(text, known, tuple(out_of_scope)), []
    for name in (*(item[0] for item in known), NONE):
        mine = sorted(((item.scores[name], at) for at, item in enumerate(said) if name in item.scores), key=lambda pair: (-pair[0], pair[1]))
        total = sum(score * FADE**place for place, (score, _) in enumerate(mine))
        if total >= least:
            loud = sorted(at for score, at in mine if score >= least / 2)
            ranked.append(Match(name, round(total, 3), tuple(said[at].text for at in loud)))
    return sorted(ranked, key=lambda item: -item.score)


def _speaks_for(clause: Clause, weights: Weights) -> dict[str, float]:
    """Return the scores of those that a clause speaks for: as a whole, or with one of the things that it lists."""
    row = _loudest(scores(clause.terms, weights))
    for part in clause.parts:
        for name, score in _loudest(scores(part, weights)).items():
            if score >= LISTED:
                row[name] = max(score, row.get(name, 0.0))
    return row


def _loudest(row: dict[str, float]) -> dict[str, float]:
    least = min(STRONG * THRESHOLD, SHARE * max(row.values(), default=0.0))
    return {name: score for name, score in row.items() if score >= least}
