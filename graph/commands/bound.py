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
        sizes = {n: worst.at(n) for n in (1, 15, 50, 500)}
        print_json({"parts": parts, "least": worst.least, "per_hop": worst.per_hop, "budget": worst.budget, "at": sizes})
        return 0
    width = max(len(part.name) for part in worst.parts)
    rows = [f"{part.name:<{width}} {part.tokens:>6}" for part in worst.parts]
    sums = {"least budget": worst.least, "each further step": worst.per_hop, "budget": worst.budget}
    rows += [f"{name:<{width}} {tokens:>6}" for name, tokens in sums.items()]
    rows += [f"worst prompt at turn {n}: {worst.at(n)} tokens" for n in (1, 15, 50, 500)]
    sys.stdout.write("\n".join(rows) + "\n")
    return 0
