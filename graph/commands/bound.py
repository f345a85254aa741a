"""`bound`: the worst case of the router's prompt, from the contracts alone."""

import argparse
import sys

from agents.registry import SPECIALISTS
from agents.settings import loaded
from contracts import registry_of
from graph.cli import print_json
from graph.settings import DeskSettings
from ledger import RULES, RosterLine, bound
from ledger.render import system_tokens


async def main(options: argparse.Namespace) -> int:
    """Print the sum, per hop and at the compaction limit."""
    registry_of(SPECIALISTS)
    lines = [RosterLine(name=item.name, description=item.description, after=item.after) for item in SPECIALISTS]
    limits = loaded(DeskSettings).limits(SPECIALISTS)
    worst = bound(system_tokens(lines, RULES), [line.name for line in lines], limits)
    if options.json:
        parts = {part.name: part.tokens for part in worst.parts}
        print_json({"parts": parts, "least": worst.least, "per_hop": worst.per_hop, "budget": worst.budget, "at": {n: worst.at(n) for n in (1, 15, 50, 500)}})
        return 0
    width = max(len(part.name) for part in worst.parts)
    rows = [f"{part.name:<{width}} {part.tokens:>6}" for part in worst.parts]
    rows += [f"{'least budget':<{width}} {worst.least:>6}", f"{'each further step':<{width}} {worst.per_hop:>6}", f"{'budget':<{width}} {worst.budget:>6}"]
    rows += [f"worst prompt at turn {n}: {worst.at(n)} tokens" for n in (1, 15, 50, 500)]
    sys.stdout.write("\n".join(rows) + "\n")
    return 0
