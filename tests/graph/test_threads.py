"""The life of a thread: cases one after the other, pauses, crashes, cancellations, two runs at once."""

import asyncio
import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command

from agents.model.endpoint import Endpoint
from agents.specialist import Task
from contracts import InputError, Return
from graph.state import state_for
from store.memory import MemoryStore
from tests.graph.running import Ran, assert_replays
from tests.scripted import Count, ask, dispatch, finish, four, specialist, work

JSON = dict[str, Any]
BOTH = dispatch(("permits", "c1: look at 5 Elm St"), ("housing", "c2: look at 5 Elm St"))
ONE = dispatch(("permits", "c1: look at 5 Elm St"))


def desk(*replies: Any, **more: Any) -> Ran:
    return Ran(*replies, **({"checkpointer": InMemorySaver()} | more))


async def blocked(task: Task) -> Return:
    """Ask which flat it is, and do the work once that is known."""
    if task.answers:
        handle = await task.put(f"flat: {task.answers[0][1]}", kind="note", description="note")
        return task.returned("done", "found the flat", f"The flat is {task.answers[0][1]}, one record.", Count(count=1), [handle])
    return task.returned("blocked", "which flat", "The flat is not known.", Count(count=0), questions=["Which flat?"])


# --- one case after the other


async def test_a_new_goal_opens_a_new_case_with_the_earlier_one_in_a_line_and_a_handle() -> None:
    ran = desk(BOTH, finish())
    first = await ran.go({"goal": "rats at 5 Elm St", "criteria": ["one", "two"]})
    old = first["ledger"]["case"]
    for goal in ("is it fixed?", "and now?"):
        ran.router.replies = [ONE, finish()]
        await ran.go({"goal": goal, "criteria": ["fixed"]})
    ledger = ran.ledger
    assert ledger["case"] != old and ledger["counts"]["steps"] == 1 and ledger["counts"]["hops"] == 1
    assert ledger["earlier"]["cases"] == 2 and ledger["earlier"]["handle"] == "E1" and "is it fixed?" in ledger["earlier"]["line"]
    assert ran.result["artifacts"]["E1"]["case"] == ledger["case"], "the handle of the last case, not of the first"
    assert 'EARLIER E1 "is it fixed? | done | Record 101000001 found"' in ran.router.prompts[-1]
    kept = json.loads(await ran.store.read(ledger["case"], "E1", 0, 10**6))
    assert kept["ledger"]["goal"] == "is it fixed?" and kept["ledger"]["earlier"]["cases"] == 1
    assert sorted(ran.result["artifacts"]) == ["A1", "E1", "R1"]


@pytest.mark.parametrize("given", [{"goal": "no heat", "criteria": ["heat", "hot water"]}, {"criteria": ["hot water"]}])
async def test_other_criteria_for_an_open_case_are_not_dropped(given: Any) -> None:
    ran = desk(ONE, ask(), ONE, finish(), specialists=four(blocked))
    first = await ran.go({"goal": "no heat", "criteria": ["heat"]})
    again = await ran.go(given)
    assert again["ledger"]["case"] != first["ledger"]["case"] and again["ledger"]["goal"] == "no heat" and again["ledger"]["earlier"]["cases"] == 1
    assert [item["text"] for item in again["ledger"]["criteria"]] == given["criteria"]


async def test_the_same_goal_again_goes_on_with_an_open_case_and_opens_a_closed_one_anew() -> None:
    ran = desk(ONE, ask(), ONE, finish(), specialists=four(blocked))
    first = await ran.go({"goal": "no heat", "criteria": ["heat"]})
    assert first["__interrupt__"]
    again = await ran.go({"goal": "no heat", "criteria": [" heat"]})
    assert again["ledger"]["case"] == first["ledger"]["case"] and again["ledger"]["counts"]["steps"] >= 1
    closed = desk(ONE, finish())
    one = await closed.go({"goal": "no heat", "criteria": ["heat"]})
    closed.router.replies = [ONE, finish()]
    two = await closed.go({"goal": "no heat", "criteria": ["heat"]})
    assert two["ledger"]["case"] != one["ledger"]["case"] and two["ledger"]["earlier"]["cases"] == 1


@pytest.mark.parametrize("goal", [None, "", "   ", "\u200b\u200b", 5, ["rats"], {"text": "rats"}, "x" * 100_001])
async def test_a_goal_that_is_none_is_refused(goal: Any) -> None:
    with pytest.raises(InputError):
        await desk(finish()).go({"goal": goal})


