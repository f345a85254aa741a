"""Alarms: what a run's figures say is wrong, as data. A healthy run has none."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from ledger.report import REFUSED_REPEATS, Report, Row
from ledger.second_person import speaks_to_resident
from ledger.share import step_line_tokens

JSON = dict[str, Any]
LEAST = 8
"""Decisions below which a slope says little."""
TIMES = 4
"""A prompt that has grown to this many times its size without getting harder is one that compaction does not hold."""
FLAT = 0.5
"""Difficulty counts as flat when it grew by at most this part."""
NEAR, NEAR_RUN = 0.95, 5
"""A prompt is near its bound above this part of it for so many decisions in a row."""
FEW = 5
"""Decisions that should at least lie between two compactions."""
DROP, LABELLED = 0.15, 10
"""Loss of accuracy, and the labelled decisions that it needs."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing that is wrong."""

    code: str
    """Stable name, such as `rising_tokens`."""
    message: str
    """What is wrong, with figures, and what to do; written by code, no outside text in it."""
    decisions: tuple[int, ...] = ()
    """Where it shows."""
    steps: tuple[int, ...] = ()
    """Steps that show it."""
    specialist: str = ""
    """Whom it names, if anybody."""

    def as_json(self) -> JSON:
        """Return it as plain JSON."""
        return asdict(self) | {"decisions": list(self.decisions), "steps": list(self.steps)}


def alarms(report: Report) -> tuple[Alarm, ...]:
    """Return the alarms of a run, the gravest first."""
    return tuple(alarm for check in _CHECKS for alarm in check(report))


def _rising(report: Report) -> Iterator[Alarm]:
    slope, hardness = report.slope, report.difficulty_slope
    if slope is None or hardness is None or len(report.decisions) < LEAST or slope.low <= 0:
        return
    if hardness.last > (1 + FLAT) * max(1.0, hardness.first):
        return
    sent = max(1.0, report.steps / len(report.decisions))
    a_line = sent * max(map(step_line_tokens, {name for row in report.decisions for name in row.moves} or {"specialist"}))
    if slope.low > a_line or slope.last > TIMES * max(1.0, slope.first):
        yield Alarm(
            "rising_tokens",
            f"tokens in rise by {slope.per_decision:.0f} per decision (95 %: {slope.low:.0f} to {slope.high:.0f}), "
            f"from about {slope.first:.0f} to {slope.last:.0f}, while difficulty stays flat; one ledger line per dispatch would be "
            f"at most {a_line:.0f}: something besides the ledger reaches the router, or the budget is too large for compaction to hold it",
            (report.decisions[0].n, report.decisions[-1].n),
        )


def _answered_itself(report: Report) -> Iterator[Alarm]:
    if found := _with(report, "answered_itself"):
        where = _count(found, "decision")
        message = f"the router answered the resident itself instead of routing, in {where}: use a model that keeps to the decision schema"
        yield Alarm("answered_itself", message, found)


def _repeats(report: Report) -> Iterator[Alarm]:
    found = _with(report, *REFUSED_REPEATS)
    if found or report.repeats_unjustified:
        yield Alarm(
            "repeats",
            f"{report.repeats_refused} repeated dispatches were refused and {report.repeats_unjustified} carried out although nothing was new: "
            "read these decisions' prompts; a specialist's headline may not say what it found",
            found,
        )


def _near_bound(report: Report) -> Iterator[Alarm]:
    above = tuple(row.n for row in report.decisions if row.tokens_source == "reported" and row.per_attempt > row.bound)
    after = set(report.compactions)
    fixed = tuple(row.n for row in report.decisions if row.n in after and row.prompt_tokens >= NEAR * row.bound)
    near = fixed or _longest(report.decisions)
    if above:
        message = f"the endpoint counted more tokens than the bound in {_count(above, 'decision')}: it adds text of its own, or counts otherwise"
        yield Alarm("near_bound", message, above)
    elif near:
        most = max(row.prompt_tokens for row in report.decisions if row.n in near)
        yield Alarm(
            "near_bound",
            f"the prompt stays within {1 - NEAR:.0%} of its bound ({most} of {report.budget} tokens) in {_count(near, 'decision')}"
            f"{', just after compaction' if fixed else ''}: raise the budget, or shorten goal, criteria or roster",
            near,
        )


def _longest(rows: tuple[Row, ...]) -> tuple[int, ...]:
    """Return the longest row of decisions near the bound, if it is long enough."""
    best: list[int] = []
    now: list[int] = []
    for row in rows:
        now = [*now, row.n] if row.prompt_tokens >= NEAR * row.bound else []
        best = max(best, now, key=len)
    return tuple(best) if len(best) >= NEAR_RUN else ()


def _compacted_often(report: Report) -> Iterator[Alarm]:
    gaps = [later - earlier for earlier, later in pairwise(report.compactions)]
    often = [gap for gap in gaps if gap < FEW]
    if len(often) < 2 or len(often) * 2 < len(gaps) or not report.contracts:
        return
    loosest = report.contracts[0]
    yield Alarm(
        "compaction_often",
        f"{len(report.compactions)} compactions, every {fmean(gaps):.1f} decisions on average: contracts are too loose. "
        f"The loosest is {loosest.specialist}: {loosest.mean:.0f} of {loosest.cap} tokens per return on average, most {loosest.most}, "
        f"over {_count(range(loosest.returns), 'return')}; tighten it",
        report.compactions,
        specialist=loosest.specialist,
    )


def _worse_late(report: Report) -> Iterator[Alarm]:
    seen = report.accuracy
    if seen and seen.labelled >= LABELLED and seen.late < seen.early - DROP:
        message = f"routing was right in {seen.early:.0%} of early and {seen.late:.0%} of late labelled decisions ({seen.labelled} in all)"
        yield Alarm("late_accuracy", message)


def _addressed(report: Report) -> Iterator[Alarm]:
    found: dict[str, list[int]] = {}
    for n, specialist, text in report.outcomes:
        if speaks_to_resident(text):
            found.setdefault(specialist, []).append(n)
    for specialist, steps in sorted(found.items()):
        yield Alarm(
            "addressed_resident",
            f"outcomes of {specialist} speak to the resident instead of the router in {_count(steps, 'step')}: "
            "that text belongs into the answer, which is written from artifacts; say in the outcome what was found",
            steps=tuple(steps),
            specialist=specialist,
        )


def _with(report: Report, *codes: str) -> tuple[int, ...]:
    return tuple(row.n for row in report.decisions if any(code in codes for code in row.verdicts))


def _count(items: Any, noun: str) -> str:
    return f"{len(items)} {noun}{'s' if len(items) != 1 else ''}"


_CHECKS: tuple[Callable[[Report], Iterator[Alarm]], ...] = (
    _rising,
    _answered_itself,
    _addressed,
    _repeats,
    _compacted_often,
    _near_bound,
    _worse_late,
)
