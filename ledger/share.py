"""How the router's prompt is shared out: the worst case of each part, and their sum.

Counts are estimated tokens: every text is cut to its cap in that unit. `Part.bytes` is the count that no script escapes.
"""

from dataclasses import dataclass

from contracts.errors import SettingsError
from contracts.returns import HEADLINE
from contracts.text import Capped
from contracts.tokens import estimate
from ledger.events import Limits

FRAME = 8
"""What chat templates add around two messages: OpenAI documents 3 tokens a message and 3 for the reply."""
SCHEMA = 118
"""Tokens of the decision schema without the names; measured with bpe-openai (o200k and cl100k), held by a test."""
GOAL = 500
GOAL_LEAST = 40
CRITERIA = 240
NOW = 64
TALK = 110
LATEST = 240
SUMMARY = Capped(tokens=10, bytes=48, empty=True)
SHOWN = 2
LEAST = 6
EARLIER = Capped(tokens=28, bytes=120, empty=True)
LABELS = "EARLIER E1\nSTEPS\nCRITERIA\nQUESTIONS\nANSWERS\nLATEST\nREFUSED unknown_specialist\nLEFT 9999 hops\nGOAL (head of the goal, 99999 characters in all) …"


def each(room: int, count: int) -> int:
    """Return what one of `count` items may take of a part's room."""
    return max(LEAST, room // max(count, 1))


def step_line(name: str) -> int:
    """Return the most tokens of one step line of a specialist."""
    return estimate(f'\n9999 {name} rejected "" {"A9999.9 " * SHOWN}+8 {"c12 " * SHOWN}') + HEADLINE.tokens


def summary_line(name: str) -> int:
    """Return the most tokens of one compacted specialist's line."""
    return estimate(f'\n{name} x9999 done 9999 failed 9999,9999 last ""') + SUMMARY.tokens


def after_goal(names: list[str]) -> int:
    """Return the most tokens of what follows goal and criteria when nothing but the last turn is left of the history."""
    return NOW + TALK + LATEST + estimate(LABELS) + EARLIER.tokens + sum(map(summary_line, names))


def goal_room(budget: int, base: int, criteria: int, names: list[str], parallel: int) -> int:
    """Return the tokens the goal may take: up to 500, less when this case's criteria leave less."""
    lines = parallel * max(map(step_line, names))
    return max(GOAL_LEAST, min(GOAL, budget - base - criteria - after_goal(names) - lines))


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the prompt at its worst."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Bound:
    """The worst case of the router's prompt, from the contracts alone."""

    parts: tuple[Part, ...]
    budget: int
    per_hop: int
    """Most tokens that one more step adds."""

    @property
    def least(self) -> int:
        """The smallest budget that can hold: base + caps + one maximal fan-out."""
        return sum(part.tokens for part in self.parts)

    def at(self, steps: int) -> int:
        """Return the worst case after that many steps; compaction holds it at the budget."""
        return min(self.budget, self.least + GOAL - GOAL_LEAST + steps * self.per_hop)

    def __str__(self) -> str:
        """Spell the sum out."""
        return " + ".join(f"{part.name} {part.tokens}" for part in self.parts) + f" = {self.least}"


def bound(base: int, names: list[str], limits: Limits) -> Bound:
    """Return the worst case for a roster whose system message and schema take `base` tokens."""
    widest = max(map(step_line, names))
    parts = (
        Part("base", base),
        Part("goal", GOAL_LEAST),
        Part("criteria", CRITERIA),
        Part("earlier case", EARLIER.tokens),
        Part("summaries", sum(map(summary_line, names))),
        Part("criteria status", NOW),
        Part("questions and answers", TALK),
        Part("latest returns", LATEST),
        Part("labels", estimate(LABELS)),
        Part("one fan-out", limits.max_parallel * widest),
    )
    return Bound(parts, limits.budget, widest)


def check_budget(worst: Bound) -> None:
    """Refuse a budget that could not hold.

    Raises:
        SettingsError: With the sum and the smallest budget that would do.
    """
    if worst.budget < worst.least:
        raise SettingsError(f"a prompt budget of {worst.budget} tokens cannot hold: {worst}; set it to at least {worst.least}")