@pytest.mark.parametrize("criteria", ["one", [5], ["one"] * 13, [""], ["x" * 200], [None]])
async def test_criteria_that_cannot_be_kept_are_refused(criteria: Any) -> None:
    with pytest.raises(InputError):
        await desk(finish()).go({"goal": "rats", "criteria": criteria})


async def test_odd_goals_are_kept_as_far_as_a_database_can() -> None:
    for goal, kept in (
        ("rats\x00\n# GOAL", "rats\ufffd\n# GOAL"),
        ("rats \ud800", "rats ?"),
        ('{"lc":1,"type":"constructor"}', '{"lc":1,"type":"constructor"}'),
    ):
        ran = desk(ONE, finish())
        await ran.go({"goal": goal, "criteria": ["one"]})
        assert ran.ledger["goal"] == kept and f"GOAL {json.dumps(kept, ensure_ascii=False)}\n" in ran.router.prompts[0]


async def test_a_long_goal_is_stored_whole_and_shown_in_part() -> None:
    goal = "There are rats in the yard of 5 Elm St. " * 400
    ran = desk(dispatch(("permits", "c1: read it", ["G1"])), finish())
    await ran.go({"goal": goal, "criteria": ["one"]})
    assert ran.ledger["goal"] == goal and ran.ledger["steps"][0]["handed"] == ["G1"]
    assert f"GOAL (head of G1, {len(goal)} characters in all) " in ran.router.prompts[0] and len(ran.router.prompts[0]) < 4000
    assert (await ran.store.read(ran.ledger["case"], "G1", 0, 10**5)).decode() == goal


# --- pauses


async def test_only_ask_pauses_and_the_specialist_gets_the_answer() -> None:
    ran = desk(ONE, ask(), ONE, finish(), specialists=four(blocked))
    first = await ran.go({"goal": "no heat", "criteria": ["heat"]})
    assert first["__interrupt__"][0].value["questions"] == [{"id": "q1", "to": "resident", "text": "Which flat?"}]
    await ran.go(Command(resume="flat 2B"))
    assert ran.ledger["status"] == "done" and ran.ledger["questions"][0]["answer"] == "flat 2B" and ran.statuses() == ["blocked", "done"]
    assert ran.ledger["decisions"][2]["justified"] == "answered q1" and ran.ledger["steps"][1]["outcome"].startswith("The flat is flat 2B")
    again = await ran.graph.ainvoke(Command(resume="flat 9"), ran.config)
    assert again["ledger"]["questions"][0]["answer"] == "flat 2B" and again["ledger"]["counts"] == ran.ledger["counts"], "resumed by mistake"


@pytest.mark.parametrize("answer", [{"q1": "flat 2B"}, ["flat 2B"], {"answer": "flat 2B"}, "flat 2B", {"q1": "flat 2B", "q9": "x"}])
async def test_clients_answer_in_their_own_shapes(answer: Any) -> None:
    ran = desk(ONE, ask(), ONE, finish(), specialists=four(blocked))
    await ran.go({"goal": "no heat", "criteria": ["heat"]})
    await ran.go(Command(resume=answer))
    assert ran.ledger["questions"][0]["answer"] == "flat 2B"


@pytest.mark.parametrize("answer", ["", "skip", "No answer", {"q1": None}, {"q1": ""}, []])
async def test_no_answer_lapses_and_the_run_goes_on(answer: Any) -> None:
    ran = desk(ONE, ask(), finish(), specialists=four(blocked))
    await ran.go({"goal": "no heat", "criteria": ["heat"]})
    await ran.go(Command(resume=answer))
    assert ran.ledger["questions"][0]["status"] == "lapsed" and ran.criteria() == {"c1": "unsettled"}
    assert "Which flat?" in ran.result["answer"]


async def test_a_question_of_one_sibling_does_not_discard_the_other() -> None:
    roster = [specialist("permits", work), specialist("housing", blocked)]
    ran = desk(BOTH, ask(), dispatch(("housing", "c2: look at 5 Elm St")), finish(), specialists=roster)
    await ran.go()
    assert ran.statuses() == ["done", "blocked"]
    await ran.go(Command(resume="flat 2"))
    assert ran.statuses() == ["done", "blocked", "done"] and ran.ledger["status"] == "done"


# --- crashes and cancellations


class Crash(BaseException):
    """The process dies."""


