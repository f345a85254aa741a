"""A step takes no longer than it may, whether its specialist ends when it is cancelled, later, or never."""

import asyncio
import time
from contextlib import suppress

import pytest

from agents.model.apart import _LEFT, GRACE, apart
from agents.specialist import Task
from contracts import Return
from tests.graph.running import Ran
from tests.scripted import dispatch, finish, four, work

ONE = dispatch(("permits", "c1: look"))
SOON = 5 * GRACE
"""Far from the half minute that the work would take."""


class Stubborn:
    """Work that goes on for so many cancellations, until it is let go."""

    def __init__(self, times: float) -> None:
        self.times, self.swallowed, self.over = times, 0, asyncio.Event()

    async def wait(self) -> None:
        while not self.over.is_set():
            try:
                await asyncio.wait_for(self.over.wait(), 30)
            except asyncio.CancelledError:
                self.swallowed += 1
                if self.swallowed > self.times:
                    raise

    async def run(self, task: Task) -> Return:
        await self.wait()
        return await work(task)

    async def once(self, task: Task) -> Return:
        """Take the first cancellation for a reason to hand over what there is."""
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(30)
        self.swallowed += 1
        return await work(task)


@pytest.fixture
async def stubborn() -> Stubborn:
    return Stubborn(float("inf"))


async def timed(ran: Ran, *criteria: str) -> float:
    started = time.monotonic()
    await ran.go({"goal": "rats", "criteria": list(criteria) or ["one"]})
    return time.monotonic() - started


@pytest.mark.parametrize("kind", ["ends", "once", "twice", "forever"])
async def test_a_step_ends_with_its_time_whatever_its_specialist_does(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_SPECIALIST_TIMEOUT", "0.2")
    worker = Stubborn({"ends": 0, "twice": 1}.get(kind, float("inf")))
    ran = Ran(ONE, finish(), specialists=four(worker.once if kind == "once" else worker.run))
    assert await timed(ran) < SOON
    assert ran.statuses() == ["failed"] and ran.ledger["steps"][0]["cause"] == "no return within 0.2 s"
    assert ran.criteria() == {"c1": "unsettled"} and worker.swallowed == 1
    assert bool(_LEFT) is (kind in ("twice", "forever"))
    worker.over.set()
    await asyncio.sleep(0.05)
    assert not _LEFT and "A1" not in ran.result["artifacts"], "what it hands over later is not seen"


@pytest.mark.parametrize("kind", ["ends", "forever"])
async def test_no_step_outlives_the_time_of_its_case(kind: str) -> None:
    worker = Stubborn(0 if kind == "ends" else float("inf"))
    ran = Ran(ONE, dispatch(("permits", "c2: look again")), specialists=four(worker.run), max_seconds=0.5)
    assert await timed(ran, "one", "two") < SOON
    assert ran.statuses()[0] == "failed" and ran.ledger["steps"][0]["cause"].startswith("no return within 0.")
    assert ran.ledger["status"] == "stopped" and ran.ledger["reason"] == "the time budget of 0.5 s is spent"
    worker.over.set()
    await asyncio.sleep(0.05)


async def test_the_limit_of_a_step_holds_where_the_case_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_SPECIALIST_TIMEOUT", "0.2")
    ran = Ran(ONE, finish(), specialists=four(Stubborn(0).run), max_seconds=60)
    await timed(ran)
    assert ran.ledger["steps"][0]["cause"] == "no return within 0.2 s" and ran.ledger["reason"] == ""


async def test_whoever_cancels_a_run_does_not_wait_for_its_specialist(stubborn: Stubborn) -> None:
    going = asyncio.create_task(timed(Ran(ONE, specialists=four(stubborn.run))))
    await asyncio.sleep(0.3)
    going.cancel()
    done, _ = await asyncio.wait({going}, timeout=SOON)
    assert done and going.cancelled() and stubborn.swallowed >= 1
    stubborn.over.set()
    await asyncio.sleep(0.05)


async def test_work_that_tidies_up_has_done_so_when_its_time_is_over() -> None:
    tidy = []

    async def careful() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.05)
            tidy.append(True)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await apart(careful())
    assert tidy and not _LEFT
