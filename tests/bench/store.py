"""Put and get of 100 KB bodies beside bare clients that do the same sha256 and the same hop to a thread or loop.

Each row: `what`, `ms` and `baseline_ms` (medians of interleaved rounds) and `ratio`, the throughput in parts of the baseline.
"""

import asyncio
import hashlib
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from redis.asyncio import Redis
from typing_extensions import TypedDict

from store import ArtifactStore, open_store
from store.loop import LoopThread
from tests.servers import valkey

SIZE = 100_000
ROUNDS = 200
Step = Callable[[int], Awaitable[object]]


class Row(TypedDict):
    """One line of the table."""

    what: str
    ms: float
    baseline_ms: float
    ratio: float


def store_rows(rounds: int = ROUNDS) -> list[Row]:
    """Measure SQLite and Redis, each beside its bare client in the same run."""
    with tempfile.TemporaryDirectory() as folder, valkey() as server:
        return asyncio.run(_sqlite(Path(folder), rounds)) + asyncio.run(_redis(server.connection_url, rounds))


def _bodies(rounds: int) -> list[bytes]:
    line = "Case {0}-{1}: complaint at {1} Elm Street, inspected on 2024-05-03, two violations, closed; see permit P-{0}.\n"
    return ["".join(line.format(n, street) for street in range(SIZE // 90)).encode()[:SIZE] for n in range(rounds + 1)]


async def _sqlite(folder: Path, rounds: int) -> list[Row]:
    db = sqlite3.connect(folder / "bare.sqlite", isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE bodies(name TEXT PRIMARY KEY, digest TEXT, body BLOB)")

    def write(n: int, digest: str) -> None:
        db.execute("INSERT INTO bodies VALUES(?, ?, ?)", (f"A{n}", digest, bodies[n]))

    def fetch(n: int) -> tuple[str, bytes]:
        digest, body = db.execute("SELECT digest, body FROM bodies WHERE name = ?", (f"A{n}",)).fetchone()
        return digest, body

    async def put(n: int) -> None:
        await asyncio.to_thread(write, n, hashlib.sha256(bodies[n]).hexdigest())

    async def get(n: int) -> None:
        digest, body = await asyncio.to_thread(fetch, n)
        assert hashlib.sha256(body).hexdigest() == digest

    bodies = _bodies(rounds)
    store = open_store(folder / "desk.sqlite")
    rows = await _compared("sqlite", store, bodies, put, get)
    db.close()
    return rows


async def _redis(url: str, rounds: int) -> list[Row]:
    thread, client = LoopThread("bare"), Redis.from_url(url)

    async def write(n: int, digest: str) -> None:
        await client.set(f"bare:A{n}:{digest}", bodies[n], ex=3600)

    async def fetch(n: int, digest: str) -> bytes:
        body = await client.get(f"bare:A{n}:{digest}")
        assert isinstance(body, bytes)
        return body

    async def put(n: int) -> None:
        digests[n] = hashlib.sha256(bodies[n]).hexdigest()
        await thread.run(write(n, digests[n]))

    async def get(n: int) -> None:
        assert hashlib.sha256(await thread.run(fetch(n, digests[n]))).hexdigest() == digests[n]

    bodies, digests = _bodies(rounds), dict[int, str]()
    rows = await _compared("redis", open_store(url), bodies, put, get)
    await thread.run(client.aclose())
    await thread.stop()
    return rows


async def _compared(name: str, store: ArtifactStore, bodies: list[bytes], bare_put: Step, bare_get: Step) -> list[Row]:
    async def put(n: int) -> None:
        await store.put("bench", bodies[n], stem=f"A{n + 1}", kind="note", description="A body", producer="bench")

    async def get(n: int) -> None:
        assert len(await store.read("bench", f"A{n + 1}", 0, SIZE)) == SIZE

    rows = []
    for what, ours, bare in (("put", put, bare_put), ("get", get, bare_get)):
        taken: dict[Step, list[float]] = {ours: [], bare: []}
        for n in range(len(bodies)):
            for step in (ours, bare) if n % 2 else (bare, ours):
                start = time.perf_counter()
                await step(n)
                taken[step].append(time.perf_counter() - start)
        own, base = (statistics.median(taken[step][1:]) * 1000 for step in (ours, bare))
        rows.append(Row(what=f"{name} {what} 100 KB", ms=round(own, 3), baseline_ms=round(base, 3), ratio=round(base / own, 2)))
    await store.delete_case("bench")
    await store.aclose()
    return rows
