"""Drives many complaints at once through the engine and measures: `python -m tests.engine.load --runs 1000 --instances 1 2`.

Specialists and router are those of `desk.py`, with the latencies given; the figures go to `.out/load.json`.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
import redis

from graph.engine.stack import Stack
from tests.engine.drive import LINE, Driver, Run

CONFIG = Path(__file__).with_name("langgraph.json")
HOME = Path(".out/engine/load")


@dataclass(frozen=True)
class Figures:
    """What one load run measured; seconds, bytes and counts."""

    instances: int
    slots: int
    runs: int
    router_seconds: float
    specialist_seconds: float
    runs_per_second: float
    run_p50: float
    run_p95: float
    run_p99: float
    decision_ms_p50: float
    decision_ms_p95: float
    decision_ms_p99: float
    instance_bytes: int
    errors: int
    lost_steps: int
    doubled_steps: int
    state_bytes_per_run: int
    artifact_bytes_per_run: int
    router_tokens_per_run: int
    queue_commands_per_run: int
    queue_bytes_per_run: int


async def measure(runs: int, at_once: int, instances: int, slots: int, router: float, specialist: float) -> Figures:
    """Start a fresh stack, send the complaints, wait for all and read what happened."""
    shutil.rmtree(HOME, ignore_errors=True)
    log = HOME.resolve() / "work.jsonl"
    env = {"DESK_SLOW": str(specialist), "DESK_ROUTER_SLOW": str(router), "DESK_WORK": str(log), "DESK_HOME": str(HOME.resolve())}
    env |= {"WORKER_COUNT": "1", "N_JOBS_PER_WORKER": str(slots), "LOG_LEVEL": "WARNING", "STUCK_PENDING_THRESHOLD_SECONDS": "3600"}
    with Stack(HOME, CONFIG, instances=instances, port=0, env=env) as stack:
        async with Driver(stack.urls, log) as desk:
            await desk.whole(await desk.start("warm up", ["north yard seen"]))
            before = _stores(stack)
            sent, peak = await _send(desk, stack, runs, at_once)
            after = _stores(stack)
            ledgers, artifacts = await _read(desk, sent)
        rows = _rows(stack, sent)
    took = [(row["updated_at"] - row["created_at"]).total_seconds() for row in rows]
    span = max(row["updated_at"] for row in rows) - min(row["created_at"] for row in rows)
    decisions = [item for ledger in ledgers for item in ledger.get("decisions", [])]
    ended = Counter(item.key for item in desk.work() if item.phase == "end")
    expected = {f"{ledger['case']}/s{step}" for ledger in ledgers if ledger for step in range(1, len(LINE) + 1)}
    return Figures(
        instances=instances,
        slots=slots,
        runs=runs,
        router_seconds=router,
        specialist_seconds=specialist,
        runs_per_second=round(runs / span.total_seconds(), 2),
        **_percentiles("run", took, 2),
        **_percentiles("decision_ms", [item["latency_ms"] for item in decisions], 1),
        instance_bytes=peak // instances,
        errors=sum(row["status"] != "success" for row in rows) + sum(ledger.get("status") != "done" for ledger in ledgers),
        lost_steps=runs * len(LINE) - len(expected & set(ended)),
        doubled_steps=sum(ended[key] - 1 for key in expected if ended[key] > 1),
        state_bytes_per_run=(after["database"] - before["database"]) // runs,
        artifact_bytes_per_run=artifacts // runs,
        router_tokens_per_run=sum(item["tokens_in"] + item["tokens_out"] for item in decisions) // runs,
        queue_commands_per_run=(after["commands"] - before["commands"]) // runs,
        queue_bytes_per_run=(after["memory"] - before["memory"]) // runs,
    )


async def _send(desk: Driver, stack: Stack, runs: int, at_once: int) -> tuple[list[Run], int]:
    """Send all complaints with at most so many open, and return them and the peak memory of the instances."""
    sent: list[Run] = []
    peak, gate = 0, asyncio.Semaphore(16)

    async def one(number: int) -> None:
        async with gate:
            sent.append(await desk.start(f"Rats in yard {number}", via=number % len(stack.urls)))

    deadline = time.monotonic() + 60 + 5 * runs
    with psycopg.connect(stack.env["DATABASE_URL"], autocommit=True) as connection:
        while time.monotonic() < deadline:
            row = connection.execute("select count(*) from runs where status in ('pending', 'running')").fetchone()
            still = int(row[0]) if row else 0
            if len(sent) == runs and not still:
                return sent, peak
            await asyncio.gather(*(one(number) for number in range(len(sent), min(runs, len(sent) + at_once - still))))
            peak = max(peak, sum(psutil.Process(service.process.pid).memory_info().rss for service in stack.engines if service.process))
            await asyncio.sleep(0.2)
    raise TimeoutError(f"{runs} runs did not end in time")


def _stores(stack: Stack) -> dict[str, int]:
    with psycopg.connect(stack.env["DATABASE_URL"]) as connection:
        size = connection.execute("select pg_database_size(current_database())").fetchone()
    with redis.Redis.from_url(stack.env["REDIS_URL"], decode_responses=True) as queue:
        stats: Any = queue.info("stats")
        memory: Any = queue.info("memory")
    return {"database": int(size[0]) if size else 0, "commands": stats["total_commands_processed"], "memory": memory["used_memory"]}


def _rows(stack: Stack, sent: list[Run]) -> list[dict[str, Any]]:
    columns = ("run_id", "status", "created_at", "updated_at")
    with psycopg.connect(stack.env["DATABASE_URL"]) as connection:
        found = connection.execute(f"select {', '.join(columns)} from runs").fetchall()
    wanted = {run.id for run in sent}
    return [dict(zip(columns, row, strict=True)) for row in found if row[0] in wanted]


async def _read(desk: Driver, sent: list[Run]) -> tuple[list[dict[str, Any]], int]:
    """Return every thread's ledger, and the bytes of all artifacts."""
    gate = asyncio.Semaphore(8)

    async def values(run: Run) -> dict[str, Any]:
        async with gate:
            return dict((await desk.clients[0].threads.get_state(run.thread))["values"])

    found = await asyncio.gather(*(values(run) for run in sent))
    return [item.get("ledger") or {} for item in found], sum(handle["bytes"] for item in found for handle in item.get("artifacts", {}).values())


def _percentiles(name: str, values: list[float], digits: int) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {f"{name}_p{part}": round(cuts[part - 1], digits) for part in (50, 95, 99)}


def main() -> None:
    """Measure each number of instances in turn, and print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--instances", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--slots", type=int, default=8, help="runs that one instance executes at once")
    parser.add_argument("--router", type=float, default=0.0, help="seconds of a routing decision")
    parser.add_argument("--specialist", type=float, default=1.0, help="seconds of a specialist's step")
    given = parser.parse_args()
    results = [
        asyncio.run(measure(given.runs, given.at_once, instances, given.slots, given.router, given.specialist)) for instances in given.instances
    ]
    for name in asdict(results[0]):
        print(f"{name:<24}" + "".join(f"{getattr(result, name):>16,}" for result in results))
    Path(".out/load.json").write_text(json.dumps([asdict(result) for result in results], indent=1))


if __name__ == "__main__":
    main()
