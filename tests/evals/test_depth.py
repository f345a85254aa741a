"""Planted flaws show: a bias by old lines as a drop with depth, haste as premature ends, restlessness as missed ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.evals.asking import Watched
from tests.evals.evaluation import Done, Plan, evaluate, plan_of, result
from tests.evals.labels import balanced, own
from tests.evals.routers import biased, hasty, planted, restless, sound, talkative

ITEMS = balanced(own(), 14)


def silent(part: str, total: int) -> Callable[[], None]:
    return lambda: None


async def figures(router: Watched, tmp_path: Path, **more: Any) -> dict[str, Any]:
    wanted = {"limit": None, "sample": 0, "unpaired": False, "parallel": 1} | more
    plan = plan_of({"some": ITEMS}, **wanted)
    done = Done()
    await evaluate(router, Plan({}, plan.probes, plan.finish, plan.sample, plan.single), done, tmp_path, silent)
    return result(router, plan, done)


async def test_a_bias_by_old_lines_shows_as_a_drop_and_a_sound_router_shows_none(tmp_path: Path) -> None:
    swayed, steady = await figures(planted(biased), tmp_path), await figures(planted(sound), tmp_path)
    assert swayed["depth"]["early"] == steady["depth"]["early"] >= 0.7
    assert swayed["depth"]["late"] < 0.3 and swayed["depth"]["middle"] < 0.3
    low, high = swayed["depth"]["interval"]
    assert low <= swayed["depth"]["difference"] <= high < -0.3
    assert steady["depth"]["difference"] == 0 and steady["depth"]["interval"] == [0, 0]
    assert all(kind["late"] <= kind["early"] for kind in swayed["depth"]["kinds"].values())
    assert swayed["depth"]["sets"]["some"]["early"] == swayed["depth"]["early"]


async def test_the_drop_shows_with_each_text_at_one_depth_too(tmp_path: Path) -> None:
    found = (await figures(planted(biased), tmp_path, unpaired=True))["depth"]
    assert found["late"] < found["early"] and found["items"] < len(ITEMS) and found["interval"][1] < 0


@pytest.mark.parametrize(("router", "wrong", "right"), [(hasty, "premature", "missed"), (restless, "missed", "premature")])
async def test_wrong_ends_show_early_and_late(router: Callable[[str, str], str], wrong: str, right: str, tmp_path: Path) -> None:
    found = (await figures(planted(router), tmp_path))["finish"]
    assert found[wrong]["late"] == 1.0 and found[wrong]["early"] == (0.0 if router is hasty else 1.0)
    assert found[right]["late"] == found[right]["early"] == 0.0
    assert found[wrong]["interval"] == ([1, 1] if router is hasty else [0, 0])


async def test_no_decision_counts_as_an_error_of_either_kind(tmp_path: Path) -> None:
    found = await figures(planted(lambda system, user: "I would rather not say."), tmp_path)
    assert found["depth"]["late"] == 0 and found["finish"]["premature"]["late"] == found["finish"]["missed"]["late"] == 1
    assert found["depth"]["fault_kinds"] == {"answered_itself": 3 * len(ITEMS)}
    assert found["depth"]["faults"] == 3 * len(ITEMS) and found["depth"]["legal"] == 0


async def test_the_ablation_asks_the_same_decisions_on_three_prompts(tmp_path: Path) -> None:
    told = (await figures(planted(talkative), tmp_path, sample=7))["ablation"]
    assert list(told) == ["ledger", "transcript", "last_turn"] and all(told[view]["items"] == 7 for view in told)
    assert told["ledger"]["tokens_late"] < told["last_turn"]["tokens_late"] < told["transcript"]["tokens_late"]
    assert told["transcript"]["late"] == 0 < told["last_turn"]["late"] and told["ledger"]["late"] == told["ledger"]["early"] > 0
    assert "finish_late" in told["ledger"] and told["ledger"]["fits_late"] == 1


async def test_the_offline_router_has_an_ablation_too_and_a_note_on_what_it_cannot_show(tmp_path: Path) -> None:
    router = planted(sound)
    router.choice = router.choice.__class__(model="offline")
    told = await figures(router, tmp_path, sample=7)
    assert set(told["ablation"]) == {"ledger", "transcript", "last_turn"} and "only a model" in told["ablation_note"]
    assert (await figures(router, tmp_path))["ablation_note"] == "left out"
