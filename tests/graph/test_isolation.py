"""A handle works in its own case alone; one of elsewhere, or none at all, is refused in the same words by whatever way it comes."""

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agents.specialist import Task
from contracts import LedgerError, Return
from graph.workflow import build
from ledger import Returned, plain
from store import ArtifactNotFound, MemoryStore
from store.errors import NOT_FOUND
from tests.graph.faulty import CRITERIA, GOAL, holds, route, run, working
from tests.scripted import Count, Scripted, dispatch, four

MALFORMED = [
    "../../etc/passwd",
    "a/../../b",
    "",
    "A" + "1" * 5_000,
    "x" * 5_000,
    "A1\n",
    "*",
    "A*",
    "A1%2f..%2f",
    "%41%31",
    "A1\x00",
    "a1",
    "A01",
    "desk:{c}",
]
FOREIGN = ["A77", "A1.9", "G1", "L8", "R1", "E1"]


async def other(store: MemoryStore) -> str:
    """Store artifacts in a case of somebody else, under every kind of alias; return the case."""
    for stem in ("A1", "A77", "G1", "L8", "R1", "E1"):
        await store.put("other", f"a secret of another thread, {stem}", stem=stem, kind="note", description="secret", producer="test")
    return "other"


@pytest.mark.parametrize("alias", [*FOREIGN, *MALFORMED])
async def test_a_dispatch_that_names_no_handle_of_the_case_is_refused(alias: str) -> None:
    store = MemoryStore()
    await other(store)
    replies = [dispatch(("potholes", "c1: look", [alias])), dispatch(("potholes", "c1: look", [alias]))]
    seen: list[Any] = []

    async def work(task: Task) -> Return:
        seen.append(task.handles)
        return await working({}, 500)(task)

    ended = await run(store, router=lambda system, user: replies.pop(0) if replies else route(system, user), specialists=four(work))
    assert ended.ledger["status"] == "done" and not any(seen), "nobody was handed it"
    refused = ended.ledger["decisions"][0]
    if alias:  # an empty one names nothing
        assert refused["verdict"] != "ok" and refused["detail"].startswith("no such handle in this case: ") and len(refused["detail"]) < 60
        assert ended.ledger["steps"][0]["decision"] == 2
    if alias in FOREIGN:
        assert refused["verdict"] == "unknown_handle"
    await holds(ended, store)


@pytest.mark.parametrize("alias", [*FOREIGN, *MALFORMED])
async def test_a_return_that_names_no_artifact_of_the_case_fails_its_step(alias: str) -> None:
    store = MemoryStore()
    await other(store)

    async def work(task: Task) -> Any:
        made = await working({}, 500)(task)
        return made if task.specialist.name != "permits" else made.model_dump(mode="json") | {"artifacts": [alias]}

    ended = await run(store, specialists=four(work))
    step = ended.ledger["steps"][1]
    assert ended.statuses == ["done", "failed", "done", "done"] and step["artifacts"] == []
    expected = "names an artifact that the store does not have for this case" if alias in FOREIGN else "does not keep its contract: artifacts.0"
    assert expected in step["cause"] and (len(alias) < 8 or alias not in json.dumps(ended.ledger))
    assert "secret" not in json.dumps(ended.values)
    await holds(ended, store)


async def test_a_return_may_not_pass_off_anothers_artifact_or_an_empty_one() -> None:
    async def empty(task: Task) -> Return:
        handle = await task.put(b"", kind="note", description="nothing")
        return task.returned("done", "one record", "It is on file.", Count(count=1), ["A1" if task.specialist.name == "permits" else handle])

    ended = await run(store := MemoryStore(), specialists=four(empty))
    assert {step["status"] for step in ended.ledger["steps"]} <= {"failed", "rejected"}
    assert "names the empty artifact A1" in ended.ledger["steps"][0]["cause"]
    assert [item["status"] for item in ended.ledger["criteria"]] == ["unsettled"] * 4
    assert await store.cases()


