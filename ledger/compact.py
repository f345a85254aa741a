"""Compaction, the backstop: older turns fold into one line per specialist and go to the store whole.

Deterministic and lossless. Goal, criteria and questions stay; what the guard needs to catch repeats stays.
"""

from dataclasses import dataclass
from typing import Any

from ledger import share
from ledger.criteria import alias_order
from ledger.events import MAX_OPEN_QUESTIONS
from ledger.guard import SEEN, TRAILED
from ledger.keys import ask_key, echo_key
from ledger.render import render
from ledger.seal import canonical
from ledger.view import known_aliases, latest_steps

JSON = dict[str, Any]
MAX_SEEN = 128
"""Archived asks of which the guard still knows that they were made."""
TRAIL = 12
"""Archived steps of which the guard still knows what they said."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a compaction takes out of the ledger."""

    upto_step: int
    upto_decision: int
    before: int
    """The decision that is about to be made."""
    body: bytes
    """Steps, decisions, closed questions and handles as canonical JSON, to be stored before the event is recorded."""
    removed: tuple[str, ...]
    """Handles that leave the index with it."""

    @property
    def stem(self) -> str:
        """Alias under which the stretch is stored."""
        return f"L{self.upto_step}"


def compact(ledger: JSON, artifacts: JSON, budget: int | None = None) -> Stretch | None:
    """Return the stretch to archive so that the prompt fits the budget, or None when it fits or nothing is left to archive.

    The last `stall` steps stay where there is room for them, the last dispatch always does.
    """
    most = (budget or ledger["setup"]["limits"]["budget"]) - share.CORRECTION
    if render(ledger, artifacts).tokens <= most:
        return None
    steps, latest = ledger["steps"], len(latest_steps(ledger))
    stretch = None
    for keep in sorted({max(ledger["setup"]["limits"]["stall"], latest), latest}, reverse=True):
        upto = _decision_edge(steps, max(0, len(steps) - keep))
        if not upto:
            continue
        stretch, after = _stretch(ledger, artifacts, steps[:upto])
        if render(after, artifacts).tokens <= most:
            break
    return stretch


def _decision_edge(steps: list[JSON], upto: int) -> int:
    """Move a cut back so that it does not split the steps of one decision."""
    while upto and steps[upto - 1]["decision"] == steps[upto]["decision"]:
        upto -= 1
    return upto


def _stretch(ledger: JSON, artifacts: JSON, gone: list[JSON]) -> tuple[Stretch, JSON]:
    """Return the stretch of these steps, and the ledger as it will be once it is archived."""
    marks = {"upto_step": gone[-1]["n"], "upto_decision": gone[-1]["decision"], "before": ledger["counts"]["decisions"] + 1}
    previous = ledger["archive"][-1]["handle"] if ledger["archive"] else None
    after = compacted(ledger, {**marks, "handle": f"L{marks['upto_step']}", "previous": previous})
    kept = known_aliases(after) | {alias for step in after["steps"] for alias in step["handed"]}
    removed = tuple(sorted((alias for alias in artifacts if alias not in kept), key=alias_order))
    body = {
        "case": ledger["case"],
        "previous": previous,
        **marks,
        "steps": gone,
        "decisions": [item for item in ledger["decisions"] if item["n"] <= marks["upto_decision"]],
        "questions": [item for item in ledger["questions"] if item not in after["questions"]],
        "artifacts": {alias: artifacts[alias] for alias in removed},
    }
    return Stretch(**marks, body=canonical(body), removed=removed), after


def compacted(ledger: JSON, entry: JSON) -> JSON:
    """Fold steps and decisions up to the entry's marks into one line per specialist."""
    gone = [item for item in ledger["steps"] if item["n"] <= entry["upto_step"]]
    summaries = {item["specialist"]: item for item in ledger["summaries"]}
    seen = dict(ledger["seen"])
    for step in gone:
        summaries[step["specialist"]] = summed(summaries.get(step["specialist"]), step)
        key = ask_key(step["specialist"], step["ask"])
        before: JSON = dict(zip(SEEN, seen.pop(key), strict=True)) if key in seen else {"times": 0, "handed": []}
        # Of artifacts the newest: older ones are not new to anybody. The goal and an earlier case have low numbers and stay.
        handed = sorted({*before["handed"], *step["handed"]}, key=lambda alias: (alias[0] == "A", *alias_order(alias)))
        handed = [alias for place, alias in enumerate(handed) if alias[0] != "A" or place >= len(handed) - 8]
        known = {**step, "times": before["times"] + 1, "handed": handed}
        seen[key] = [known[name] for name in SEEN]
    closed = [item["id"] for item in ledger["questions"] if _is_over(item, entry)][:-MAX_OPEN_QUESTIONS]
    trail = [[{**item, "echo": echo_key(item)}[key] for key in TRAILED] for item in gone]
    return {
        **ledger,
        "steps": [item for item in ledger["steps"] if item["n"] > entry["upto_step"]],
        "decisions": [item for item in ledger["decisions"] if item["n"] > entry["upto_decision"]],
        "questions": [item for item in ledger["questions"] if item["id"] not in closed],
        "summaries": [summaries[name] for name in sorted(summaries)],
        "seen": dict(sorted(seen.items(), key=lambda item: item[1][0])[-MAX_SEEN:]),
        "trail": [*ledger["trail"], *trail][-TRAIL:],
        "counts": {**ledger["counts"], "compactions": ledger["counts"]["compactions"] + 1},
        "archive": [entry],
    }


def _is_over(question: JSON, entry: JSON) -> bool:
    """Say whether a question may go with its stretch: it is closed, and a router that dispatched since has read the answer."""
    return bool(question["status"] != "open" and question["after"] <= entry["upto_decision"])


def summed(summary: JSON | None, step: JSON) -> JSON:
    """Add one step to its specialist's line; counts add up, so no summary is ever summarised again."""
    base = summary or {
        "specialist": step["specialist"],
        "steps": 0,
        "done": 0,
        "partial": 0,
        "blocked": 0,
        "failed": 0,
        "failed_steps": [],
        "headline": "",
    }
    status = step["status"] if step["status"] in ("done", "partial", "blocked") else "failed"
    failed = [*base["failed_steps"], step["n"]][-2:] if status == "failed" else base["failed_steps"]
    return {**base, "steps": base["steps"] + 1, status: base[status] + 1, "failed_steps": failed, "headline": step["headline"] or base["headline"]}
