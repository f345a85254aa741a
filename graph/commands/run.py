"""`run`: one complaint through the desk on the configured store, live in the terminal, then the answer."""

import argparse
import asyncio
import os
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from rich.console import Console

from agents.city.records import RECORDS_FILE, ensure_records
from agents.model.settings import ModelSettings, loaded
from contracts import InputError, SettingsError, one_line
from graph.cli import print_json
from graph.context import Context
from graph.files import LedgerFile, collect, save
from graph.keeping import reach
from graph.samples import SAMPLES
from graph.settings import DeskSettings
from graph.terminal import HopTable, closing
from ledger.figures import figures

JSON = dict[str, Any]
CODES = {"done": 0, "unsettled": 3, "stopped": 3}
"""Exit code of a run that ended with an answer, by how it ended."""


async def main(options: argparse.Namespace) -> int:
    """Run the case, answer open questions where somebody sits at the terminal, save its ledger file."""
    goal = _goal(options.goal)
    if not one_line(goal):
        raise InputError("the goal is empty: write what the resident complains about, in quotes")
    settings = loaded(DeskSettings)
    await _prepare(settings.home)
    people = sys.stdin.isatty() and not options.json and not options.no_ask
    quiet = options.json
    console = Console(stderr=True, highlight=False)
    if not quiet:
        console.print(f"router: {_model()}; store: {_kept(settings)}", style="dim", soft_wrap=True)
    store = settings.store(settings.home)
    try:
        await reach(store)
        values = await _run(goal, options.criteria, Context(ask_people=people), store, settings.home, None if quiet else HopTable(console))
        file = await collect(store, values["ledger"], values["artifacts"], values["answer"])
    finally:
        await store.aclose()
    left = any(item["status"] == "unsettled" for item in file.ledger["criteria"])
    ended = "unsettled" if left and file.ledger["status"] == "done" else file.ledger["status"]
    place = settings.home / "ledgers" / f"{file.ledger['case']}.json"
    if not options.json:
        _answer(file)
    for path in (place, *([options.save] if options.save else [])):
        await asyncio.to_thread(save, file, path)
    if options.json:
        metrics = figures(file.ledger, file.artifacts, file.archives).as_json()
        print_json({"answer": file.answer, "status": ended, "ledger": file.ledger, "artifacts": file.artifacts, "metrics": metrics})
    else:
        _show(file, ended, place, settings, console)
    return CODES[ended]


def _goal(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    if not given.startswith("@"):
        return given
    if given[1:] not in SAMPLES:
        raise InputError(f"there is no sample {given!r}: choose from {', '.join(f'@{name}' for name in SAMPLES)}")
    return SAMPLES[given[1:]]


async def _prepare(home: Path) -> None:
    """Make the home folder and, on the first run, the sample city."""
    try:
        await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
        probe = home / ".writable"
        await asyncio.to_thread(probe.touch)
        await asyncio.to_thread(probe.unlink)
    except OSError as error:
        raise SettingsError(f"the run folder {home} cannot be written ({error.strerror}): set DESK_HOME to a folder of yours") from None
    await asyncio.to_thread(ensure_records, home / RECORDS_FILE)


def _model() -> str:
    choice = loaded(ModelSettings).router()
    return (
        f"{choice.model} at {urlsplit(choice.base_url).netloc.rpartition('@')[2]}"
        if choice
        else "offline model (set OPENAI_API_KEY to use a real one)"
    )


async def _run(goal: str, criteria: list[str] | None, context: Context, store: Any, home: Path, live: HopTable | None) -> JSON:
    """Stream one case to its end, with a pause for each question to a person."""
    from graph.workflow import build

    desk = build(store=store, home=home, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "cli"}}
    given: Any = {"goal": goal, "criteria": criteria}
    values: JSON = {}
    while True:
        waiting: Any = None
        with live or nullcontext():
            chunks: Any = desk.astream(given, config, context=context, stream_mode=["custom", "values"])
            async for mode, chunk in chunks:
                if mode == "custom" and live is not None:
                    live.feed(chunk)
                elif mode == "values":
                    values = {**values, **chunk}
                    waiting = chunk.get("__interrupt__") or waiting
        if not waiting:
            return values
        given = Command(resume=await asyncio.to_thread(_ask, waiting[0].value["questions"]))


def _ask(questions: list[JSON]) -> dict[str, str]:
    answers = {}
    for item in questions:
        sys.stderr.write(f"\n{one_line(item['text'])} (Enter to skip) > ")
        sys.stderr.flush()
        answers[item["id"]] = sys.stdin.readline().strip()
    return answers


def _answer(file: LedgerFile) -> None:
    """Print the answer before anything else can fail."""
    lines = [line[: len(line) - len(line.lstrip(" "))] + one_line(line) for line in file.answer.splitlines()]
    sys.stdout.write("\n" + "\n".join(lines) + "\n\n")
    sys.stdout.flush()


def _show(file: LedgerFile, ended: str, place: Path, settings: DeskSettings, console: Console) -> None:
    counts = Counter(item["status"].replace("_", " ") for item in file.ledger["criteria"])
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    console.print(f"{ended}: {told} (exit code {CODES[ended]})", markup=False, soft_wrap=True)
    unanswered = dict.fromkeys(one_line(item["text"]) for item in file.ledger["questions"] if item["status"] == "lapsed")
    if unanswered and ended != "done":
        console.print(f"nobody answered: {' '.join(unanswered)} To go on, run it again with that in the text", markup=False, soft_wrap=True)
    for line in closing(file.ledger, file.archives, width=console.width):
        console.print(line, markup=False, soft_wrap=True)
    page = f"{os.path.relpath(sys.executable)} -m graph report {place}"
    console.print(f"ledger: {place}   artifacts: {_kept(settings)}   page: {page}", markup=False, style="dim", soft_wrap=True)


def _kept(settings: DeskSettings) -> str:
    url = settings.store_url(settings.home)
    return "Redis" if url == settings.redis_url else url