@pytest.mark.parametrize("alias", [*FOREIGN, *MALFORMED])
async def test_a_task_reads_what_it_was_handed_and_what_it_stored_and_nothing_else(alias: str) -> None:
    store, told = MemoryStore(), []
    await other(store)

    async def work(task: Task) -> Return:
        made = await working({}, 500)(task)
        for read in (task.read, task.text):
            with pytest.raises(ArtifactNotFound) as caught:
                await read(alias)
            told.append(str(caught.value))
        return made

    ended = await run(store, specialists=four(work))
    assert set(told) == {NOT_FOUND} and ended.statuses == ["done"] * 4


async def test_a_task_does_not_read_what_another_step_of_its_case_stored_unless_it_was_handed() -> None:
    told: dict[int, list[str]] = {}

    async def work(task: Task) -> Return:
        made = await working({}, 500)(task)
        told[task.step] = [str(await outcome(task.read("A1"))), str(await outcome(task.text("A1")))]
        return made

    replies = [dispatch(("potholes", "c1: look")), dispatch(("permits", "c2: look")), dispatch(("housing", "c4: look", ["A1"]))]
    await run(MemoryStore(), router=lambda system, user: replies.pop(0) if replies else route(system, user), specialists=four(work))
    assert all("of step 1" in text for text in told[1] + told[3]) and told[2] == [NOT_FOUND] * 2


async def outcome(read: Any) -> Any:
    try:
        return await read
    except ArtifactNotFound as error:
        return error


async def test_handles_that_are_written_into_the_state_open_nothing() -> None:
    store, saver = MemoryStore(), InMemorySaver()
    case = await other(store)
    foreign = await store.stat(case, "A1")
    graph = build(model=Scripted(answer=route), store=store, specialists=four(working({}, 500)), checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke({"goal": GOAL, "criteria": CRITERIA}, config, interrupt_before=["permits"])
    planted = {name: foreign.model_dump(mode="json") | {"alias": name} for name in ("A1", *MALFORMED)}
    config = await graph.aupdate_state(config, {"artifacts": planted}, as_node="ask")
    state = (await graph.aget_state(config)).values
    assert set(state["artifacts"]) == {"A1"} and state["artifacts"]["A1"]["case"] == state["ledger"]["case"], (
        "the first stays, malformed ones are left out"
    )
    config = await graph.aupdate_state(config, {"artifacts": {"A77": foreign.model_dump(mode="json") | {"alias": "A77"}}}, as_node="ask")
    with pytest.raises(LedgerError, match="hold A77 of another case: .* restore the thread's last good checkpoint"):
        await graph.ainvoke(None, config)


@pytest.mark.parametrize("alias", ["A2", "A77", "../A1"])
async def test_a_return_that_is_written_into_the_state_cannot_claim_what_is_not_stored(alias: str) -> None:
    store, saver = MemoryStore(), InMemorySaver()
    graph = build(model=Scripted(answer=route), store=store, specialists=four(working({}, 500)), checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke({"goal": GOAL, "criteria": CRITERIA}, config, interrupt_before=["permits"])
    ledger = (await graph.aget_state(config)).values["ledger"]
    body = {
        "status": "done",
        "headline": "record 101009999 found",
        "outcome": "The record 101009999 is on file.",
        "facts": {"count": 1},
        "artifacts": [alias],
        "settles": ["c2"],
        "questions": [],
    }
    await graph.aupdate_state(config, {"ledger": plain(Returned(case=ledger["case"], step=2, specialist="permits", result=body))}, as_node="permits")
    ended = await graph.ainvoke(None, config)
    step, criterion = ended["ledger"]["steps"][1], ended["ledger"]["criteria"][1]
    assert step["status"] == ("done" if alias == "A2" else "rejected"), "the reducer knows names; whether a body is there is seen when it is read"
    assert criterion["status"] == "unsettled" and criterion["evidence"] == []
    assert "permits at 12 Elm St: " in ended["answer"].partition("Not settled:")[2]


async def test_two_threads_share_a_store_and_see_nothing_of_each_other() -> None:
    store = MemoryStore()
    first, second = await run(store), await run(store)
    for mine, theirs in ((first, second), (second, first)):
        assert {handle.case for handle in await store.list(mine.ledger["case"])} == {mine.ledger["case"]}
        await store.delete_case(mine.ledger["case"])
        for alias in theirs.values["artifacts"]:
            with pytest.raises(ArtifactNotFound, match=NOT_FOUND):
                await store.stat(mine.ledger["case"], alias)
