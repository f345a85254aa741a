"""A text that goes on from work before it: its own words first, then what it is part of, then whom it points back to."""

import pytest

from agents.offline.following import meant
from tests.agents.casework import FOUR, Casework
from tests.shipped import SPECIALISTS


@pytest.mark.parametrize("before", ["potholes", "housing", "sanitation", "permits"])
@pytest.mark.parametrize(
    "text",
    [
        "What about the second one?",
        "Same at number 12.",
        "It came back last night.",
        "Did the inspector find the same thing upstairs?",
        "Is that enough?",
        "Until when is it good?",
        "And the other one?",
        "Lo mismo en el número 12",
        "¿Y la otra?",
    ],
)
def test_what_points_back_is_for_whoever_worked_last(text, before):
    assert meant(text, SPECIALISTS, (before,)) == [before]
    assert meant(text, SPECIALISTS, ()) != [before] or before == "permits", "with nothing before, it points to nobody"


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("And the sidewalk there?", "potholes"),
        ("Thanks. And the rats in the yard?", "sanitation"),
        ("Also no heat at the same address", "housing"),
        ("Same house: mice and roaches in the kitchen", "housing"),
    ],
)
def test_a_matter_of_its_own_goes_before_what_it_points_to(text, whom):
    assert meant(text, SPECIALISTS, ("permits",)) == [whom]


@pytest.mark.parametrize("text", ["There is a car parked in my driveway", "Loud music again", "Ci sono topi nel cortile", "My passport expired"])
def test_what_points_to_nothing_stays_with_nobody(text):
    assert meant(text, SPECIALISTS, ("potholes",)) == []


def test_what_it_is_part_of_goes_before_the_last_turn():
    assert meant("get it fixed", FOUR, ("housing",), "there are rats in the yard") == ["sanitation"]


def test_the_router_reads_the_last_turn_for_a_criterion_that_points_back():
    case = Casework("A list for our block", [("a pothole", ("potholes",)), ("what about the second one?", ())])
    case.run()
    assert case.order() == [["potholes"], ["potholes"]] and case.states() == {"c1": "met", "c2": "met"}


def test_a_vague_text_goes_to_the_one_it_hints_at():
    assert meant("Stuff all over the sidewalk again.", SPECIALISTS, ()) == ["potholes"]
    assert meant("Shrubs encroach on the narrow sidewalk. Two people cannot pass. It is bad.", SPECIALISTS, ()) == []
