"""Re-ask: the same prompt goes out again, and what comes back is compared as a move."""

from agents.model.endpoint import Endpoint
from agents.model.settings import ModelChoice
from graph.replaying import reask
from tests.graph.instrumented import run
from tests.scripted import Scripted, dispatch, finish


def endpoint(model: Scripted) -> Endpoint:
    return Endpoint(ModelChoice(model="other"), model)


async def test_the_match_rate_counts_the_same_move_in_any_words_and_order() -> None:
    file, _ = await run(6)
    same = dispatch(("potholes", "c1: in other words"), ("housing", "c2: too"), ("permits", "c3: as well"))
    fifth = file.ledger["decisions"][4]
    assert {item["specialist"] for item in fifth["dispatch"]} == {"permits", "housing", "potholes"}
    model = Scripted(same, finish(), "I would ask the permits office.", same)
    asked = await reask(file, 5, 4, endpoint(model))
    assert (asked.asked, asked.matched, asked.match_rate) == (4, 2, 0.5)
    assert asked.recorded == "dispatch housing + permits + potholes"
    assert list(asked.moves)[0] == asked.recorded and sum(asked.moves.values()) == 4
    assert asked.moves["finish"] == 1 and any(move.startswith("nothing usable") for move in asked.moves)
    assert (asked.model, asked.same_prompt) == ("other", True)
    assert asked.tokens_in > 0


async def test_it_sends_the_recorded_prompt() -> None:
    file, _ = await run(4)
    model = Scripted(finish())
    await reask(file, 3, 1, endpoint(model))
    assert "1 permits " in model.prompts[0] and "3 potholes" not in model.prompts[0]
