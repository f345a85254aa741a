"""Texts through the whole desk: consulted sets, warnings, follow-ups on the thread of the case they refer to."""

from pathlib import Path

from tests.evals.labels import Item, own
from tests.evals.routers import planted, restless, sound
from tests.evals.runs import run, scores

BY_ID = {item.id: item for item in own()}


async def test_consulted_sets_and_order_are_those_of_the_case(tmp_path: Path) -> None:
    item = BY_ID["multi-03"]
    found = await run(planted(sound), item, tmp_path)
    assert found.scored.consulted == item.gold == {"housing", "permits"} and found.right and found.done
    assert [sorted(names) for names in found.scored.went] == [["housing"], ["permits"]]


async def test_an_emergency_is_caught_where_the_answer_warns(tmp_path: Path) -> None:
    calm, urgent = BY_ID["single-01"], BY_ID["emergency-02"]
    pairs = [(item, await run(planted(sound), item, tmp_path)) for item in (calm, urgent)]
    assert scores(pairs)["emergencies"] == 1 and scores(pairs)["false_alarms"] == 0
    assert scores(pairs[:1])["emergencies"] is None


async def test_a_follow_up_goes_to_whoever_the_earlier_case_was_for(tmp_path: Path) -> None:
    item = BY_ID["follow_up-08"]
    found = await run(planted(sound), item, tmp_path)
    alone = await run(planted(sound), item.model_copy(update={"before": None}), tmp_path)
    assert found.scored.consulted == {"potholes"} and found.right and not alone.scored.consulted


async def test_a_router_that_goes_astray_is_scored_by_what_it_did(tmp_path: Path) -> None:
    item = Item(id="x", kind="single", text="No heat in my flat.", gold=frozenset({"housing"}))
    found = await run(planted(restless), item, tmp_path)
    assert found.scored.consulted == {"permits"} and not found.right and not found.done and found.legal < 1
    assert scores([(item, found)])["misses"] == {"x": ["permits"]}
