"""A model's proposal of criteria: what it is shown, and which of it counts."""

import json

import pytest
from langchain_core.messages import AIMessage

from agents.model.criteria import propose_criteria
from agents.model.endpoint import Endpoint, Reply
from agents.model.settings import ModelChoice
from ledger.events import MAX_CRITERIA
from tests.shipped import SPECIALISTS


class Says(Endpoint):
    """An endpoint that says one thing and keeps what it was shown."""

    def __init__(self, *lines, text=None):
        super().__init__(ModelChoice(model="m"))
        said = {"criteria": [{"text": text, "owners": list(owners)} for text, *owners in lines]}
        self.said, self.shown = json.dumps(said) if text is None else text, ""

    async def call(self, system, user, **more):
        self.shown = user
        return Reply(message=AIMessage(self.said))


async def proposed(goal, *lines, earlier=None, **more):
    model = Says(*lines, **more)
    found, _ = await propose_criteria(model, goal, SPECIALISTS, earlier)
    assert 1 <= len(found) <= MAX_CRITERIA and all(item.source == "proposed" for item in found)
    return [(item.text, item.owners) for item in found], model.shown


def case(*criteria, goal="No heat at 5 Oak Row,\nand rats", answers=(), steps=("housing",)):
    lines = [{"text": text, "owners": owners, "status": status} for text, owners, status in criteria]
    work = [{"specialist": name} for name in steps]
    return {"goal": goal, "criteria": lines, "questions": [{"answer": answer} for answer in answers], "steps": work, "summaries": []}


BEFORE = case(("no heat", ["housing"], "met"), ("a dog barks", [], "out_of_scope"), answers=("unit 3",))


async def test_the_case_before_is_one_line():
    _, shown = await proposed("And the second radiator?", ("the second radiator", "housing"), earlier=BEFORE)
    line, goal = shown.split("\n")
    assert line == r'EARLIER "No heat at 5 Oak Row, and rats | housing met: no heat | nobody out_of_scope: a dog barks | unit 3"'
    assert goal == 'GOAL "And the second radiator?"'
    assert "EARLIER" not in (await proposed("no heat", ("no heat", "housing")))[1]


@pytest.mark.parametrize("text", ["", "I cannot help", "[]", '{"criteria": []}', '{"criteria": [{"text": 5}]}'])
async def test_a_reply_without_criteria_leaves_the_desk_s_own_rules(text):
    assert (await proposed("It is back again.", text=text, earlier=BEFORE))[0] == [("It is back again.", ("housing",))]


async def test_only_known_owners_and_different_lines_count():
    found, _ = await proposed("no heat and rats", ("No heat", "housing", "boss", "housing"), ("no heat",), ("rats", "sanitation"))
    assert found == [("No heat", ("housing",)), ("rats", ("sanitation",))]


async def test_every_line_fits_its_cap_and_there_are_at_most_twelve():
    found, _ = await proposed("a list", *((f"{number} matter " + "long " * 60, "housing") for number in range(30)))
    assert len(found) == MAX_CRITERIA and all(len(text.encode()) <= 120 for text, _ in found)


async def test_a_place_that_nobody_named_does_not_count():
    found, _ = await proposed("no heat at 5 Oak Row", ("no heat at 5 Oak Row", "housing"), ("rats at 9 Elm Street", "sanitation"))
    assert found == [("no heat at 5 Oak Row", ("housing",))]
    found, _ = await proposed("and the rats there?", ("5 Oak Row: rats", "sanitation"), earlier=BEFORE)
    assert found == [("5 Oak Row: rats", ("sanitation",))], "the case before named it"


async def test_a_place_that_it_leaves_out_is_proposed_by_rule():
    goal = "No heat at 5 Oak Row, rats in the yard of 9 Elm Street and a pothole at 3 Fir Road."
    found, _ = await proposed(goal, ("5 Oak Row: no heat", "housing"), ("9 Elm Street: rats", "sanitation"))
    assert [owners for _, owners in found] == [("housing",), ("sanitation",), ("potholes",)] and found[2][0].startswith("3 Fir Road")
