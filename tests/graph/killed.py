"""One process of a desk that may be killed at a named point: `python -m tests.graph.killed FOLDER`, with KILL_AT=point:times.

Starts the case or goes on with it, answers its question, and writes the final state to FOLDER/final.json.
"""

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from agents.specialist import Task
from contracts import Handle, Return
from graph.workflow import build
from ledger import Limits
from store.sqlite import SqliteStore
from tests.scripted import Count, Scripted, ask, dispatch, finish, four

POINTS = ("router", "routed", "started", "stored", "returning", "put", "kept", "answering")
POINT, _, TIMES = os.environ.get("KILL_AT", ":").partition(":")
LEFT = [int(TIMES or 0)]


def reach(point: str) -> None:
    """Die here if this is the point, for the time that was asked for."""
    if point == POINT:
        LEFT[0] -= 1
        if LEFT[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Kept(SqliteStore):
    """The store with its points."""

    async def put(self, case: str, body: bytes | str, **more: Any) -> Handle:
        reach("answering" if more["stem"] == "R1" else "put")
        handle = await super().put(case, body, **more)
        reach("kept")
        return handle


def route(system: str, user: str) -> str:
    """Decide from the prompt alone: a fan-out, five single steps, a question, the end."""
    reach("router")
    numbers = [int(n) for n in re.findall(r"^(\d+) \w+ (?:done|blocked|partial|failed)", user.split("STEPS\n")[1], re.M)]
    last = max(numbers, default=0)
    if "\nQUESTIONS\n" in user:
        said = ask()
    elif last == 0:
        said = dispatch(("permits", "c1: look at 1 Elm St"), ("potholes", "c1: look at 2 Elm St"), ("sanitation", "c1: look at 3 Elm St"))
    elif last < 7:
        said = dispatch(("housing", "c1: which flat") if last == 6 else ("permits", f"c1: look at {last + 1} Elm St"))
    elif last == 7:
        said = dispatch(("housing", "c2: the flat is known now"))
    else:
        said = finish()
    reach("routed")
    return said


async def work(task: Task) -> Return:
    """Do one step, with its side effect noted under the step's key."""
    reach("started")
    folder = Path(os.environ["FOLDER"])
    with (folder / "effects").open("a") as effects:
        effects.write(task.key.partition("/")[2] + "\n")
    handle = await task.put(f"Record 10100{task.step:04d} about: {task.ask}", kind="note", description=f"Note of step {task.step}")
    reach("stored")
    asking = ["Which flat?"] if task.step == 7 else []
    made = task.returned(
        "blocked" if asking else "done",
        f"Record 10100{task.step:04d}",
        f"Record 10100{task.step:04d} is on file.",
        Count(count=task.step),
        [handle],
        asking,
    )
    reach("returning")
    return made


async def main(folder: Path) -> None:
    """Run or resume the case in this folder, and write what it came to."""
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        store = Kept(folder / "artifacts.db")
        graph = build(model=Scripted(answer=route), store=store, specialists=four(work), checkpointer=saver, limits=Limits())
        config: Any = {"configurable": {"thread_id": "t"}}
        state = await graph.aget_state(config)
        if ledger := state.values.get("ledger"):
            done = {step["n"]: step for step in ledger["steps"] if step["status"] != "pending"}
            with (folder / "journal").open("a") as journal:
                journal.write(json.dumps(done) + "\n")
        given: Any = None if state.next else {"goal": "rats at 5 Elm St", "criteria": ["one", "two"]}
        while not (folder / "final.json").exists():
            if state.interrupts:
                given = Command(resume="flat 2")
            result = await graph.ainvoke(given, config, durability="sync")
            state = await graph.aget_state(config)
            if not state.interrupts:
                (folder / "final.json").write_text(json.dumps(result))
        await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