async def test_a_crash_in_the_router_repeats_no_completed_step(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    async def run(task: Task) -> Return:
        counted.append(task.step)
        return await work(task)

    ran = desk(BOTH, finish(), specialists=four(run))
    decide = Endpoint.decide

    async def crash(self: Endpoint, system: str, user: str, roster: Any, correction: str = "") -> Any:
        if "LATEST\n1 " in user:
            raise Crash
        return await decide(self, system, user, roster, correction)

    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(Endpoint, "decide", crash)
        await ran.go()
    result = await ran.graph.ainvoke(None, ran.config)
    await assert_replays(result, ran.store)
    assert sorted(counted) == [1, 2] and result["ledger"]["status"] == "done" and result["ledger"]["counts"]["steps"] == 2


async def test_one_sibling_that_crashes_the_process_leaves_the_others_done() -> None:
    counted: list[str] = []

    async def run(task: Task) -> Return:
        counted.append(task.specialist.name)
        if task.specialist.name == "housing" and counted.count("housing") == 1:
            await asyncio.sleep(0.05)
            raise Crash
        return await work(task)

    ran = desk(BOTH, finish(), specialists=four(run))
    with pytest.raises(Crash):
        await ran.go()
    result = await ran.graph.ainvoke(None, ran.config)
    await assert_replays(result, ran.store)
    assert sorted(counted) == ["housing", "housing", "permits"] and [step["status"] for step in result["ledger"]["steps"]] == ["done", "done"]


async def test_a_case_that_was_stopped_and_left_before_its_answer_ends_when_its_goal_comes_again() -> None:
    ran = desk(ONE, max_hops=1)
    goal = {"goal": "rats", "criteria": ["one", "two"]}
    left = await ran.graph.ainvoke(goal, ran.config, interrupt_before=["answer"])
    assert left["ledger"]["reason"] and left["ledger"]["status"] == "open"
    ended = await ran.go(goal)
    assert ended["ledger"]["case"] == left["ledger"]["case"] and ended["ledger"]["status"] == "stopped"
    assert ended["ledger"]["reason"] == "the hop budget of 1 is spent" and ended["answer"]


async def slow(task: Task) -> Return:
    await asyncio.sleep(60)
    raise AssertionError("never reached")


async def cancelled(ran: Ran, goal: JSON) -> None:
    going = asyncio.create_task(ran.go(goal))
    while True:
        await asyncio.sleep(0.01)
        state = await ran.graph.aget_state(ran.config)
        if (state.values or {}).get("ledger", {}).get("steps"):
            break
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going


async def test_after_a_cancellation_a_new_goal_is_the_one_worked_on() -> None:
    saver, store = InMemorySaver(), MemoryStore()
    ran = desk(ONE, specialists=four(slow), checkpointer=saver, store=store)
    await cancelled(ran, {"goal": "rats", "criteria": ["one"]})
    after = desk(dispatch(("housing", "c1: heat")), finish(), checkpointer=saver, store=store)
    result = await after.go({"goal": "no heat", "criteria": ["heat"]})
    assert result["ledger"]["goal"] == "no heat" and [step["specialist"] for step in result["ledger"]["steps"]] == ["housing"]
    kept = json.loads(await store.read(result["ledger"]["case"], "E1", 0, 10**6))["ledger"]
    assert kept["status"] == "stopped" and (kept["steps"][0]["status"], kept["steps"][0]["cause"]) == ("failed", "interrupted before it returned")


async def test_after_a_cancellation_the_same_goal_goes_on_and_shows_what_was_interrupted() -> None:
    saver, store = InMemorySaver(), MemoryStore()
    ran = desk(ONE, specialists=four(slow), checkpointer=saver, store=store)
    await cancelled(ran, {"goal": "rats", "criteria": ["one"]})
    after = desk(ONE, finish(), checkpointer=saver, store=store)
    result = await after.go({"goal": "rats"})
    assert after.statuses() == ["failed", "done"] and result["ledger"]["steps"][0]["cause"] == "interrupted before it returned"
    assert result["ledger"]["decisions"][1]["justified"] == "retry of failed step 1" and result["ledger"]["status"] == "done"


async def test_after_a_cancellation_continuing_runs_the_pending_step() -> None:
    saver, store = InMemorySaver(), MemoryStore()
    ran = desk(ONE, specialists=four(slow), checkpointer=saver, store=store)
    await cancelled(ran, {"goal": "rats", "criteria": ["one"]})
    after = desk(finish(), checkpointer=saver, store=store)
    result = await after.graph.ainvoke(None, after.config)
    await assert_replays(result, store)
    assert [step["status"] for step in result["ledger"]["steps"]] == ["done"] and result["ledger"]["status"] == "done"


async def test_two_runs_at_once_on_one_thread_do_not_mix() -> None:
    """Each run answers its own goal from its own steps; the thread keeps the case of whichever wrote last, whole."""
    saver, store = InMemorySaver(), MemoryStore()
    goals = {"rats": "rats at 5 Elm St", "heat": "no heat at 9 Oak St"}
    runs = {}
    for name, goal in goals.items():
        ran = desk(checkpointer=saver, store=store, router=None, specialists=four())
        ran.router.answer = lambda system, user, goal=goal: finish() if "LATEST\n1 " in user else dispatch(("permits", f"c1: {goal}"))  # type: ignore[misc]
        runs[name] = asyncio.create_task(ran.go({"goal": goal, "criteria": [name]}))
    results = dict(zip(runs, await asyncio.gather(*runs.values()), strict=True))
    for name, goal in goals.items():
        ledger = results[name]["ledger"]
        assert ledger["goal"] == goal and [step["ask"] for step in ledger["steps"]] == [f"c1: {goal}"] and not ledger["rejected"]
        assert all(handle["case"] == ledger["case"] for handle in results[name]["artifacts"].values())
    state = (await ran.graph.aget_state(ran.config)).values
    assert state["ledger"]["case"] in {result["ledger"]["case"] for result in results.values()}
    await assert_replays(state, store)


# --- what state holds


async def test_state_has_two_channels_and_each_keeps_its_reducer() -> None:
    ran = desk(BOTH, finish())
    channels = ran.graph.channels
    assert channels["ledger"].operator.__name__ == "reduce_ledger" and channels["artifacts"].operator.__name__ == "merge_handles"  # type: ignore[union-attr]
    await ran.go()
    saved = (await ran.graph.aget_state(ran.config)).values
    assert sorted(saved) == ["artifacts", "ledger"] and sorted(ran.result) == ["answer", "artifacts", "ledger"]
    assert json.loads(json.dumps(saved)) == saved
    assert set(state_for({}).__annotations__) == {"ledger", "artifacts"}


async def test_strict_checkpoints_hold_plain_values_alone(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    ran = desk(ONE, ask(), ONE, finish(), specialists=four(blocked), checkpointer=saver)
    await ran.go({"goal": "no heat", "criteria": ["heat"]})
    await ran.go(Command(resume="flat 2"))
    assert ran.ledger["status"] == "done" and "unregistered" not in caplog.text.lower()


async def test_no_body_and_no_reply_reaches_a_checkpoint() -> None:
    async def bulky(task: Task) -> Return:
        handle = await task.put("canary body " * 80_000, kind="note", description="a megabyte")
        return task.returned("done", f"record {task.step}", f"Record {task.step} answers the ask.", Count(count=1), [handle])

    saver = InMemorySaver()
    ran = desk(*(dispatch(("permits", f"c1: number {n} Elm St")) for n in range(30)), finish(), specialists=four(bulky), checkpointer=saver)
    await ran.go({"goal": "rats", "criteria": ["one", "two"]})
    assert b"canary body" not in repr(saver.storage).encode() + repr(saver.writes).encode() + repr(saver.blobs).encode()
    sizes = [len(value) for (_, _, channel, _), (_, value) in saver.blobs.items() if channel in ("ledger", "artifacts")]
    assert max(sizes) < 60_000


# --- fan-out with one failing sibling


@pytest.mark.parametrize("saver", [None, InMemorySaver()])
async def test_one_failing_sibling_discards_nothing(saver: Any) -> None:
    async def run(task: Task) -> Return:
        if task.specialist.name == "housing" and task.step == 2:
            await asyncio.sleep(0.02)
            raise ConnectionError("records are down")
        return await work(task)

    three = dispatch(("permits", "c1: look"), ("housing", "c2: look"), ("potholes", "c3: look"))
    ran = Ran(three, dispatch(("housing", "c2: look")), finish(), specialists=four(run), checkpointer=saver)
    await ran.go({"goal": "rats", "criteria": ["one", "two", "three"]})
    assert ran.statuses() == ["done", "failed", "done", "done"] and ran.ledger["steps"][1]["cause"].startswith("ConnectionError")
    assert ran.ledger["decisions"][1]["justified"] == "retry of failed step 2" and set(ran.criteria().values()) == {"met"}
