"""Run the benchmark: the same scripted work through every supervisor, figures side by side, `.out/bench.json` and two plots."""

import argparse
import asyncio
import datetime as dt
import json
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.bench.budgets import budget_rows
from tests.bench.core import hop_ms
from tests.bench.flight import in_flight
from tests.bench.instruments import instruments
from tests.bench.measure import CACHED_PRICE, ROOT, Times, clock, count, footprint, timings
from tests.bench.peers import PEERS
from tests.bench.plot import draw
from tests.bench.store import store_rows

TURNS = (15, 50)
LONG_TURNS = (200, 1_000)
OURS = "ledger"
PAIRED = "tutorial"
"""The peer whose time per hop in the same round is the measure of the others."""
PACKAGES = ("langgraph", "langgraph-supervisor", "deepagents", "langchain", "bpe-openai")


async def run(peers: list[str], repeats: int, progress: Progress) -> list[dict[str, Any]]:
    """Measure every peer; timed runs go through the peers forwards and backwards in turn, so that drift hits all alike.

    Very long runs of our own are timed once: bare in the counted run, with a saver in the process that measures memory.
    """
    jobs = [(name, turns) for turns in TURNS for name in peers]
    long = [(OURS, turns) for turns in LONG_TURNS if OURS in peers]
    bar = progress.add_task("", total=(2 + repeats) * len(jobs) + 2 * len(long))
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    times = {job: Times() for job in (*jobs, *long)}

    def say(doing: str, job: tuple[str, int]) -> None:
        progress.update(bar, advance=1, description=f"{doing}: {job[0]}, {job[1]} turns")

    for job in (*jobs, *long):
        say("counting tokens", job)
        rows[job] = await count(*job)
    for repeat in range(repeats):
        for job in jobs if repeat % 2 == 0 else reversed(jobs):
            say(f"timing, round {repeat + 1}", job)
            await clock(*job, times[job], saved_first=repeat % 2 == 1)
    for job in (*jobs, *long):
        say("memory and checkpoints", job)
        used = await asyncio.to_thread(footprint, *job)
        alone = used.pop("hop_ms")
        if job in long:
            times[job] = Times([rows[job]["counted_hop_ms"]], [alone])
        rows[job] |= timings(times[job], times.get((PAIRED, job[1]))) | used
    return sorted(rows.values(), key=lambda row: (peers.index(row["peer"]), row["turns"]))


def tables(rows: list[dict[str, Any]]) -> list[Table]:
    """Return the figures as two tables, each narrow enough for a terminal."""
    tokens = Table("peer", title="Exact tokens into the centre on the same scripted work")
    price = Table("peer", title="Cost of the centre's input with caching, time (x: against tutorial), checkpoints, memory")
    for heading in ("turns", "at 1", "at 15", "last", "total", "slope", "extra calls", "run tokens"):
        tokens.add_column(heading, justify="right")
    for heading in ("turns", "perfect cache", "1,024 rule", "hop ms", "x", "with saver", "x", "checkpoint MB", "peak MB"):
        price.add_column(heading, justify="right")
    for row, following in zip(rows, [*rows[1:], {"peer": ""}], strict=True):
        at, end = row["tokens_at"], row["peer"] != following["peer"]
        head = (row["peer"], f"{row['turns']:,}")
        last = [f"{at[mark]:,}" for mark in ("1", "15", str(row["turns"]))]
        totals = [f"{row['total']:,}", f"{row['slope']:,.1f}", f"{row['extra_calls']:,}", f"{row['run_tokens']:,}"]
        tokens.add_row(*head, *last, *totals, end_section=end)
        hops = [_spread(row, "hop_ms"), _ratio(row["hop_ratio"]), _spread(row, "hop_ms_saver"), _ratio(row["hop_ratio_saver"])]
        space = [f"{row['checkpoint_bytes'] / 1e6:.2f}", f"{row['peak_mb']:.1f}"]
        price.add_row(*head, f"{row['cost']['perfect']:,}", f"{row['cost']['openai']:,}", *hops, *space, end_section=end)
    return [tokens, price]


def beside(parts: dict[str, Any]) -> Table:
    """Return what the parts cost: the pure core, the instruments, the store beside its bare client."""
    table = Table("part", title="What the parts cost")
    table.add_column("figure", justify="right")
    core, share = parts["core_hop_ms"], parts["instruments"]
    table.add_row("fold + render + judge for one hop at 100 steps", f"{core['median']:.2f} ms median, {core['least']:.2f} least")
    table.add_row("instruments in a hop without latency, telemetry off / on", f"{share['share_off']:.1%} / {share['share_on']:.1%}")
    many = parts["in_flight"]
    table.add_row(f"peak memory of a run, {many['in_flight']:,} in flight with a saver", f"{many['kb_each']} KB")
    for row in parts["store"]:
        table.add_row(f"{row['what']}, against the bare client", f"{row['ratio']:.2f}")
    return table


def prices(rows: list[dict[str, Any]]) -> Table:
    """Return what the router's input costs by prompt budget."""
    table = Table("budget", title=f"The price of the prompt budget at {rows[0]['turns']} turns, in fresh-token equivalents")
    for heading in ("longest prompt", "no cache", "perfect cache", "1,024 rule"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*(f"{value:,}" for value in (row["budget"], row["highest"], *(row["cost"][rule] for rule in ("none", "perfect", "openai")))))
    return table


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _spread(row: dict[str, Any], key: str) -> str:
    low, high = row[f"{key}_range"]
    return f"{row[key]:.1f} ({low:.1f}-{high:.1f})"


def main() -> None:
    """Parse arguments, measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), metavar="PEER", help=f"any of: {', '.join(PEERS)}")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each peer (default 5)")
    parser.add_argument("--out", type=Path, default=ROOT / ".out", help="folder for bench.json and the two plots")
    options = parser.parse_args()
    begun, console = time.perf_counter(), Console()
    console.width = max(console.width, 140)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        rows = asyncio.run(run(options.peers, options.repeats, progress))
    parts: dict[str, Any] = {
        "core_hop_ms": hop_ms(),
        "instruments": instruments(),
        "store": store_rows(),
        "budgets": asyncio.run(budget_rows()),
        "in_flight": in_flight(),
    }
    console.print(*tables(rows), beside(parts), prices(parts["budgets"]))
    options.out.mkdir(parents=True, exist_ok=True)
    about = {
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: version(name) for name in PACKAGES},
        "vocabulary": "o200k",
        "cached_price": CACHED_PRICE,
        "repeats": options.repeats,
        "tuning": {name: PEERS[name].tuning for name in options.peers},
        "seconds": round(time.perf_counter() - begun),
    }
    apart = [row for row in rows if PEERS[row["peer"]].lossy]
    rows = [row for row in rows if row not in apart]
    (options.out / "bench.json").write_text(json.dumps({**about, "rows": rows, "lossy_rows": apart, **parts}, indent=1))
    for theme in ("light", "dark"):
        (options.out / f"bench-{theme}.svg").write_text(draw(rows, max(TURNS), theme))
    console.print(f"{about['seconds']} s; figures in {options.out / 'bench.json'}, plots beside it")


if __name__ == "__main__":
    main()
