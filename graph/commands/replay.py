"""`replay`: rebuild the prompts of a ledger file and compare hashes, or ask decisions again."""

import argparse
import asyncio
import sys
from dataclasses import asdict
from typing import Any

from agents.registry import SPECIALISTS
from contracts import InputError
from graph.cli import print_json
from graph.context import Context
from graph.desk import desk_of
from graph.files import LedgerFile, load
from graph.replaying import reask
from ledger import Rebuilt, rebuild
from ledger.replay import rebuild_all

JSON = dict[str, Any]


async def main(options: argparse.Namespace) -> int:
    """Return 0 when every prompt rebuilds byte-equal, else 1."""
    file = await asyncio.to_thread(load, options.file)
    last = file.ledger["counts"]["decisions"]
    if options.decision is not None and not 1 <= options.decision <= last:
        raise InputError(f"there is no decision {options.decision}: the ledger has {last}")
    if options.decision is None:
        built = list(rebuild_all(file.ledger, file.artifacts, file.archives))
    else:
        built = [rebuild(file.ledger, file.artifacts, options.decision, file.archives)]
    rows = [await _row(file, item, options) for item in built]
    if options.json:
        print_json({"case": file.ledger["case"], "decisions": rows, "same": all(row["same"] for row in rows)})
    else:
        sys.stdout.write("\n".join(_line(row) for row in rows) + "\n")
        if options.decision and not options.ask:
            prompt = built[0].prompt
            sys.stdout.write(f"\n{prompt.system}\n\n{prompt.user}\n")
    return 0 if all(row["same"] for row in rows) else 1


async def _row(file: LedgerFile, built: Rebuilt, options: argparse.Namespace) -> JSON:
    row: JSON = {"n": built.n, "same": built.same, "recorded": built.recorded, "rebuilt": built.prompt.sha256, "tokens": built.prompt.tokens}
    if options.ask:
        router = desk_of(SPECIALISTS).router(Context(router_model=options.model))
        row["asked"] = asdict(await reask(file, built.n, options.ask, router))
    return row


def _line(row: JSON) -> str:
    mark = "same" if row["same"] else "DIFFERENT"
    asked = row.get("asked")
    told = f"  asked {asked['asked']} times, {asked['matched']} the same ({asked['match_rate']:.0%})" if asked else ""
    return f"decision {row['n']:>4}  {row['rebuilt'][:12]}  {mark}{told}"
