"""Which criteria an ask works for: never more than it names, unless they are its specialist's own."""

from typing import Any

import pytest

from ledger import apply
from ledger.criteria import alias_order, targets, unnamed


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        ("look at 12 Oak St, Apt C2 for the pothole", []),
        ("C2: rats", ["c2"]),
        ("C1 and C2 - rats", ["c1", "c2"]),
        ("C1, c2 rats", ["c1", "c2"]),
        ("rats in C1", []),
        ("C1: rats in C2, C2 is upstairs", ["c1"]),
        ("look at 12 Oak St, apt c2, for c1", ["c1"]),
        ("look at c1 only, not c2, c2 is for housing", ["c1"]),
        ("c1 without c2", ["c1"]),
        ("c1, c2: rats", ["c1", "c2"]),
        ("#c2 on the list, so c1", ["c1"]),
    ],
)
def test_only_an_id_that_is_meant_names_a_criterion(ask: str, wanted: list[str]) -> None:
    criteria = [apply.fresh_criterion(n, {"text": "x", "owners": [], "source": "caller", "candidates": []}) for n in (1, 2)]
    assert targets(criteria, "permits", ask) == wanted


def test_aliases_sort_by_number_then_part_then_letter() -> None:
    assert sorted(["G2", "A10", "A2.10", "L1", "A2", "A2.2", "A1"], key=alias_order) == ["A1", "L1", "A2", "G2", "A2.2", "A2.10", "A10"]


def criterion(n: int, status: str = "open", *owners: str) -> dict[str, Any]:
    made = apply.fresh_criterion(n, {"text": "x", "owners": list(owners), "source": "caller", "candidates": []})
    return made | {"status": status}


@pytest.mark.parametrize(
    ("criteria", "wanted", "choice"),
    [
        ([criterion(1)], ["c1"], []),
        ([criterion(1), criterion(2)], [], ["c1", "c2"]),
        ([criterion(1), criterion(2, "unsettled")], [], ["c1", "c2"]),
        ([criterion(1, "met"), criterion(2, "unsettled"), criterion(3, "out_of_scope")], ["c2"], []),
        ([criterion(1, "met"), criterion(2, "met")], [], []),
        ([criterion(1, "open", "permits"), criterion(2), criterion(3)], ["c1"], []),
        ([criterion(1, "unsettled", "permits"), criterion(2, "open", "permits", "housing"), criterion(3)], ["c1", "c2"], []),
        ([criterion(1, "met", "permits"), criterion(2), criterion(3)], [], ["c2", "c3"]),
        ([criterion(1, "open", "housing"), criterion(2)], ["c2"], []),
        ([criterion(1, "open", "housing")], [], []),
    ],
)
def test_an_ask_without_ids_works_for_its_own_or_for_the_only_one_left(criteria: list[dict[str, Any]], wanted: list[str], choice: list[str]) -> None:
    for ask in ("look at 12 Oak St", "c9: look at 12 Oak St"):
        assert targets(criteria, "permits", ask) == wanted
        assert unnamed(criteria, "permits", ask) == choice


def test_a_named_criterion_counts_whatever_its_status_and_nobody_elses_does() -> None:
    criteria = [criterion(1, "met"), criterion(2), criterion(3), criterion(4, "open", "housing")]
    for ask, wanted in (("c1: look", ["c1"]), ("c3, c1: look", ["c1", "c3"]), ("c4: look", []), ("c2 and c4: look", ["c2"])):
        assert targets(criteria, "permits", ask) == wanted
        assert unnamed(criteria, "permits", ask) == []
