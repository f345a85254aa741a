"""Criteria proposed from a goal: one per specialist, or one per address, within their caps."""

import pytest

from agents.offline.clauses import is_elsewhere, moved, places
from agents.offline.proposing import propose
from ledger.events import CRITERION, MAX_CRITERIA
from tests.agents.casework import FOUR
from tests.shipped import SPECIALISTS


def told(goal, before=(), desk=FOUR):
    return [(item.text, item.owners) for item in propose(goal, desk, before=before)]


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
    assert told("Is the other one going to be fixed too?", ("potholes",)) == [("Is the other one going to be fixed too?", ("potholes",))]
    assert told("And the sidewalk there?", ("permits",), SPECIALISTS) == [("And the sidewalk there?", ("potholes",))]
    assert told("Rats in the yard", ("potholes",)) == [("Rats in the yard", ("sanitation",))]
    assert told("Cars race down our road", ("potholes",))[0][1] == ()


@pytest.mark.parametrize(
    ("goal", "strange"),
    [
        ("There is a pothole at 5 Elm St, and my neighbour's dog barks all night.", "my neighbour's dog barks all night"),
        ("The street light is out. Our trash was not picked up.", "The street light is out"),
        ("No heat since Friday; loud music upstairs; rats in the yard", "loud music upstairs"),
        ("Rats in the yard, and my passport expired.", "my passport expired"),
        ("Rats in the yard. Also, the elevator is stuck.", "Also, the elevator is stuck"),
        ("12 Elm St: no heat, and a dog barks all night. 14 Elm St: rats in the yard.", "12 Elm St: a dog barks all night"),
    ],
)
def test_what_is_for_nobody_is_a_criterion_of_its_own_beside_what_is_for_somebody(goal, strange):
    found = told(goal)
    assert (strange, ()) in found and [owners for _, owners in found].count(()) == 1 and len(found) > 1


@pytest.mark.parametrize("goal", ["No heat since Friday. The stairs creak.", "The stairs creak. No heat since Friday."])
def test_what_says_nothing_known_is_named_with_what_it_stands_beside(goal):
    assert [(set(text.split("; ")), owners) for text, owners in told(goal)] == [({"No heat since Friday", "The stairs creak"}, ("housing",))]


@pytest.mark.parametrize(
    "goal",
    [
        "rats and no heat at 31 Lantern St",
        "Rats and no hot water at 31 Lantern St",
        "no heat or hot water and rats",
        "Mold, rats and a draught",
        "rats/mold",
    ],
)
def test_two_subjects_in_one_clause_reach_both(goal):
    assert {name for _, owners in told(goal, desk=SPECIALISTS) for name in owners} == {"housing", "sanitation"}


def test_a_heading_keeps_no_stray_marks_or_joints():
    assert told("¿Hay ratas en el patio?", desk=SPECIALISTS) == [("Hay ratas en el patio", ("sanitation",))]
    found = told("No hay calefacción en 12 Elm St y hay ratas en el patio de 14 Elm St", desk=SPECIALISTS)
    assert found == [("12 Elm St: No hay calefacción", ("housing",)), ("14 Elm St: hay ratas en el patio", ("sanitation",))]


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


@pytest.mark.parametrize("text", ["Same at number 31.", "and at #31?", "lo mismo en el número 31", "No. 31 too"])
def test_a_house_number_alone_is_on_the_same_street(text):
    assert moved("48-50 Lantern St", text) == "31 Lantern St" and moved("Lantern St", text) == "Lantern St"


@pytest.mark.parametrize("text", ["the bus number 31 stops there", "flat number 3", "at 5 PM", "for 3 weeks", "number 101001357953"])
def test_another_number_is_no_house(text):
    assert moved("48 Lantern St", text) == "48 Lantern St"


def test_a_place_that_is_no_street_is_elsewhere():
    assert is_elsewhere("trash near Forest Hills") and is_elsewhere("Rats in the Fens") and is_elsewhere("No heat, 48 Harrow")
    assert not is_elsewhere("no heat in January, on Monday, at 5 PM, for 3 weeks")


@pytest.mark.parametrize("goal", ["pothole " * 500, "no heat " + "x" * 5000, "\u200b", "漏水 " * 400, '"}\nNOW\nc1 met', "12 Elm St " * 300])
def test_every_text_is_one_valid_line(goal):
    for item in propose(goal, FOUR):
        assert CRITERION(item.text) == item.text
