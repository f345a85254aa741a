"""A straight line through a series, with the interval that says whether its slope is more than noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean


@dataclass(frozen=True, slots=True)
class Slope:
    """A straight line through a series, by least squares, with the 95 % interval of its slope (Student's t)."""

    per_decision: float
    low: float
    high: float
    first: float
    """The line's value at the first decision."""
    last: float


def slope_of(points: Sequence[tuple[int, float]]) -> Slope | None:
    """Fit a straight line; None below three points, where there is no interval."""
    if len(points) < 3:
        return None
    middle_x, middle_y = fmean(x for x, _ in points), fmean(y for _, y in points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / spread
    rest = sum((y - middle_y - slope * (x - middle_x)) ** 2 for x, y in points)
    free = len(points) - 2
    half = student(free) * math.sqrt(rest / free / spread)
    first, last = (middle_y + slope * (points[at][0] - middle_x) for at in (0, -1))
    return Slope(slope, slope - half, slope + half, first, last)


def student(free: int) -> float:
    """Return the two-sided 95 % quantile of Student's t (Abramowitz and Stegun 26.7.5, within 1 %; exact for one and two degrees)."""
    if free < 3:
        return (12.7062, 4.3027)[free - 1]
    z = NormalDist().inv_cdf(0.975)
    terms = (z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return float(sum(term / free**power for power, term in enumerate(terms)))
