"""Write what the README shows of a run, of `.out/` and its plots: `python -m tests.figures` after `make bench` and `make eval`."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.evals.readme import by_depth, seconds, texts
from tests.readme import ROOT

JSON = dict[str, Any]
OUT = ROOT / ".out"
PLOTS = ROOT / "tests" / "bench" / "plots"
PEERS = {
    "ledger": "this desk",
    "ledger-functions": "this desk, specialists as functions",
    "tutorial": "hand-written LangGraph supervisor, as in tutorials",
    "supervisor-last": "langgraph-supervisor, last message",
    "supervisor-full": "langgraph-supervisor, full history",
    "supervisor-tuned": "langgraph-supervisor, no hand-off messages",
    "deepagents": "deepagents",
    "subagents": "LangChain subagents as tools",
    "subagents-summary": "the same, tight summarisation",
    "subagents-cleared": "the same, all tool results but the last cleared",
    "subagents-both": "the same, cleared and summarised",
}


def first_run(root: Path = ROOT) -> str:
    """Return what `make run` prints on a fresh clone, shortened: the hops, the head of the answer, the sums."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "DESK_", "REDIS_"))}
        command = [sys.executable, "-m", "graph", "run"]
        done = subprocess.run(command, cwd=folder, env=kept | {"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True)
    told = done.stderr.splitlines()
    end = next(place for place, line in enumerate(told) if re.match(r"\d+ hops?, ", line))
    parts = [part.splitlines()[:4] for part in done.stdout.strip().split("\n\n")]
    answer = [*(line for part in parts[:-1] for line in (*part, "")), parts[-1][0], "...", ""]
    sums = [line.partition("   page:")[0] for line in told[end:] if not line.startswith("   ")]
    return "\n".join(line[:140].rstrip() for line in ["```text", *told[:end], "", *answer, *sums, "```"])


def tokens(found: JSON) -> str:
    """Return the router's exact tokens, a row per peer."""
    lines = ["| router | prompt at turn 1 | at 15 | at 50 | all 15 turns | all 50 turns | extra model calls |", "|---|---|---|---|---|---|---|"]
    for name, label in PEERS.items():
        if name != "ledger-functions":
            short, long = _row(found, name, 15), _row(found, name, 50)
            at = [long["tokens_at"][mark] for mark in ("1", "15", "50")]
            lines.append(_line(label, *at, short["total"], long["total"], long["extra_calls"]))
    return "\n".join(lines)


def times(found: JSON) -> str:
    """Return time, checkpoints and memory at 50 turns, a row per peer."""
    lines = ["| at 50 turns | ms a hop (x tutorial) | with a SQLite saver | checkpoints, MB | peak memory, MB |", "|---|---|---|---|---|"]
    for name, label in PEERS.items():
        row = _row(found, name, 50)
        bare, saved = f"{row['hop_ms']:.1f} ({row['hop_ratio']:.2f})", f"{row['hop_ms_saver']:.1f} ({row['hop_ratio_saver']:.2f})"
        lines.append(_line(label, bare, saved, f"{row['checkpoint_bytes'] / 1e6:.1f}", f"{row['peak_mb']:.1f}"))
    return "\n".join(lines)


def budgets(found: JSON) -> str:
    """Return what the router's input costs by prompt budget."""
    rows = found["budgets"]
    head = f"| prompt budget, {rows[0]['turns']} turns | longest prompt | no cache | perfect prefix cache | 1,024-token rule |"
    lines = [head, "|---|---|---|---|---|"]
    lines += [_line(f"{row['budget']:,}", row["highest"], *(row["cost"][rule] for rule in ("none", "perfect", "openai"))) for row in rows]
    return "\n".join(lines)


def claims(found: JSON) -> str:
    """Return what the token figures allow to say, and what they do not."""
    ours, base = ({turns: _row(found, name, turns)["total"] for turns in (15, 50)} for name in ("ledger", "tutorial"))
    peers = (row for row in found["rows"] if row["turns"] == 50 and not row["peer"].startswith("ledger"))
    tuned, lossy = min(peers, key=lambda row: row["total"]), next(row for row in found["lossy_rows"] if row["turns"] == 50)
    long = [f"{row['highest']:,} tokens in {row['turns']:,} turns" for row in found["rows"] if row["peer"] == "ledger" and row["turns"] >= 200]
    return _CLAIMS.format(
        short=base[15] / ours[15],
        long=base[50] / ours[50],
        tuned=tuned["total"] / ours[50],
        label=PEERS[tuned["peer"]].replace("the same", "subagents as tools"),
        share=_row(found, "ledger", 50)["router_total"] / _row(found, "ledger", 50)["run_tokens"],
        other=_row(found, "tutorial", 50)["router_total"] / _row(found, "tutorial", 50)["run_tokens"],
        extra=tuned["extra_calls"],
        longest=" and ".join(long),
        lossy=lossy["total"],
        close=lossy["total"] / ours[50],
    )


_CLAIMS = """\
Safe to claim: this router reads {short:.1f} times less than the tutorial's over 15 turns and {long:.1f} times less over 50. Over 50 it reads
{tuned:.1f} times less than the best tuned peer ({label}; {extra} extra model calls).
Its longest prompt has {longest}; it costs no extra model call.
Of all tokens of a run of 50 turns, in and out, the router reads {share:.0%} here and {other:.0%} in the tutorial's.

Not safe: a peer that clears its tool results *and* what it asked reads {lossy:,} tokens over 50 turns, only {close:.1f} times as much. A
script routes on under that setting; a model would no longer see what it had asked, so it stands apart from the table."""


def written(text: str, blocks: dict[str, str]) -> str:
    """Return the README with these measured blocks in place.

    Raises:
        KeyError: It has no such block.
    """
    for name, content in blocks.items():
        pattern = re.compile(rf"(<!-- measured:{name} -->\n).*?(<!-- end:{name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise KeyError(f"README.md has no block measured:{name}")
        text = pattern.sub(lambda found, content=content: f"{found[1]}{content}\n{found[2]}", text)
    return text


def _row(found: JSON, name: str, turns: int) -> JSON:
    row = next((row for row in found["rows"] if (row["peer"], row["turns"]) == (name, turns)), None)
    if row is None:
        raise SystemExit(f"bench.json has no row of {name} with {turns} turns: run make bench without options")
    return dict(row)


def _line(*cells: Any) -> str:
    return f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else str(cell) for cell in cells)} |"


BLOCKS: dict[str, dict[str, Callable[[JSON], str]]] = {
    "bench.json": {"tokens": tokens, "times": times, "budgets": budgets, "claims": claims},
    "eval.json": {"routing": texts, "depth": by_depth},
    "eval-local.json": {"depth-local": by_depth},
    "latency.json": {"seconds": seconds},
}
"""By the file in `.out/` that they are written from."""


def main() -> int:
    """Write every block whose figures are there."""
    readme = ROOT / "README.md"
    text, there = written(readme.read_text("utf-8"), {"run": first_run()}), [name for name in BLOCKS if (OUT / name).exists()]
    for name in there:
        found = json.loads((OUT / name).read_text("utf-8"))
        text = written(text, {block: write(found) for block, write in BLOCKS[name].items()})
    readme.write_text(text, "utf-8")
    PLOTS.mkdir(exist_ok=True)
    for plot in OUT.glob("bench-*.svg"):
        shutil.copy(plot, PLOTS / plot.name)
    sys.stdout.write(f"README.md: a first run, {', '.join(there) or 'and no figures yet: run make bench and make eval'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
