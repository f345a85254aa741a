"""Compaction, the backstop: older turns fold into one line per specialist and go to the store whole.

Deterministic and lossless. Goal, criteria and questions stay; what the guard needs to catch repeats stays.
"""

from dataclasses import dataclass
from typing import Any

from ledger import apply
from ledger.check import canonical
from ledger.render import render
from ledger.view import known_aliases, latest_steps

JSON = dict[str, Any]


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
    most = budget or ledger["setup"]["limits"]["budget"]
    if render(ledger, artifacts).tokens <= most:
        return None
    steps, latest = ledger["steps"], len(latest_steps(ledger))
    stretch = None
    for keep in sorted({max(ledger["setup"]["limits"]["stall"], latest), latest}, reverse=True):
        if len(steps) <= keep:
            continue
        upto = _decision_edge(steps, len(steps) - keep)
        if not upto:
            continue
        stretch = _stretch(ledger, artifacts, steps[:upto])
        if render(preview(ledger, stretch), artifacts).tokens <= most:
            break
    return stretch


def preview(ledger: JSON, stretch: Stretch) -> JSON:
    """Return the ledger as it will be once the stretch is archived."""
    entry = {"upto_step": stretch.upto_step, "upto_decision": stretch.upto_decision, "before": stretch.before, "handle": stretch.stem, "previous": None}
    return apply.compacted(ledger, entry)


def _decision_edge(steps: list[JSON], upto: int) -> int:
    """Move a cut back so that it does not split the steps of one decision."""
    while 0 < upto < len(steps) and steps[upto - 1]["decision"] == steps[upto]["decision"]:
        upto -= 1
    return upto


def _stretch(ledger: JSON, artifacts: JSON, gone: list[JSON]) -> Stretch:
    last = gone[-1]
    before = ledger["counts"]["decisions"] + 1
    stretch = Stretch(last["n"], last["decision"], before, b"", ())
    after = preview(ledger, stretch)
    kept = known_aliases(after) | {alias for step in after["steps"] for alias in step["handed"]}
    removed = tuple(alias for alias in artifacts if alias not in kept)
    body = {
        "case": ledger["case"],
        "previous": ledger["archive"][-1]["handle"] if ledger["archive"] else None,
        "upto_step": last["n"],
        "upto_decision": last["decision"],
        "before": before,
        "steps": gone,
        "decisions": [item for item in ledger["decisions"] if item["n"] <= last["decision"]],
        "questions": [item for item in ledger["questions"] if item not in after["questions"]],
        "artifacts": {alias: artifacts[alias] for alias in removed},
    }
    return Stretch(last["n"], last["decision"], before, canonical(body), removed)
