"""How the router's prompt is shared out: the worst case of each part, and their sum.

Counts are estimated tokens, and no part takes more than BYTES UTF-8 bytes per token of its share: the count that no script escapes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import SettingsError
from contracts.returns import HEADLINE
from contracts.text import Capped, clip
from contracts.tokens import estimate
from ledger.events import Limits

FRAME = 8
"""What chat templates add around two messages: OpenAI documents 3 tokens a message and 3 for the reply."""
SCHEMA = 124
"""Tokens of the decision schema without the names; measured with bpe-openai (o200k and cl100k), held by a test."""
BYTES = 8
"""Most UTF-8 bytes of a part for each token of its share."""
GOAL = 500
"""Most tokens of the goal as the prompt shows it."""
GOAL_LEAST = 40
"""Tokens of the goal that every budget has room for."""
CRITERIA = 228
"""Tokens of all criteria lines together."""
NOW = 64
"""Tokens of the line that says how each criterion stands."""
TALK = 100
"""Tokens of all questions and answers together."""
LATEST = 216
"""Tokens of the last dispatch's returns together."""
SUMMARY = Capped(tokens=8, bytes=48, empty=True)
"""The last headline on a compacted specialist's line."""
EARLIER = Capped(tokens=24, bytes=120, empty=True)
"""The line about the earlier case."""
SAID = Capped(tokens=HEADLINE.tokens, bytes=HEADLINE.bytes, empty=True)
"""The headline or cause on a step's line."""
CORRECTION = 56
"""Kept free in every prompt for the one corrective re-ask."""
SHOWN = 2
"""Most criteria that a step's line names."""
LEAST = 6
"""Fewest tokens of one item, however many share a part."""
LABELS = (
    "EARLIER E1\nSTEPS\nCRITERIA\nQUESTIONS\nANSWERS\nLATEST\nREFUSED unknown_specialist\nLEFT 99999 hops\n"
    "GOAL (head of the goal, 100000 characters in all) …"
)
"""Every label that a prompt may hold, at its longest."""


def each(room: int, count: int) -> int:
    """Return what one of `count` items may take of a part's room."""
    return max(LEAST, room // max(count, 1))


def cut(text: str, tokens: int) -> str:
    """Return text cut to a share, in tokens and in bytes."""
    return clip(text, tokens=tokens, bytes=BYTES * tokens)


def fits(text: str, tokens: int) -> bool:
    """Say whether text keeps to a share, in tokens and in bytes."""
    return len(text.encode()) <= BYTES * tokens and estimate(text) <= tokens


def step_line_tokens(name: str) -> int:
    """Return the most tokens of one step line of a specialist."""
    return estimate(_step(name)) + SAID.tokens


def _step(name: str) -> str:
    return f'\n999999 {name} rejected "" A999999.999 {"c12 " * SHOWN}'


def summary_line_tokens(name: str) -> int:
    """Return the most tokens of one compacted specialist's line."""
    return estimate(_summary(name)) + SUMMARY.tokens


def _summary(name: str) -> str:
    return f'\n{name} x999999 done 999999 failed 999999,999999 last ""'


def after_goal(names: Sequence[str]) -> int:
    """Return the most tokens of what follows goal and criteria when nothing but the last turn is left of the history."""
    return NOW + TALK + LATEST + estimate(LABELS) + EARLIER.tokens + CORRECTION + sum(map(summary_line_tokens, names))


def goal_room(budget: int, base: int, criteria: int, names: Sequence[str], parallel: int) -> int:
    """Return the tokens the goal may take: up to 500, less when this case's criteria leave less."""
    lines = parallel * max(map(step_line_tokens, names))
    return max(GOAL_LEAST, min(GOAL, budget - base - criteria - after_goal(names) - lines))


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the prompt at its worst."""

    name: str
    tokens: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Bound:
    """The worst case of the router's prompt, from the contracts alone."""

    parts: tuple[Part, ...]
    budget: int
    per_hop: int
    """Most tokens that one more step adds."""
    per_hop_bytes: int
    """Most bytes that one more step adds."""

    @property
    def least(self) -> int:
        """The smallest budget that can hold: base + caps + one maximal fan-out."""
        return sum(part.tokens for part in self.parts)

    def at(self, steps: int) -> int:
        """Return the worst case after that many steps; compaction holds it at the budget."""
        return min(self.budget, self.least + GOAL - GOAL_LEAST + steps * self.per_hop)

    def bytes_at(self, steps: int) -> int:
        """Return the most bytes of both messages after that many steps, whatever the script."""
        return sum(part.bytes for part in self.parts) + BYTES * (GOAL - GOAL_LEAST) + steps * self.per_hop_bytes

    def __str__(self) -> str:
        """Spell the sum out."""
        return " + ".join(f"{part.name} {part.tokens}" for part in self.parts) + f" = {self.least}"


def bound(base: int, names: Sequence[str], limits: Limits, base_bytes: int = 0) -> Bound:
    """Return the worst case for a roster whose system message and schema take `base` tokens and whose system message has `base_bytes`."""
    widest = max(map(step_line_tokens, names))
    line = max(len(_step(name)) for name in names) + SAID.bytes
    shared = (("goal", GOAL_LEAST), ("criteria", CRITERIA), ("criteria status", NOW), ("questions and answers", TALK), ("latest returns", LATEST))
    parts = (
        Part("base", base, base_bytes),
        *(Part(name, tokens, BYTES * tokens) for name, tokens in shared),
        Part("earlier case", EARLIER.tokens, EARLIER.bytes),
        Part("summaries", sum(map(summary_line_tokens, names)), sum(len(_summary(name)) + SUMMARY.bytes for name in names)),
        Part("labels", estimate(LABELS), len(LABELS.encode())),
        Part("correction", CORRECTION, BYTES * CORRECTION),
        Part("one fan-out", limits.max_parallel * widest, limits.max_parallel * line),
    )
    return Bound(parts, limits.budget, widest, line)


def check_budget(worst: Bound) -> None:
    """Refuse a budget that could not hold.

    Raises:
        SettingsError: With the sum and the smallest budget that would do.
    """
    if worst.budget < worst.least:
        raise SettingsError(f"a prompt budget of {worst.budget} tokens cannot hold: {worst}; set it to at least {worst.least}")
