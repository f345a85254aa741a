"""Scores do what their names say, at the edges too."""

import pytest

from tests.evals.scoring import Scored, contains, difference, exact, interval, jaccard, kappa, order_kept, precision, recall, summary


@pytest.mark.parametrize(
    ("got", "gold", "expected"),
    [
        ((), (), (1, 1.0, 1.0, 1.0, 1)),
        (("a",), (), (0, 0.0, 0.0, 1.0, 1)),
        ((), ("a",), (0, 0.0, 1.0, 0.0, 0)),
        (("a", "b"), ("b", "c"), (0, 1 / 3, 0.5, 0.5, 0)),
        (("a", "b", "c"), ("b", "c"), (0, 2 / 3, 2 / 3, 1.0, 1)),
    ],
)
def test_set_scores(got, gold, expected):
    assert tuple(score(got, gold) for score in (exact, jaccard, precision, recall, contains)) == pytest.approx(expected)


def test_order_counts_first_dispatches_and_missing_sides():
    pairs = [("housing", "permits"), ("permits", "potholes")]
    assert order_kept([{"housing"}, {"permits"}, {"housing"}, {"potholes"}], pairs) == 1.0
    assert order_kept([{"permits"}, {"housing"}, {"potholes"}], pairs) == 0.5
    assert order_kept([{"housing", "permits"}, {"potholes"}], pairs) == 0.5
    assert order_kept([{"housing"}], pairs) == 0.0
    assert order_kept([{"housing"}], []) is None


def test_kappa_is_one_for_agreement_zero_for_chance_and_negative_for_contradiction():
    assert kappa([True, False, True], [True, False, True]) == 1.0
    assert kappa([True, True, False, False], [True, False, True, False]) == pytest.approx(0.0)
    assert kappa([True, False], [False, True]) < 0
    assert kappa([False, False], [False, False]) == 1.0
    with pytest.raises(ValueError, match="same items"):
        kappa([True], [])


def test_intervals_hold_the_mean_repeat_exactly_and_narrow_with_more_items():
    values = [0.0, 1.0] * 20
    low, high = interval(values)
    assert low < 0.5 < high
    assert interval(values) == (low, high)
    wide = interval(values[:8])
    assert wide[1] - wide[0] > high - low
    assert interval([1.0] * 5) == (1.0, 1.0)


def test_difference_is_paired_where_it_can_be():
    early, late = [1.0, 0.0] * 10, [0.0, 0.0] * 10
    low, high = difference(late, early)
    assert high < 0
    assert difference([0.5] * 7, [0.5] * 3) == (0.0, 0.0)
    with pytest.raises(ValueError, match="needs values"):
        interval([])


def test_summary_credits_extras_only_where_it_says_so():
    items = [
        Scored(frozenset({"a", "b"}), frozenset({"a"}), frozenset({"b"}), (("a", "b"),), (frozenset("b"), frozenset("a"))),
        Scored(frozenset(), frozenset()),
        Scored(frozenset({"c"}), frozenset()),
    ]
    told = summary(items)
    assert told["jaccard"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert told["jaccard_credited"] == pytest.approx((1 + 1 + 0) / 3)
    assert told["refused"] == 0.5
    assert told["order_kept"] == 0.0
    assert told["recall"] == 1.0
