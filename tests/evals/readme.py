"""What the README shows of an evaluation: pure functions from the figures in `.out/` to Markdown."""

from collections.abc import Mapping
from typing import Any

JSON = Mapping[str, Any]
_SETS = {
    "desk": "the project's own set",
    "held_out": "held out: follow-ups, adversarial, ambiguous, several at once",
    "complaints": "real complaints",
    "scenarios": "multi-department scenarios",
}


def texts(found: JSON) -> str:
    """Return the scores of each set through the desk."""
    lines = ["| texts | items | right first choice | exact set | Jaccard (accepted extras forgiven) | recall |", "|---|---|---|---|---|---|"]
    for name, row in found["sets"].items():
        scores = [f"{row['first']:.2f}", f"{row['exact']:.2f}", f"{row['jaccard']:.2f} ({row['jaccard_credited']:.2f})", f"{row['recall']:.2f}"]
        lines.append(_line(_SETS.get(name, name), row["items"], *scores))
    return "\n".join(lines)


def by_depth(found: JSON) -> str:
    """Return accuracy and wrong ends at hop 2, 12 and 25."""
    hops = [f"at hop {hop}" for hop in found["depth"]["hops"]]
    lines = [f"| {found['model']} | {' | '.join(hops)} | late minus early, 95 % |", "|---|---|---|---|---|"]
    for name, row in (("right next choice", found["depth"]), *((f"{kind} finish", row) for kind, row in found["finish"].items())):
        low, high = row["interval"]
        parts = [f"{row[part]:.2f}" for part in ("early", "middle", "late")]
        lines.append(_line(name, *parts, f"{row['difference']:+.2f} ({low:+.2f} to {high:+.2f})"))
    return "\n".join(lines)


def seconds(found: JSON) -> str:
    """Return seconds per decision on the small local model."""
    names = {"ledger": "ledger", "transcript": "transcript", "messages": "last messages only"}
    lines = ["| prompt | turn | tokens | prefill, s | prefill after the turn before, s | decision, s (cached) |", "|---|---|---|---|---|---|"]
    for row in found["rows"]:
        first, then, cold, warm = (row.get(key, "") for key in ("prefill_s", "cached_prefill_s", "seconds", "cached_seconds"))
        shown = (first, then, f"{cold} ({warm})") if row["fits"] else ("does not fit", "", "")
        lines.append(_line(names[row["prompt"]], row["turn"], row["tokens"], *shown))
    return "\n".join(lines)


def _line(*cells: Any) -> str:
    return f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else str(cell) for cell in cells)} |"
