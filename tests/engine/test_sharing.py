"""Two instances are one desk: they share the queue, the threads, the streams and the questions."""

import httpx

from graph.engine.stack import Stack
from tests.engine.drive import Driver


def pids(stack: Stack) -> list[int]:
    return [service.process.pid for service in stack.engines if service.process]


async def test_runs_sent_to_one_instance_spread_over_both(desk: Driver, stack: Stack) -> None:
    runs = [await desk.start(f"Rats in yard {number}", via=0) for number in range(8)]
    ledgers = [await desk.whole(run, via=1) for run in runs]
    cases = {ledger["case"] for ledger in ledgers}
    assert len(cases) == 8
    assert {item.pid for item in desk.work() if item.case in cases} == set(pids(stack))


async def test_a_stream_is_joined_through_the_instance_that_does_not_execute(desk: Driver, stack: Stack) -> None:
    run = await desk.start("Rats in the yard")
    other = 1 - pids(stack).index((await desk.until(run, "north")).pid)
    events = [part async for part in desk.clients[other].runs.join_stream(run.thread, run.id)]
    assert events[-1].event == "end"
    last = [part.data for part in events if part.event == "values"][-1]
    assert last["ledger"]["status"] == "done" and "letter" in last["answer"]
    await desk.whole(run, via=other)


async def test_a_question_asked_by_one_instance_is_answered_through_the_other(desk: Driver, stack: Stack) -> None:
    run = await desk.start("Rats in the yard", ["north yard seen", "owner of the yard named", "letter sent"], via=0)
    assert (await desk.ended(run, via=1))["status"] == "interrupted"
    state = await desk.clients[1].threads.get_state(run.thread)
    questions = state["tasks"][0]["interrupts"][0]["value"]["questions"]
    assert [item["text"] for item in questions] == ["Who owns the yard?"]
    resumed = await desk.clients[1].runs.create(run.thread, "desk", command={"resume": {questions[0]["id"]: "Ms Lee"}})
    ledger = await desk.whole(type(run)(run.thread, resumed["run_id"]), via=0)
    assert [item["answer"] for item in ledger["questions"]] == ["Ms Lee"]


async def test_either_instance_serves_the_board(desk: Driver, stack: Stack) -> None:
    run = await desk.start("Rats in the yard of 12 Elm St")
    await desk.whole(run)
    async with httpx.AsyncClient() as client:
        for url in stack.urls:
            page = await client.get(f"{url}/board/{run.thread}")
            body = await client.get(f"{url}/board/{run.thread}/artifacts/A1/body")
            assert page.status_code == 200 and "12 Elm St" in page.text and "north looked" in body.text


async def test_two_goals_on_one_thread_at_once_never_mix(desk: Driver) -> None:
    first = await desk.start("Rats in the yard", via=0)
    second = await desk.start("Noise at night", via=1, thread=first.thread)
    outputs = {(await desk.ended(run))["output"]["ledger"]["goal"]: (await desk.ended(run))["output"] for run in (first, second)}
    assert set(outputs) == {"Rats in the yard", "Noise at night"}
    for goal, output in outputs.items():
        assert output["ledger"]["status"] == "done" and output["ledger"]["goal"] == goal
        assert len(output["ledger"]["steps"]) == 4
    assert (await desk.ledger(first))["case"] in {output["ledger"]["case"] for output in outputs.values()}


async def test_a_goal_after_a_cancelled_run_is_the_one_worked_on(desk: Driver) -> None:
    run = await desk.start("Rats in the yard", via=0)
    await desk.until(run, "north")
    await desk.clients[1].runs.cancel(run.thread, run.id)
    assert (await desk.ended(run))["status"] == "interrupted"
    after = await desk.start("Noise at night", via=1, thread=run.thread)
    assert (await desk.whole(after))["goal"] == "Noise at night"
