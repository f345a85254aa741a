"""The command line: arguments in, one function per command, an exit code out. Errors are one line, never a traceback."""

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from contracts import DeskError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 for an honest failure, 2 for wrong usage, 130 when interrupted."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s", stream=sys.stderr)
    try:
        command = import_module(f"graph.commands.{options.command}")
        return int(asyncio.run(command.main(options)))
    except DeskError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2 if isinstance(error, ValueError) else 1
    except OSError as error:
        sys.stderr.write(f"error: {error.strerror or error}: {error.filename or ''}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m graph", description="A desk that routes from a ledger, never from history.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="one complaint through the desk")
    run.add_argument("goal", nargs="?", default="@one", help="the complaint; @one and @several are samples; - reads standard input")
    run.add_argument("--json", action="store_true", help="print answer, status, ledger, artifacts and metrics as JSON")
    run.add_argument("--criteria", nargs="+", metavar="TEXT", help="completion criteria, at most 12")
    run.add_argument("--save", type=Path, metavar="FILE", help="write the ledger file there as well")
    run.add_argument("--no-ask", action="store_true", help="do not wait for answers: open questions lapse")
    replay = commands.add_parser("replay", help="rebuild a decision's prompt, or ask it again")
    replay.add_argument("file", type=Path)
    replay.add_argument("--decision", type=int, metavar="K", help="one decision; left out, all")
    replay.add_argument("--ask", type=int, default=0, metavar="N", help="ask again N times and show the match rate")
    replay.add_argument("--model", metavar="NAME", help="model to ask in place of the configured one")
    replay.add_argument("--json", action="store_true")
    report = commands.add_parser("report", help="one self-contained HTML page of a ledger file")
    report.add_argument("file", type=Path)
    report.add_argument("-o", "--output", type=Path, default=Path("report.html"))
    bound = commands.add_parser("bound", help="worst case of the router's prompt, from the contracts alone")
    bound.add_argument("--json", action="store_true")
    new = commands.add_parser("specialist", help="write a new specialist, its test and its registry line")
    new.add_argument("name", help="lower-case letters, digits, _ and -, at most 64 characters")
    new.add_argument("--description", default="", metavar="TEXT", help="what it covers, one line of at most 40 tokens")
    records = commands.add_parser("records", help="make the sample city, or import real records")
    records.add_argument("action", choices=["sample", "import"])
    records.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="folder of CSV files to import")
    records.add_argument("--force", action="store_true", help="let the sample city replace imported records")
    sweep = commands.add_parser("sweep", help="remove artifacts of idle cases without a ledger file")
    sweep.add_argument("--idle", type=float, metavar="DAYS", help="least days without activity; left out, DESK_RETENTION")
    sweep.add_argument("--dry-run", action="store_true", help="only name the cases; threads of servers are not seen, only files")
    return parser


def print_json(value: object) -> None:
    """Write one JSON document to standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
