"""What one of many runs costs in memory: a thousand cases in flight at once on one desk, in a process of its own, with a SQLite saver.

`python -m tests.bench.flight [ledger|ledger-functions] [runs]` prints one JSON object. Every run does the work of four turns, with texts of its
own, so that nothing is counted once that a thousand different cases would hold a thousand times.
"""

import argparse
import asyncio
import dataclasses
import gc
import json
import subprocess
import sys
import tempfile
import time
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.bench.child import kilobytes
from tests.bench.counting import Meter
from tests.bench.measure import ROOT
from tests.bench.peers import PEERS
from tests.bench.peers.base import Peer
from tests.bench.script import Script
from tests.bench.work import SPECIALISTS, Turn

RUNS = 1_000
TURNS = len(SPECIALISTS)
_OWN: ContextVar[Script] = ContextVar("own")


class OwnScript(Script):
    """The script of one run; its texts are nobody else's."""

    def __init__(self, number: int, folder: Path) -> None:
        super().__init__(TURNS, Meter(on=False), folder)
        self.number = number

    @property
    def now(self) -> Turn:
        """Return the turn that the specialists work on, as texts made for this run."""
        turn, mark = super().now, f"\nCopy {self.number}."
        first, second = turn.records
        return dataclasses.replace(turn, prose=turn.prose + mark, records=(first + mark, second + mark))


class EachOwn:
    """Stands for the script of whichever run is at work."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_OWN.get(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_OWN.get(), name, value)


async def fly(name: str, runs: int) -> dict[str, Any]:
    """Let all runs begin before any ends, and return the peak of memory for each of them."""
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteSaver.from_conn_string(str(Path(folder, "checkpoints.sqlite"))) as saver:
            _OWN.set(first := OwnScript(0, Path(folder)))
            peer, script, ended = PEERS[name], EachOwn(), list[int]()
            graph = peer.build(script, saver)  # type: ignore[arg-type]
            await _run(peer, graph, first, ended)
            gc.collect()
            before, begun, ended[:] = kilobytes("VmRSS"), time.perf_counter(), []
            begin = [asyncio.create_task(_run(peer, graph, OwnScript(n, Path(folder)), ended)) for n in range(1, runs + 1)]
            in_flight = runs - len(ended)
            await asyncio.gather(*begin)
            peak, seconds = kilobytes("VmHWM"), time.perf_counter() - begun
            for close in first.closing:
                await close()
    return {"peer": name, "runs": runs, "in_flight": in_flight, "kb_each": round((peak - before) / runs), "seconds": round(seconds, 1)}


async def _run(peer: Peer, graph: Any, script: OwnScript, ended: list[int]) -> None:
    _OWN.set(script)
    config = {"configurable": {"thread_id": f"run-{script.number}"}, "recursion_limit": 1_000}
    peer.check(await graph.ainvoke(peer.start(), config))
    ended.append(script.number)


def in_flight(name: str = "ledger", runs: int = RUNS) -> dict[str, Any]:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.flight", name, str(runs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{runs} runs of {name} at once: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print what one of many runs costs."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.flight", description=__doc__)
    parser.add_argument("peer", nargs="?", default="ledger", choices=("ledger", "ledger-functions"))
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    options = parser.parse_args()
    sys.stdout.write(json.dumps(asyncio.run(fly(options.peer, options.runs))) + "\n")


if __name__ == "__main__":
    main()
