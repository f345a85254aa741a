"""What a peer is, and what one run of it leaves behind."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.counting import Call, Meter
from tests.bench.script import Script
from tests.bench.work import GOAL


@dataclass(frozen=True)
class Trace:
    """One run: every model call with exact tokens, and the wall time without building the graph."""

    peer: str
    turns: int
    seconds: float
    calls: tuple[Call, ...] = field(repr=False)

    def of(self, kind: str) -> list[Call]:
        """Return the calls of one kind, in order."""
        return [call for call in self.calls if call.kind == kind]


def first_message() -> dict[str, Any]:
    """Return what starts a run of a graph that keeps messages."""
    return {"messages": [{"role": "user", "content": GOAL}]}


def anything(result: dict[str, Any]) -> None:
    """Accept every end state."""


@dataclass(frozen=True)
class Peer:
    """One way to build a supervisor, run on the scripted work."""

    name: str
    tuning: str
    """Its settings, and what else was tried."""
    build: Callable[[Script, Any], Any]
    """From the script and a checkpointer (or None) to a compiled graph."""
    start: Callable[[], dict[str, Any]] = first_message

    check: Callable[[dict[str, Any]], None] = anything
    """Raises when the end state shows that the work was not done."""
    lossy: bool = False
    """Whether its router loses what it asked and what came of it: only a script routes on under such settings, so its rows stand apart."""

    async def run(self, turns: int, saver: Any = None, folder: Path | None = None, *, counted: bool = True) -> Trace:
        """Do the work once; count tokens, or leave counting out for a timed run. What a peer keeps on disk goes to `folder`."""
        script = Script(turns, Meter(on=counted), folder)
        graph = self.build(script, saver)
        begun = time.perf_counter()
        result = await graph.ainvoke(self.start(), {"configurable": {"thread_id": "bench"}, "recursion_limit": 100_000})
        seconds = time.perf_counter() - begun
        for close in script.closing:
            await close()
        self.check(result)
        if script.n != turns:
            raise RuntimeError(f"{self.name} ended after {script.n} of {turns} turns")
        return Trace(self.name, turns, seconds, tuple(script.meter.calls))
