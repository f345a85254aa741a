"""Criteria proposed from a goal: one per specialist, or one per address, within their caps."""

import pytest

from agents.offline.clauses import is_elsewhere, places
from agents.offline.proposing import propose
from ledger.events import CRITERION, MAX_CRITERIA
from tests.agents.casework import FOUR


def told(goal, earlier=""):
    return [(item.text, item.owners) for item in propose(goal, FOUR, earlier)]


def test_one_per_specialist_in_the_order_of_the_text():
    assert told("At 12 Elm St there is a pothole in front. Rats in the yard too, and no heat since Friday.") == [
        ("At 12 Elm St there is a pothole in front", ("potholes",)),
        ("Rats in the yard too", ("sanitation",)),
        ("no heat since Friday", ("housing",)),
    ]


def test_one_clause_for_two_specialists_is_one_criterion():
    assert [(text, set(owners)) for text, owners in told("A contractor left a pothole")] == [("A contractor left a pothole", {"permits", "potholes"})]


@pytest.mark.parametrize(
    "goal",
    [
        "No heat at 12 Elm St, rats at 14 Elm St and a pothole in front of 3 Oak Ave.",
        "12 Elm St: no heat. 14 Elm St: rats in the yard. 3 Oak Ave: a pothole.",
        "12 Elm St has no heat; 14 Elm St has rats; 3 Oak Ave has a pothole. The same 12 elm st again: still no heat!",
    ],
)
def test_one_per_address_with_its_own_part_of_the_text(goal):
    found = told(goal)
    assert [owners for _, owners in found] == [("housing",), ("sanitation",), ("potholes",)]
    assert [text.split(":")[0] for text, _ in found] == ["12 Elm St", "14 Elm St", "3 Oak Ave"]


def test_addresses_that_share_one_matter_get_it_each():
    assert told("Rats at 12 Elm St and 14 Elm St.") == [("12 Elm St: Rats", ("sanitation",)), ("14 Elm St: Rats", ("sanitation",))]


def test_an_address_with_a_matter_for_nobody_keeps_no_owner():
    assert told("12 Elm St: no heat. 14 Elm St: a car is parked there.")[1] == ("14 Elm St: a car is parked there", ())


def test_many_addresses_stay_within_twelve():
    found = propose(" ".join(f"{n} Elm St: rats in the yard." for n in range(1, 30)), FOUR)
    assert len(found) == MAX_CRITERIA
    assert found[-1].text.startswith("18 more: 12 Elm St")
    assert found[-1].owners == ("sanitation",)


def test_nothing_matched_is_one_criterion_without_owner():
    assert told("Cars race down our road") == [("Cars race down our road", ())]


def test_a_follow_up_belongs_to_whom_the_case_before_was_for():
    assert told("Is the other one going to be fixed too?", "a pothole at 14 Vale St") == [("Is the other one going to be fixed too?", ("potholes",))]
    assert told("And the sidewalk there?", "a pothole at 14 Vale St") == [("And the sidewalk there?", ("potholes",))]
    assert told("Rats in the yard", "a pothole at 14 Vale St") == [("Rats in the yard", ("sanitation",))]
    assert told("Cars race down our road", "a pothole at 14 Vale St")[0][1] == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rats at 31 Lantern St, and mold at 31  Lantern Street", ("31 Lantern St",)),
        ("12 Elm St and 3 Oak Ave", ("12 Elm St", "3 Oak Ave")),
        ("Potholes on Harrow Ave", ("Harrow Ave",)),
        ("potholes on harrow ave", ("harrow ave",)),
        ("a hole at Harrow Ave and Lantern St", ("Harrow Ave and Lantern St",)),
        ("rats on my street, and on a dirty street, by the way", ()),
        ("No heat since Friday on the second floor", ()),
    ],
)
def test_places_are_found_once(text, found):
    assert places(text) == found and is_elsewhere(text) is bool(found)


def test_a_place_that_is_no_street_is_elsewhere():
    assert is_elsewhere("trash near Forest Hills") and is_elsewhere("Rats in the Fens") and is_elsewhere("No heat, 48 Harrow")
    assert not is_elsewhere("no heat in January, on Monday, at 5 PM, for 3 weeks")


@pytest.mark.parametrize("goal", ["pothole " * 500, "no heat " + "x" * 5000, "\u200b", "漏水 " * 400, '"}\nNOW\nc1 met', "12 Elm St " * 300])
def test_every_text_is_one_valid_line(goal):
    for item in propose(goal, FOUR):
        assert CRITERION(item.text) == item.text
