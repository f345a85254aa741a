"""A run always ends, through the answer, inside its own budgets, whatever the router says."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from agents.specialist import Task
from contracts import Return, SettingsError
from graph.nodes.answer import WINDOW
from graph.workflow import build
from ledger import Limits
from store import MemoryStore
from store.opening import open_store
from tests.graph.running import Ran
from tests.scripted import Count, Scripted, ask, dispatch, finish, four, specialist, work

PERMITS = dispatch(("permits", "c1: look at 5 Elm St"))
HOUSING = dispatch(("housing", "c2: look at 5 Elm St"))


def fresh(n: int) -> str:
    """Return a dispatch that was never made before."""
    name = ("potholes", "permits", "sanitation", "housing")[n % 4]
    return dispatch((name, f"c1: look at number {n} Elm St"))


async def test_a_router_that_always_says_the_same_is_stopped() -> None:
    ran = Ran(PERMITS)
    result = await ran.go()
    assert ran.ledger["status"] == "stopped" and ran.ledger["counts"]["steps"] == 1
    assert [item["verdict"] for item in ran.ledger["decisions"]] == ["ok", "repeat", "repeat"]
    assert ran.ledger["decisions"][1]["verdicts"] == ["repeat", "repeat"], "one corrective re-ask per decision"
    assert '"permits"' in ran.ledger["decisions"][1]["raw"]
    assert "refused: repeat" in ran.ledger["reason"] and "another thing" in result["answer"] and "refused: repeat" in result["answer"]


async def test_an_unknown_name_three_times_at_hop_eight_loses_nothing() -> None:
    ran = Ran(*(fresh(n) for n in range(7)), dispatch(("parks_and_rec", "c1: look at the park")))
    result = await ran.go()
    assert ran.ledger["counts"]["steps"] == 7 and ran.statuses() == ["done"] * 7
    refused = [item for item in ran.ledger["decisions"] if item["verdict"] != "ok"]
    assert [item["verdict"] for item in refused] == ["unknown_specialist"] * 2 and all("parks_and_rec" in item["raw"] for item in refused)
    assert sum(len(item["verdicts"]) for item in refused) == 4
    asked_again = [prompt for prompt in ran.router.prompts if "\nCORRECTION " in prompt]
    assert len(asked_again) == 2 and all("potholes, permits, sanitation, housing" in prompt and "parks" not in prompt for prompt in asked_again)
    assert "Record 101000001" in result["answer"]


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("The rats are the owner's duty; please call him and be patient.", "answered_itself"),
        ("", "empty"),
        ("{}", "wrong_key"),
        (finish(), "premature_finish"),
        (ask(), "nothing_to_ask"),
        (dispatch(), "no_choice"),
        (dispatch(("permits", "c1: look", ["A7"])), "unknown_handle"),
        (dispatch(*((name, f"c1: {name}{n}") for n in range(2) for name in ("permits", "housing", "potholes"))), "too_many"),
        (finish("c1", "c2", "c3"), "unknown_criterion"),
    ],
)
async def test_each_kind_of_nonsense_is_named_and_ends_the_run(reply: str, verdict: str) -> None:
    ran = Ran(reply)
    result = await ran.go()
    assert ran.ledger["status"] == "stopped" and {item["verdict"] for item in ran.ledger["decisions"]} == {verdict}
    assert ran.ledger["counts"]["steps"] == 0 and result["answer"]


async def test_a_refusal_of_the_guard_is_told_as_one_also_where_a_fault_has_its_name() -> None:
    waived = json.dumps(json.loads(PERMITS) | {"out_of_scope": ["c2"]})
    ran = Ran(waived, PERMITS, HOUSING, finish())
    await ran.go()
    assert ran.ledger["decisions"][0]["verdicts"] == ["contradiction", "ok"]
    assert "\nCORRECTION refused (contradiction): out_of_scope goes with finish only." in ran.router.prompts[1]


async def test_a_corrected_decision_counts_and_the_record_keeps_what_was_said_first() -> None:
    ran = Ran(dispatch(("parks", "c1: look")), dispatch(("permits", "c1: look"), ("housing", "c2: look")), finish())
    await ran.go()
    first = ran.ledger["decisions"][0]
    assert first["verdict"] == "ok" and first["verdicts"] == ["unknown_specialist", "ok"] and "parks" in first["raw"]
    assert ran.ledger["status"] == "done" and set(ran.criteria().values()) == {"met"}


async def test_a_router_that_never_finishes_spends_its_hops_and_no_more() -> None:
    ran = Ran(*(fresh(n) for n in range(100)), max_hops=12)
    await ran.go()
    assert ran.ledger["counts"]["hops"] == 12 and "hop budget of 12" in ran.ledger["reason"]
    assert ran.ledger["status"] == "stopped" and ran.result["answer"]


async def test_exactly_the_allowed_hops_and_the_answer_are_complete() -> None:
    ran = Ran(*(fresh(n) for n in range(11)), HOUSING, finish(), max_hops=12)
    await ran.go()
    assert ran.ledger["counts"]["hops"] == 12 and ran.ledger["status"] == "done" and ran.ledger["reason"] == ""
    assert len(ran.router.prompts) == 12, "all is settled: there is nothing left to ask the router"


async def test_token_and_time_budgets() -> None:
    ran = Ran(*(fresh(n) for n in range(50)), max_tokens=3000)
    await ran.go()
    assert "token budget" in ran.ledger["reason"] and 3000 <= ran.ledger["counts"]["tokens"] < 4500
    ticks = iter(range(10_000))
    graph = build(
        model=Scripted(*(fresh(n) for n in range(50))),
        store=open_store("memory:"),
        specialists=four(),
        limits=Limits(max_seconds=60),
        clock=lambda: dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=5 * next(ticks)),
    )
    result = await graph.ainvoke({"goal": "rats", "criteria": ["one", "two"]})
    assert "time budget of 60 s" in result["ledger"]["reason"] and result["answer"]


@pytest.mark.parametrize("limit", range(4, 16))
async def test_a_callers_small_recursion_limit_ends_through_the_answer_too(limit: int) -> None:
    ran = Ran(*(fresh(n) for n in range(50)))
    result = await ran.go(config={"recursion_limit": limit})
    assert result["answer"] and "recursion limit" in ran.ledger["reason"]


@pytest.mark.parametrize("limit", range(4, 12))
async def test_refusals_under_a_small_recursion_limit_end_too(limit: int) -> None:
    ran = Ran("nonsense", patience=16)
    assert (await ran.go(config={"recursion_limit": limit}))["answer"]


async def test_a_model_that_breaks_ends_the_run_with_its_cause() -> None:
    ran = Ran(PERMITS, RuntimeError("the key sk-abcdefghijklmnop is wrong"))
    result = await ran.go()
    assert ran.ledger["status"] == "stopped" and ran.statuses() == ["done"]
    assert "sk-abcdef" not in repr(result)


async def test_a_specialist_that_is_gone_from_the_graph_is_not_dispatched() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    saver, store = InMemorySaver(), open_store("memory:")
    first = Ran(PERMITS, RuntimeError("stop here"), checkpointer=saver, store=store, specialists=four())
    first.graph.interrupt_before_nodes = ["housing"]
    first.router.replies = [HOUSING]
    await first.graph.ainvoke({"goal": "rats", "criteria": ["one", "two"]}, first.config)
    second = Ran(HOUSING, checkpointer=saver, store=store, specialists=four()[:3])
    result = await second.go({"goal": "rats"})
    assert second.ledger["decisions"][-1]["verdict"] == "not_registered" and result["answer"]


def test_build_refuses_a_budget_that_cannot_hold_with_the_sum() -> None:
    with pytest.raises(SettingsError, match=r"base \d+ \+ goal 40 .* set it to at least \d+"):
        build(model=Scripted(finish()), store=open_store("memory:"), specialists=four(), limits=Limits(budget=900))


async def test_an_edge_that_is_not_allowed_is_refused_and_no_default_taken() -> None:
    roster = [specialist("permits", work, after=("housing",)), specialist("housing", work)]
    ran = Ran(PERMITS, HOUSING, PERMITS, finish(), specialists=roster)
    await ran.go()
    first: Any = ran.ledger["decisions"][0]
    assert first["verdicts"] == ["not_allowed", "ok"] and [step["specialist"] for step in ran.ledger["steps"]] == ["housing", "permits"]
    assert ran.ledger["status"] == "done"


async def test_the_answer_is_written_exactly_once_and_nobody_has_two_ways_out() -> None:
    ran = Ran(PERMITS, HOUSING, finish())
    nodes = [name async for update in ran.graph.astream({"goal": "rats", "criteria": ["one", "two"]}, stream_mode="updates") for name in update]
    assert nodes == ["intake", "supervisor", "permits", "supervisor", "housing", "supervisor", "answer"]
    edges = [(edge.source, edge.target) for edge in ran.graph.get_graph().edges if not edge.conditional]
    fixed = [source for source, _ in edges]
    assert len(fixed) == len(set(fixed)) and "supervisor" not in fixed


def storing(*bodies: str | bytes, said: str) -> Any:
    """Return work that stores these bodies and says something about them."""

    async def run(task: Task) -> Return:
        handles = [await task.put(body, kind="note", description="a note") for body in bodies]
        return task.returned("done", said, said, Count(count=1), handles)

    return run


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("shift", [-11, -5, 0, 3, 400_000])
async def test_record_ids_are_looked_up_in_whole_bodies(encoding: str, shift: int) -> None:
    start = (WINDOW + shift) // (1 if encoding == "utf-8" else 2)
    body = ("\ufeff" + "x " * (start // 2) + "101000777 and 99101000888 " + "y " * 20_000).encode(encoding)
    run = storing(body, said="Records 101000777, 101000888 and 101000999 are on file.")
    ran = Ran(PERMITS, HOUSING, finish(), specialists=four(run))
    answer = (await ran.go())["answer"]
    assert "101000777" in answer and "101000888" not in answer and "101000999" not in answer and "record number removed" in answer


def losing(store: MemoryStore, step: int, *lost: str) -> Any:
    """Return work in whose given step these bodies are lost."""

    async def run(task: Task) -> Return:
        for alias in lost if task.step == step else ():
            await store.delete((await store.cases())[0], alias)
        return await work(task)

    return run


async def test_a_step_that_lost_all_its_artifacts_is_not_told() -> None:
    store = MemoryStore()
    ran = Ran(PERMITS, HOUSING, finish(), store=store, specialists=four(losing(store, 2, "A1")))
    result = await ran.go()
    assert [item["status"] for item in ran.ledger["criteria"]] == ["unsettled", "met"] and ran.ledger["status"] == "stopped"
    assert "101000001" not in result["answer"] and "Record 101000002 answers" in result["answer"] and "left out: A1 (" in result["answer"]


@pytest.mark.parametrize("word", ["door", "lot", "building", "tower"])
async def test_an_id_like_word_of_the_resident_settles_nobody_elses_matter(word: str, tmp_path: Path) -> None:
    graph = build(store=MemoryStore(), home=tmp_path)
    found = await graph.ainvoke({"goal": f"No heat at 31 Lantern St, {word} c2. Rats at 7 Saltmarsh Way."})
    asked = [(step["specialist"], step["criteria"]) for step in found["ledger"]["steps"]]
    assert asked == [("housing", ["c1"]), ("sanitation", ["c2"])]
    assert "7 Saltmarsh Way" in found["answer"]
