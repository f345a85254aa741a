"""`bound`: the worst case of the router's prompt, from the contracts alone."""

import argparse
import sys

from agents.model.settings import loaded
from agents.registry import SPECIALISTS
from contracts import registry_of
from graph.cli import print_json
from graph.settings import DeskSettings
from ledger import RULES, Setup, check_budget
from ledger.events import roster_of
from ledger.render import worst_case

TURNS = (1, 15, 50, 500)
"""Decisions at which the worst prompt is shown."""


async def main(options: argparse.Namespace) -> int:
    """Print the sum in estimated tokens and in UTF-8 bytes, the count that no script escapes; then the worst prompt per turn."""
    registry_of(SPECIALISTS)
    limits = loaded(DeskSettings).limits(SPECIALISTS)
    worst = worst_case(Setup(roster=roster_of(SPECIALISTS), limits=limits, rules=RULES))
    check_budget(worst)
    sums = {"least budget": worst.least, "each further step": worst.per_hop, "budget": worst.budget}
    if options.json:
        parts = {part.name: {"tokens": part.tokens, "bytes": part.bytes} for part in worst.parts}
        sizes = {n: worst.at(n) for n in TURNS}
        print_json({"parts": parts, "least": worst.least, "per_hop": worst.per_hop, "budget": worst.budget, "at": sizes})
        return 0
    width = max(map(len, [*(part.name for part in worst.parts), *sums]))
    rows = [f"{'part of the prompt':<{width}} {'tokens':>7} {'bytes':>7}"]
    rows += [f"{part.name:<{width}} {part.tokens:>7,} {part.bytes:>7,}" for part in worst.parts]
    rows += [f"{name:<{width}} {tokens:>7,}" for name, tokens in sums.items()]
    rows += [f"worst prompt at turn {n}: {worst.at(n):,} tokens" for n in TURNS]
    sys.stdout.write("\n".join(rows) + "\n")
    return 0
