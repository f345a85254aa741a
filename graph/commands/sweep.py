"""`sweep`: remove the bodies of cases that were idle for long and that no ledger file refers to."""

import argparse
import sys

from agents.model.settings import loaded
from contracts import InputError
from graph.retention import cases_of_files
from graph.settings import DeskSettings
from store.sweeping import DAY, sweep


async def main(options: argparse.Namespace) -> int:
    """Print the cases that go, one a line."""
    settings = loaded(DeskSettings)
    days = settings.retention if options.idle is None else options.idle
    if not days >= 0:
        raise InputError("--idle takes a number of days that is not negative")
    store = settings.store(settings.home)
    try:
        gone = await sweep(store, lambda: cases_of_files(store, settings.home / "ledgers"), idle=days * DAY, dry=options.dry_run)
    finally:
        await store.aclose()
    sys.stdout.write("".join(f"{case}\n" for case in gone))
    sys.stderr.write(f"{len(gone)} case(s) idle for {days:g} days and without a ledger file {'would go' if options.dry_run else 'removed'}\n")
    return 0
