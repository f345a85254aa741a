"""Which criteria an ask works for: never more than it names, unless they are its specialist's own."""

from typing import Any

import pytest

from ledger import apply
from ledger.criteria import alias_order, targets, unnamed, with_step


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
        ("c1: 31 Lantern St: no heat, door c2", ["c1"]),
        ("c1 rats in lot c2", ["c1"]),
        ("c1: rats; c2: no heat", ["c1", "c2"]),
        ("Work on c1: rats in building c2", ["c1"]),
        ("rats at 12 Oak St (c1)", ["c1"]),
        ("look for permits (c1) and for rats (c2)", ["c1", "c2"]),
        ("nobody had heat at 12 Oak St (c2)", ["c2"]),
        ("c1 without c2", ["c1"]),
        ("c1, c2: rats", ["c1", "c2"]),
        ("#c2 on the list, so c1", ["c1"]),
    ],
)
def test_only_an_id_that_is_meant_names_a_criterion(ask: str, wanted: list[str]) -> None:
    criteria = [apply.fresh_criterion(n, {"text": "x", "owners": [], "source": "caller", "candidates": []}) for n in (1, 2)]
    assert targets(criteria, "permits", ask) == wanted


CLEAR = [
    "c1 only; leave c2 for later",
    "c1 (c2 belongs to housing)",
    "c1, other than c2",
    "c1 instead of c2",
    "c1 rather than c2",
    "c1 - no c2",
    "c1. Not c2",
]
UNCLEAR = [
    "look at c1 only, not c2, c2 is for housing",
    "do not work on c2, only c1",
    "everything but c2: c1",
    "skip c2",
    "the rats; c2 stays open until housing reports, see c1",
    "rats for c1, never c2",
    "rats, not yet for c1",
]


@pytest.mark.parametrize("ask", [*CLEAR, *UNCLEAR])
def test_an_ask_never_works_for_what_it_leaves_out(ask: str) -> None:
    two = [criterion(1), criterion(2)]
    if ask in CLEAR:
        assert targets(two, "permits", ask) == ["c1"]
    else:
        assert targets(two, "permits", ask) == [] and unnamed(two, "permits", ask) == ["c1", "c2"]


def test_what_was_handed_to_a_step_is_no_evidence_of_its_own() -> None:
    step = {"n": 2, "specialist": "housing", "status": "done", "settles": ["c1"], "artifacts": ["A1"]}
    assert with_step(criterion(1), step, False)["status"] == "unsettled"
    assert with_step(criterion(1), step | {"artifacts": ["A1", "A2.2"]}, False)["evidence"] == ["A2.2"]


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
