"""The desk on two hosts that share nothing but a database, a Redis-like store and the code."""

import asyncio
import shutil
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from graph.engine.services import engine, postgres, valkey
from graph.engine.stack import DEFAULTS
from store import open_store
from tests.engine.conftest import HERE, QUICK
from tests.engine.drive import Driver, Run
from tests.engine.two_hosts.hosts import Network, missing, network

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]
CUT = 14.0
"""Longer than a lease, so that the other host takes over while the cable is out."""


@dataclass(frozen=True)
class Pair:
    """Two running hosts."""

    network: Network
    home: Path


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    home = Path(".out/engine/two_hosts").resolve()
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    with network(["one", "two"]) as cables:
        database, _ = postgres(home, 5432, host="0.0.0.0")
        with (home / "postgres" / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.87.0.0/16 trust\n")
        queue, _ = valkey(home, 6379, host="0.0.0.0")
        queue.command += ["--protected-mode", "no"]
        engines = []
        for host in cables.hosts:
            stores = {"DATABASE_URL": f"postgresql://postgres@{host.stores}/postgres", "REDIS_URL": f"redis://{host.stores}/0"}
            planned = engine(host.name, home, HERE / "langgraph.json", 8000, DEFAULTS | QUICK | stores, host=host.address)
            engines.append(host.planned(planned, home))
        services = [database, queue, *engines]
        try:
            for service in services:
                service.start()
            yield Pair(cables, home)
        finally:
            for service in reversed(services):
                service.stop(seconds=10)


@pytest.fixture
async def desk(pair: Pair) -> AsyncIterator[Driver]:
    logs = [pair.home / f"own-{host.name}" / "work.jsonl" for host in pair.network.hosts]
    async with Driver([f"http://{host.address}:8000" for host in pair.network.hosts], *logs) as driver:
        yield driver


def test_the_hosts_share_no_disk(pair: Pair) -> None:
    for host in pair.network.hosts:
        seen = subprocess.run([*host.shell(pair.home), "ls", str(pair.home)], check=True, capture_output=True, text=True)
        assert seen.stdout.split() == ["own"]
        refused = subprocess.run([*host.shell(pair.home), "touch", str(HERE / "nothing")], check=False, capture_output=True, text=True)
        assert "Read-only" in refused.stderr


async def test_both_hosts_work_and_each_artifact_is_in_the_shared_store(pair: Pair, desk: Driver) -> None:
    runs = [await desk.start(f"Rats in yard {number}", via=0) for number in range(6)]
    ledgers = [await desk.whole(run, via=1) for run in runs]
    assert {item.host for item in desk.work()} == {"one", "two"}
    store = open_store(f"redis://{pair.network.hosts[0].stores}/0")
    for ledger in ledgers:
        handles = await store.list(ledger["case"])
        assert {handle.alias for handle in handles} == {"A1", "A2", "A3", "A4", "R1"}
        for handle in handles:
            await store.stat(ledger["case"], handle.alias, verify=True)
    await store.aclose()
    assert not list(pair.home.glob("own-*/*.db"))


async def test_a_question_asked_on_one_host_is_answered_through_the_other(desk: Driver) -> None:
    run = await desk.start("Rats in the yard", ["owner of the yard named", "letter sent"])
    assert (await desk.ended(run, via=1))["status"] == "interrupted"
    asked = next(item.host for item in desk.work() if item.phase == "asked")
    other = 1 if asked == "one" else 0
    resumed = await desk.clients[other].runs.create(run.thread, "desk", command={"resume": "Ms Lee"})
    await desk.whole(Run(run.thread, resumed["run_id"]), via=other)


async def test_a_host_cut_off_from_the_stores_loses_no_run_and_works_again_when_it_is_back(pair: Pair, desk: Driver) -> None:
    runs = [await desk.start(f"Rats in yard {number}", via=number % 2) for number in range(6)]
    await asyncio.gather(*(desk.until(run, "south", "end") for run in runs))
    await asyncio.sleep(0.5)
    recorded = [await desk.ledger(run) for run in runs]
    pair.network.cut(pair.network.hosts[1])
    await asyncio.sleep(CUT)
    pair.network.heal(pair.network.hosts[1])
    for run in runs:
        assert (await desk.ended(run))["status"] == "success"
    # What the host that is back would still write, it writes before its next heartbeat.
    await asyncio.sleep(2 * float(QUICK["HEARTBEAT_INTERVAL_SECONDS"]))
    for run, before in zip(runs, recorded, strict=True):
        ledger = await desk.ledger(run)
        assert ledger["status"] == "done" and [step["status"] for step in ledger["steps"]] == ["done"] * 4
        # Work that ended behind the cut could not be recorded, so it is done again; what was recorded is not.
        kept = {f"{ledger['case']}/s{step['n']}" for step in before["steps"] if step["status"] == "done"}
        begun = Counter(item.key for item in desk.work(ledger["case"]) if item.phase == "begin")
        assert len(kept) >= 2 and {begun[key] for key in kept} == {1}


async def test_the_host_that_was_cut_off_takes_runs_again(desk: Driver) -> None:
    for number in range(30):
        ledger = await desk.whole(await desk.start(f"Noise at number {number}", ["north yard seen"], via=1), via=1)
        if {item.host for item in desk.work(ledger["case"])} == {"two"}:
            return
    raise AssertionError("host two took none of 30 runs")
