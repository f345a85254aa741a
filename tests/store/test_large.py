"""A 50 MB artifact: peak memory of a put and of a ranged read, and what a range costs compared with a small artifact."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from store import open_store
from store.conformance import new_case, put

MB = 2**20
CHILD = """
import asyncio, json, os, sys
from store import open_store
from store.conformance import put

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024

async def main():
    store = open_store(sys.argv[1])
    await put(store, "warm", os.urandom(200_000))
    await store.read("warm", "A1")
    base = peak()
    body = os.urandom(50 * 2**20)
    await put(store, "case", body)
    after_put = peak() - base
    open("/proc/self/clear_refs", "w").write("5")
    del body
    before = peak()
    await store.read("case", "A1", 40 * 2**20, 65536)
    print(json.dumps([after_put, peak() - before]))
    await store.aclose()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_memory_stays_under_three_times_the_artifact(kind: str, redis_url: str, tmp_path: Path) -> None:
    url = redis_url if kind == "redis" else str(tmp_path / "desk.sqlite")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    out = subprocess.run([sys.executable, "-c", CHILD, url], env=environment, check=True, capture_output=True, text=True).stdout
    put_peak, read_peak = json.loads(out)
    print(f"{kind}: put {put_peak / MB:.0f} MB, read {read_peak / MB:.1f} MB above the base, for 50 MB")
    assert put_peak < 3 * 50 * MB
    assert read_peak < 3 * MB


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
@pytest.mark.parametrize("at", ["start", "end"])
async def test_a_range_of_a_large_artifact_costs_as_much_as_of_a_small_one(kind: str, at: str, redis_url: str, tmp_path: Path) -> None:
    store, case = open_store(redis_url if kind == "redis" else tmp_path / "desk.sqlite"), new_case()
    costs = {}
    for alias, size in (("A1", MB), ("A2", 50 * MB)):
        await put(store, case, os.urandom(size), alias)
        times = []
        for n in range(60):
            start = time.perf_counter()
            data = await store.read(case, alias, n * 100 if at == "start" else size - 65536 - n * 100, 65536)
            times.append(time.perf_counter() - start)
            assert len(data) == 65536
        costs[alias] = statistics.median(times)
    await store.delete_case(case)
    await store.aclose()
    print(f"{kind} {at}: 64 KB of 1 MB {costs['A1'] * 1e3:.3f} ms, of 50 MB {costs['A2'] * 1e3:.3f} ms")
    assert costs["A2"] < 3 * costs["A1"]
