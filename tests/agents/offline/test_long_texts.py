"""A goal of the most characters is read to its end, and in time that grows with its length alone."""

import time

import pytest

from agents.model.answer import compose
from agents.offline.clauses import is_elsewhere, moved
from agents.offline.languages import is_read
from agents.offline.matching import match
from agents.offline.proposing import propose
from agents.offline.routing import OfflineRouter
from agents.offline.situation import Criterion, Situation
from agents.offline.urgency import urgent
from ledger.events import CRITERION, MAX_CRITERIA, MAX_GOAL
from tests.agents.casework import FOUR, Casework
from tests.shipped import SPECIALISTS

FILLER = "This is a filler sentence about my long day and my neighbors. "
ADDRESSES = "".join(f"{n} Elm St: rats in the yard, {n} Oak Ave, " for n in range(4_000))
PIECES = (
    *("x", "a b ", "1 a ", "1.", "rats, mice, trash, ", "and rats ", "y también ", "y e ", ", and ", " - ", "Dr. ", "Elm Oak ", "St ", "on elm "),
    *(
        "a b c d ",
        "h-",
        "漏水",
        "쥐가 ",
        "e\u0301 ",
        "\ufdfa",
        "A'",
        "same ",
        "send the ",
        "mark it as ",
        "neighbor: '",
        "c1 housing '",
        "\"'",
        "[",
        "<a ",
    ),
    *(
        "{",
        "#1 ",
        "not about, rats, ",
        "no gas leak, ",
        "is ",
        "smell ",
        "12 Elm St ",
        "rats & mice / ",
        "\n",
        " ",
        "no ",
        "the street light is out. ",
    ),
)
TEXTS = {
    **{piece: piece * MAX_GOAL for piece in PIECES},
    "a gap": "rats" + "\n" * (MAX_GOAL - 5) + "x",
    "addresses": ADDRESSES,
    "tail": "12 Elm St rats " + "at " * 33_000 + "14 Elm St mice",
    "head": "12 Elm St rats 14 Elm St mice " + "and " * 24_000,
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_proposed_matched_routed_and_answered_soon(name):
    goal = TEXTS[name][:MAX_GOAL]
    started = time.thread_time()
    found = propose(goal, SPECIALISTS, before=("potholes",))
    match(goal, SPECIALISTS), is_elsewhere(goal), moved("12 Elm St", goal)
    lines = tuple(Criterion(f"c{n}", (), f"my matter {n}") for n in range(1, 13))
    OfflineRouter(specialists=SPECIALISTS).decide(Situation(roster={item.name: "" for item in SPECIALISTS}, goal=goal, criteria=lines))
    criteria = [{"id": f"c{n}", "text": item.text, "status": "open", "reason": "", "step": None} for n, item in enumerate(found, 1)]
    compose({"goal": goal, "criteria": criteria, "steps": [], "questions": [], "reason": ""}, [], [])
    assert time.thread_time() - started < 2
    assert 0 < len(found) <= MAX_CRITERIA and all(CRITERION(item.text) == item.text for item in found)


def test_what_stands_deep_in_a_long_text_is_asked_about_where_it_is():
    goal = FILLER * 800 + "There is a deep pothole at 12 Copperfield Ave. " + FILLER * 700 + "At 31 Lantern St we have bed bugs."
    case = Casework(goal, [(item.text, item.owners) for item in propose(goal, SPECIALISTS)], SPECIALISTS)
    asked = {item.specialist: item.ask for decision in case.run() for item in decision.dispatch}
    assert set(asked) == {"potholes", "housing"}
    assert "12 Copperfield Ave" in asked["potholes"] and "31 Lantern St" in asked["housing"]


def test_what_stands_deep_in_a_text_without_an_address_is_a_criterion():
    found = propose(FILLER * 700 + "There is a deep pothole. " + FILLER * 700 + "We have bed bugs.", SPECIALISTS)
    assert [item.owners for item in found] == [("potholes",), ("housing",)]
    assert found[0].text.startswith("There is a deep pothole") and found[1].text.startswith("We have bed bugs")


def test_what_is_said_again_is_named_once():
    assert [item.text for item in propose("Rats in the yard. " * 50, FOUR)] == ["Rats in the yard"]


def test_more_than_twelve_matters_for_nobody_hide_none_that_is_for_somebody():
    goal = (
        "".join(f"{name}'s dog barks all night. " for name in "Abe Bob Cal Dan Eve Fay Gus Hal Ida Jim Kay Lou Max Ned".split()) + "Rats in the yard."
    )
    found = propose(goal, FOUR)
    assert len(found) == MAX_CRITERIA and found[0].owners == ("sanitation",)
    assert found[-1].text.startswith("4 more: Kay's dog") and found[-1].owners == ()


def test_what_stands_before_the_first_of_two_addresses_counts():
    found = propose("We have no heat. There are rats at 12 Elm St. There is a pothole at 14 Elm St.", FOUR)
    assert [(item.text, item.owners) for item in found][0] == ("We have no heat", ("housing",)) and len(found) == 3


def test_danger_and_language_are_told_from_the_whole_text():
    assert urgent(FILLER * 1500 + "I smell gas in the hall.")
    assert not is_read(FILLER + "Es hat Ratten im Hof und der Müll ist seit Wochen nicht weg. " * 900)
