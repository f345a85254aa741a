"""`records`: make the seeded sample city, or import real records with their rejects listed."""

import argparse
import asyncio
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID

from agents.city.records import RECORDS_FILE, RecordsError, import_records, make_sample, open_records
from agents.model.settings import loaded
from contracts import InputError
from graph.settings import DeskSettings


async def main(options: argparse.Namespace) -> int:
    """Write the records database of the home folder."""
    home = loaded(DeskSettings).home
    home.mkdir(parents=True, exist_ok=True)
    path = home / RECORDS_FILE
    if options.action == "sample":
        if not options.force and path.exists() and origin_of(path) == "import":
            raise InputError(f"{path} holds imported records: add --force to replace them by the sample city")
        await asyncio.to_thread(make_sample, path)
        sys.stdout.write(f"sample city written to {path}\n")
        return 0
    if options.folder is None:
        raise InputError("records import needs the folder of the CSV files: python -m graph records import DIR")
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as bars:
        known: dict[str, TaskID] = {}

        def step(file: str, done: int, total: int) -> None:
            if file not in known:
                known[file] = bars.add_task(file, total=total)
            bars.update(known[file], completed=done, total=total)

        report = await asyncio.to_thread(import_records, options.folder, path, step)
    lines = [f"{count:>7} {table}" for table, count in report.counts.items()]
    lines += [f"{count:>7} rows of {file} left out: {cause}" for file, causes in report.causes.items() for cause, count in causes.items()]
    lines += [f"{report.without_coordinates:>7} rows kept without coordinates: these lie outside the city"] if report.without_coordinates else []
    lines += [f"rows left out are listed in {report.rejects}"] if report.rejects else []
    sys.stdout.write("\n".join([*lines, f"records lie in {path}"]) + "\n")
    return 0


def origin_of(path: Path) -> str:
    """Return what the records database was made from: `sample` or `import`; a damaged one may be replaced."""
    try:
        return str(open_records(path).rows("SELECT value FROM meta WHERE name = 'origin'")[0]["value"])
    except (RecordsError, LookupError):
        return "damaged"
