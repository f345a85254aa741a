"""One run in a process of its own, with a SQLite saver: peak memory, checkpoint bytes and time, printed as JSON."""

import asyncio
import json
import resource
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.bench.peers import PEERS
from tests.bench.work import turn


def checkpoint_bytes(path: Path) -> int:
    """Return the bytes of checkpoints, their metadata and pending writes, in all namespaces."""
    with closing(sqlite3.connect(path)) as rows:
        checkpoints = rows.execute("SELECT TOTAL(LENGTH(checkpoint) + LENGTH(metadata)) FROM checkpoints").fetchone()[0]
        writes = rows.execute("SELECT TOTAL(LENGTH(value)) FROM writes").fetchone()[0]
    return int(checkpoints + writes)


def kilobytes(name: str = "VmHWM") -> int:
    """Return this process's highest resident memory, or with `VmRSS` what it holds now.

    getrusage would count the parent's from before exec, so Linux is asked directly.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(name))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024


async def measure(name: str, turns: int) -> dict[str, float]:
    """Run one peer and return what it used beyond what was there before the run."""
    for n in range(1, turns + 1):
        turn(n)
    before = kilobytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "checkpoints.sqlite")
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            trace = await PEERS[name].run(turns, saver, Path(folder), counted=False)
        after = kilobytes()
        return {
            "checkpoint_bytes": checkpoint_bytes(path),
            "peak_mb": round((after - before) / 1_024, 1),
            "hop_ms": round(trace.seconds / turns * 1_000, 2),
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(measure(sys.argv[1], int(sys.argv[2])))) + "\n")
