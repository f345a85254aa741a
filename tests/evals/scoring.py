"""Scores of consulted sets and orders against labels; pure functions, no judge model."""

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

Labels = Collection[str]


@dataclass(frozen=True, slots=True)
class Scored:
    """One item: whom a router consulted, and whom the labels name."""

    consulted: frozenset[str]
    gold: frozenset[str]
    acceptable_extra: frozenset[str] = frozenset()
    order: tuple[tuple[str, str], ...] = ()
    """Pairs (earlier, later) that a good order keeps."""
    went: tuple[frozenset[str], ...] = ()
    """Specialists of each decision, in order."""

    @property
    def credited(self) -> frozenset[str]:
        """The consulted set without the extras that either reader of the text allowed."""
        return self.consulted - (self.acceptable_extra - self.gold)


def exact(got: Labels, gold: Labels) -> float:
    """Return 1.0 when both sets are the same, else 0.0."""
    return float(set(got) == set(gold))


def jaccard(got: Labels, gold: Labels) -> float:
    """Return |A∩B| / |A∪B|, and 1.0 for two empty sets."""
    union = set(got) | set(gold)
    return len(set(got) & set(gold)) / len(union) if union else 1.0


def precision(got: Labels, gold: Labels) -> float:
    """Return the share of the consulted that should be; 1.0 when nobody was."""
    return len(set(got) & set(gold)) / len(set(got)) if got else 1.0


def recall(got: Labels, gold: Labels) -> float:
    """Return the share of the gold set that was consulted; 1.0 when it is empty."""
    return len(set(got) & set(gold)) / len(set(gold)) if gold else 1.0


def contains(got: Labels, gold: Labels) -> float:
    """Return 1.0 when the whole gold set was consulted."""
    return float(set(gold) <= set(got))


def order_kept(went: Sequence[Collection[str]], pairs: Iterable[tuple[str, str]]) -> float | None:
    """Return the share of (earlier, later) pairs kept by first dispatches; None without pairs.

    A pair with one side never consulted, or with both sides sent at once, is not kept.
    """
    wanted = list(pairs)
    if not wanted:
        return None
    place = {name: at for at, names in reversed(list(enumerate(went))) for name in names}
    return sum(a in place and b in place and place[a] < place[b] for a, b in wanted) / len(wanted)


def mean(values: Iterable[float]) -> float:
    """Return the mean, and 0.0 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def kappa(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Return Cohen's kappa of two readings of the same items; 1.0 where both never vary and agree.

    Raises:
        ValueError: The readings differ in length, or there are none.
    """
    if len(first) != len(second) or not first:
        raise ValueError("two readings of the same items are needed")
    count = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / count
    yes = (sum(first) / count) * (sum(second) / count)
    expected = yes + (1 - sum(first) / count) * (1 - sum(second) / count)
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)


def interval(values: Sequence[float], *, level: float = 0.95, times: int = 2000, seed: int = 1) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean (Efron 1979), seeded so that it can be repeated."""
    return _bootstrap([values], lambda parts: mean(parts[0]), level, times, seed)


def difference(late: Sequence[float], early: Sequence[float], *, level: float = 0.95, times: int = 2000, seed: int = 1) -> tuple[float, float]:
    """Return the interval of mean(late) - mean(early); paired when both have the same length."""
    if len(late) == len(early):
        return interval([a - b for a, b in zip(late, early, strict=True)], level=level, times=times, seed=seed)
    return _bootstrap([late, early], lambda parts: mean(parts[0]) - mean(parts[1]), level, times, seed)


def summary(items: Sequence[Scored]) -> dict[str, float]:
    """Return the mean scores of a set of items; recall and contains over items with a gold set, refusals over those without."""
    named = [item for item in items if item.gold]
    nobody = [item for item in items if not item.gold and not item.acceptable_extra]
    kept = [share for item in items if (share := order_kept(item.went, item.order)) is not None]
    return {
        "items": float(len(items)),
        "exact": mean(exact(item.consulted, item.gold) for item in items),
        "jaccard": mean(jaccard(item.consulted, item.gold) for item in items),
        "jaccard_credited": mean(jaccard(item.credited, item.gold) for item in items),
        "precision": mean(precision(item.consulted, item.gold) for item in items),
        "recall": mean(recall(item.consulted, item.gold) for item in named),
        "contains": mean(contains(item.consulted, item.gold) for item in named),
        "consults": mean(len(item.consulted) for item in items),
        "refused": mean(float(not item.consulted) for item in nobody) if nobody else 1.0,
        "order_kept": mean(kept) if kept else 1.0,
    }


def _bootstrap(
    groups: Sequence[Sequence[float]], statistic: Callable[[list[list[float]]], float], level: float, times: int, seed: int
) -> tuple[float, float]:
    if not all(groups):
        raise ValueError("an interval needs values")
    dice = random.Random(seed)
    drawn = sorted(statistic([dice.choices(group, k=len(group)) for group in groups]) for _ in range(times))
    tail = (1 - level) / 2
    return drawn[int(tail * (times - 1))], drawn[int((1 - tail) * (times - 1))]
