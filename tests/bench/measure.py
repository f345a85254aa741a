"""Figures of a run: tokens per decision, totals, slope, cost under three caching rules; wall time with and without a saver."""

import gc
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.bench.counting import Call
from tests.bench.peers import PEERS, Trace

ROOT = Path(__file__).parents[2]
MARKS = (1, 5, 10, 15, 30, 50, 100, 200, 500, 1_000)
CACHED_PRICE = 0.1
"""Price of a cached input token against a fresh one: OpenAI's published rate for the GPT-5 models (0.5 for GPT-4o, 0.25 for GPT-4.1)."""
CACHE_MINIMUM, CACHE_BLOCK = 1_024, 128
"""OpenAI caches prefixes from 1,024 tokens on, in blocks of 128."""


@dataclass
class Times:
    """Milliseconds per hop over repeated runs."""

    bare: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)


def figures(trace: Trace) -> dict[str, Any]:
    """Return what one counted run cost.

    `tokens_at` and `slope` are those of the router's own calls; `total` and `cost` are the centre's, so summariser calls are in them;
    `run_tokens` are all calls, specialists included, in and out. Our desk writes its answer in one call of its own (`answer_tokens`), from
    stored artifacts; the peers' last routing call is their answer, except for the tutorial's, which writes none.
    """
    series = [call.tokens_in for call in trace.of("router")]
    extra = trace.of("extra")
    centre = [*trace.of("router"), *extra]
    return {
        "peer": trace.peer,
        "turns": trace.turns,
        "tokens_at": {str(n): series[n - 1] for n in MARKS if n <= trace.turns},
        "total": sum(call.tokens_in for call in centre),
        "router_total": sum(series),
        "slope": round(slope(series), 3),
        "slope_late": round(slope(series[len(series) // 2 :]), 3),
        "highest": max(series),
        "extra_calls": len(extra),
        "extra_tokens": sum(call.tokens_in for call in extra),
        "answer_tokens": sum(call.tokens_in for call in trace.of("answer")),
        "run_tokens": sum(call.tokens_in + call.tokens_out for call in trace.calls),
        "cost": cost(centre),
        "counted_hop_ms": round(trace.seconds / trace.turns * 1_000, 2),
        "series": series,
    }


def slope(series: list[int]) -> float:
    """Return the least-squares rise of a series, in tokens per decision."""
    return linear_regression(range(len(series)), series).slope if len(series) > 1 else 0.0


def cost(calls: list[Call]) -> dict[str, int]:
    """Return the input cost of calls in fresh-token equivalents: no cache, a perfect prefix cache, OpenAI's rule."""
    perfect = sum(call.tokens_in - (1 - CACHED_PRICE) * min(call.shared, call.tokens_in) for call in calls)
    ruled = sum(call.tokens_in - (1 - CACHED_PRICE) * _openai_cached(call) for call in calls)
    return {"none": sum(call.tokens_in for call in calls), "perfect": round(perfect), "openai": round(ruled)}


def _openai_cached(call: Call) -> int:
    shared = min(call.shared, call.tokens_in)
    return shared - shared % CACHE_BLOCK if shared >= CACHE_MINIMUM else 0


async def count(name: str, turns: int) -> dict[str, Any]:
    """Run a peer once and return its figures."""
    return figures(await PEERS[name].run(turns))


async def clock(name: str, turns: int, times: Times, *, saved_first: bool) -> None:
    """Time one run without and one with a SQLite saver, in the given order."""
    for saved in (saved_first, not saved_first):
        gc.collect()
        if saved:
            with tempfile.TemporaryDirectory() as folder:
                async with AsyncSqliteSaver.from_conn_string(str(Path(folder, "saver.sqlite"))) as saver:
                    trace = await PEERS[name].run(turns, saver, Path(folder), counted=False)
            times.saved.append(trace.seconds / turns * 1_000)
        else:
            times.bare.append((await PEERS[name].run(turns, counted=False)).seconds / turns * 1_000)


def timings(times: Times, base: Times | None = None) -> dict[str, Any]:
    """Return medians and ranges of repeated runs, and the median of each round's ratio to `base` in the same round."""
    pairs = zip(times.bare, base.bare, strict=False) if base else ()
    saved_pairs = zip(times.saved, base.saved, strict=False) if base else ()
    return {
        "hop_ratio": round(median([mine / other for mine, other in pairs] or [1.0]), 3) if base else None,
        "hop_ratio_saver": round(median([mine / other for mine, other in saved_pairs] or [1.0]), 3) if base else None,
        "hop_ms": round(median(times.bare), 2),
        "hop_ms_range": [round(min(times.bare), 2), round(max(times.bare), 2)],
        "hop_ms_saver": round(median(times.saved), 2),
        "hop_ms_saver_range": [round(min(times.saved), 2), round(max(times.saved), 2)],
    }


def footprint(name: str, turns: int) -> dict[str, Any]:
    """Return checkpoint bytes, peak memory and time with a saver of one run in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.child", name, str(turns)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{name}, {turns} turns, in a process of its own: {done.stderr.strip().splitlines()[-1]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
