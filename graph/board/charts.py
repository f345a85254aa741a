"""Geometry of the hand-made charts; the templates draw it, the style sheet colours it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ledger.report import Report, Row

JSON = dict[str, Any]
COLUMN, HEIGHT, STRIP, LANE = 10, 200, 30, 22
"""Width of a decision, and heights of the series, the strip of difficulty and a specialist's lane, in units of the drawing."""


@dataclass(frozen=True, slots=True)
class Series:
    """Tokens-in per decision over one x-axis with difficulty."""

    width: int
    ticks: tuple[int, ...]
    """Values of the y-axis from top to bottom, evenly spaced."""
    tokens: str
    """Of one attempt, which is what the bound bounds."""
    cached: str
    bound: str
    difficulty: str
    hardest: int
    refused: str
    """Dots at the sum over attempts, where the guard refused something; `again` leads up to them."""
    again: str
    compactions: str
    numbers: tuple[int, ...]
    """Decisions to label on the x-axis."""


@dataclass(frozen=True, slots=True)
class Block:
    """One step in its specialist's lane."""

    x: float
    y: float
    height: float
    status: str


@dataclass(frozen=True, slots=True)
class Lanes:
    """Hops as columns, specialists as lanes; what was dispatched at once stands in one column."""

    width: int
    height: int
    names: tuple[str, ...]
    rules: tuple[int, ...]
    stems: str
    blocks: tuple[Block, ...]
    marks: tuple[tuple[float, str], ...]
    """The supervisor's lane: place and `dispatch`, `ask`, `finish` or `refused`."""


def series(report: Report) -> Series:
    """Lay out the series of a run."""
    rows = report.decisions
    top, ticks = scale(max([1, *(row.tokens_in for row in rows), *(row.bound for row in rows if row.bound < 20 * row.tokens_in)]))
    hardest = max([1, *(row.difficulty for row in rows)])
    at = {row.n: index for index, row in enumerate(rows)}
    dots = [row for row in rows if row.verdict != "ok" or len(row.verdicts) > 1]
    return Series(
        width=COLUMN * max(1, len(rows)),
        ticks=ticks,
        tokens=steps([row.per_attempt for row in rows], top, HEIGHT),
        cached=area([row.tokens_cached for row in rows], top, HEIGHT) if any(row.tokens_cached for row in rows) else "",
        bound=steps([min(row.bound, top) for row in rows], top, HEIGHT) if rows and min(row.bound for row in rows) <= top else "",
        difficulty=area([row.difficulty for row in rows], hardest, STRIP),
        hardest=hardest,
        refused=" ".join(f"M{middle(at[row.n])} {_y(row.tokens_in, top, HEIGHT)}h0" for row in dots),
        again=" ".join(f"M{middle(at[row.n])} {_y(row.per_attempt, top, HEIGHT)}V{_y(row.tokens_in, top, HEIGHT)}" for row in dots),
        compactions=" ".join(f"M{COLUMN * at[n]} 0V{HEIGHT}" for n in report.compactions if n in at),
        numbers=labels(rows),
    )


def lanes(report: Report, steps_made: Sequence[JSON]) -> Lanes:
    """Lay out the hops of a run."""
    names = tuple(dict.fromkeys(step["specialist"] for step in steps_made))
    at = {row.n: index for index, row in enumerate(report.decisions)}
    groups: dict[tuple[int, str], list[JSON]] = {}
    for step in steps_made:
        if step["decision"] in at:
            groups.setdefault((step["decision"], step["specialist"]), []).append(step)
    blocks: list[Block] = []
    lowest: dict[int, int] = {}
    for (decision, name), group in groups.items():
        y, part = LANE * (1 + names.index(name)) + 4, (LANE - 8) / len(group)
        lowest[decision] = max(lowest.get(decision, 0), y)
        x = COLUMN * at[decision] + 1.5
        blocks += [Block(x, round(y + part * index, 2), round(part - 1, 2), step["status"]) for index, step in enumerate(group)]
    return Lanes(
        width=COLUMN * max(1, len(report.decisions)),
        height=LANE * (1 + len(names)),
        names=names,
        rules=tuple(LANE * (index + 1) for index in range(len(names))),
        stems=" ".join(f"M{middle(at[n])} {LANE / 2}V{y}" for n, y in lowest.items()),
        blocks=tuple(blocks),
        marks=tuple((middle(index), _mark(row)) for index, row in enumerate(report.decisions)),
    )


def spark(values: Sequence[int]) -> str:
    """Return a small line for the list of runs, 100 wide and 20 high."""
    if len(values) < 2:
        return ""
    most = max(*values, 1)
    return "M" + " ".join(f"{100 * index / (len(values) - 1):.1f} {19 - 18 * value / most:.1f}" for index, value in enumerate(values))


def scale(most: int) -> tuple[int, tuple[int, ...]]:
    """Return a round top for an axis and its values from top to zero."""
    rough = most / 4
    unit = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(int(unit * factor) for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough and unit * factor == int(unit * factor))
    count = math.ceil(most / step)
    return step * count, tuple(step * index for index in range(count, -1, -1))


def steps(values: Sequence[float], top: int, height: int) -> str:
    """Return a line of one level per column."""
    path = "".join(f"{'M0 ' if index == 0 else 'V'}{_y(value, top, height)}H{COLUMN * (index + 1)}" for index, value in enumerate(values))
    return path


def area(values: Sequence[int], top: int, height: int) -> str:
    """Return the closed shape under a line of levels."""
    return f"{steps(values, top, height)}V{height}H0Z" if values else ""


def middle(index: int) -> float:
    """Return the middle of a column."""
    return COLUMN * index + COLUMN / 2


def labels(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the first, the middle and the last decision."""
    return tuple(dict.fromkeys(rows[index].n for index in (0, len(rows) // 2, -1))) if rows else ()


def _mark(row: Row) -> str:
    return "refused" if row.verdict != "ok" else row.moves[0] if row.moves and row.moves[0] in ("ask", "finish") else "dispatch"


def _y(value: float, top: int, height: int) -> float:
    return round(height - height * min(value, top) / top, 1)
