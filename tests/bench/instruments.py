"""What the instruments cost: the part of a zero-latency hop that events, alarms and telemetry take, measured inside one run."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from statistics import median
from typing import Any
from unittest.mock import patch

from langgraph.checkpoint.memory import InMemorySaver
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from graph import asking, telemetry
from graph.nodes import answer, ask, intake, specialist, supervisor
from graph.workflow import build
from ledger import Limits
from store import MemoryStore
from tests.graph.instrumented import CRITERIA, GOAL, finding, moves
from tests.scripted import Scripted, four

TURNS, REPEATS = 50, 5
NODES = (answer, ask, asking, intake, specialist, supervisor)


class Meter:
    """Seconds spent in the functions that it wraps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, function: Any) -> Any:
        def timed(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                self.seconds += time.perf_counter() - began

        return timed


@contextlib.contextmanager
def metered() -> Iterator[Meter]:
    """Time the instruments of every node."""
    meter = Meter()
    with contextlib.ExitStack() as stack:
        for node in NODES:
            for name in ("tell", "watch"):
                if hasattr(node, name):
                    stack.enter_context(patch.object(node, name, meter.around(getattr(node, name))))
        yield meter


@contextlib.contextmanager
def configured() -> Iterator[None]:
    """Send spans and figures to readers in memory."""
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    meters = MeterProvider([InMemoryMetricReader()])
    telemetry._histogram.cache_clear()
    with patch.object(trace, "get_tracer", tracers.get_tracer), patch.object(metrics, "get_meter", meters.get_meter):
        yield
    telemetry._histogram.cache_clear()


async def _share(turns: int, seed: int) -> tuple[float, float]:
    """Return the instruments' part of a run, and milliseconds per hop."""
    with metered() as meter:
        limits = Limits(max_hops=turns + 10)
        desk = build(
            model=Scripted(*moves(turns)), store=MemoryStore(), specialists=four(finding(seed=seed)), checkpointer=InMemorySaver(), limits=limits
        )
        config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 10_000}
        began = time.perf_counter()
        await desk.ainvoke({"goal": GOAL, "criteria": CRITERIA}, config)
        spent = time.perf_counter() - began
    return meter.seconds / spent, 1000 * spent / turns


def instruments(turns: int = TURNS, repeats: int = REPEATS) -> dict[str, float]:
    """Return the medians: milliseconds of a hop, and the instruments' share with telemetry off and on."""
    off = [asyncio.run(_share(turns, seed)) for seed in range(repeats)]
    with configured():
        on = [asyncio.run(_share(turns, seed)) for seed in range(repeats, 2 * repeats)]
    return {
        "hop_ms": round(median(ms for _, ms in off), 2),
        "share_off": round(median(share for share, _ in off), 4),
        "share_on": round(median(share for share, _ in on), 4),
    }
