"""Processes die while runs are under way: nothing that was completed is done again, and nothing is lost."""

import asyncio
import signal

import pytest

from graph.engine.services import Service
from graph.engine.stack import Stack
from tests.engine.drive import Driver, Run


def executing(stack: Stack, pid: int) -> int:
    return [service.process.pid if service.process else 0 for service in stack.engines].index(pid)


def kill(service: Service) -> None:
    service.stop(signal.SIGKILL)


@pytest.mark.parametrize(("name", "phase"), [("north", "begin"), ("north", "end"), ("copy", "begin"), ("letter", "begin")])
async def test_another_instance_finishes_the_runs_of_a_killed_one(desk: Driver, stack: Stack, name: str, phase: str) -> None:
    run = await desk.start("Rats in the yard")
    dead = executing(stack, (await desk.until(run, name, phase)).pid)
    # The write of a sibling that has ended is on its way to the database; its twin works on for another second.
    await asyncio.sleep(0.3 if phase == "end" else 0)
    kill(stack.engines[dead])
    ledger = await desk.whole(run, via=1 - dead)
    begun = [item.name for item in desk.work(ledger["case"]) if item.phase == "begin"]
    ended = [item.name for item in desk.work(ledger["case"]) if item.phase == "end"]
    assert sorted(ended) == ["copy", "letter", "north", "south"]
    assert begun.count(name) == (1 if phase == "end" else 2)
    stack.engines[dead].start()


async def test_a_question_outlives_the_instance_that_asked_it(desk: Driver, stack: Stack) -> None:
    run = await desk.start("Rats in the yard", ["owner of the yard named"])
    asked = await desk.until(run, "owner", "asked")
    assert (await desk.ended(run))["status"] == "interrupted"
    dead = executing(stack, asked.pid)
    kill(stack.engines[dead])
    resumed = await desk.clients[1 - dead].runs.create(run.thread, "desk", command={"resume": "Ms Lee"})
    await desk.whole(Run(run.thread, resumed["run_id"]), via=1 - dead)
    stack.engines[dead].start()


async def test_runs_outlive_a_killed_valkey(desk: Driver, stack: Stack) -> None:
    runs = [await desk.start(f"Rats in yard {number}", via=number % 2) for number in range(4)]
    await asyncio.gather(*(desk.until(run, "south") for run in runs))
    kill(stack.stores["valkey"])
    await asyncio.sleep(0.3)
    stack.stores["valkey"].start()
    for run in runs:
        await desk.whole(run)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["fast", "immediate"])
async def test_runs_outlive_a_restarted_postgres(desk: Driver, stack: Stack, how: signal.Signals) -> None:
    runs = [await desk.start(f"Rats in yard {number}", via=number % 2) for number in range(4)]
    await asyncio.gather(*(desk.until(run, "south") for run in runs))
    stack.stores["postgres"].stop(how)
    stack.stores["postgres"].start()
    for run in runs:
        await desk.whole(run)


async def test_a_run_left_without_an_owner_is_cancelled_and_goes_on_from_its_last_checkpoint(desk: Driver, stack: Stack) -> None:
    """What an operator does after a database outage that was longer than a lease."""
    psycopg = pytest.importorskip("psycopg")
    run = await desk.start("Rats in the yard")
    dead = executing(stack, (await desk.until(run, "copy")).pid)
    kill(stack.engines[dead])
    with psycopg.connect(stack.env["DATABASE_URL"]) as connection:
        connection.execute("update runs set claimed_by = null, lease_expires_at = null where run_id = %s", (run.id,))
    client = desk.clients[1 - dead]
    await client.runs.cancel(run.thread, run.id)
    again = await client.runs.create(run.thread, "desk", checkpoint={"checkpoint_ns": ""})
    await desk.whole(Run(run.thread, again["run_id"]), via=1 - dead)
    stack.engines[dead].start()
