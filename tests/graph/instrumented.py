"""Runs of the real graph with a scripted router and specialists that find something else each time."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from agents.specialist import Task
from contracts import Return
from graph.files import LedgerFile, collect
from graph.workflow import build
from ledger import Limits
from store import MemoryStore
from tests.ledger.metered import WORDS
from tests.scripted import Count, Scripted, dispatch, finish, four

NAMES = ("permits", "housing", "potholes", "sanitation")
GOAL = "There is a pothole in front of 12 Elm St, rats in the yard, and I want to know whether the building has permits."
CRITERIA = ["pothole at 12 Elm St", "rats in the yard", "permits of the building"]
JSON = dict[str, Any]


def finding(*, body: str = "", seed: int = 1, wait: float = 0.0) -> Callable[[Task], Awaitable[Return]]:
    """Return work that differs from step to step; one in ten is partial."""
    chance = random.Random(seed)

    async def work(task: Task) -> Return:
        a, b, c, d = chance.sample(WORDS, 4)
        if wait:
            await asyncio.sleep(wait)
        handle = await task.put(body or f"Record about {task.ask} " * 40, kind="note", description=f"Note of step {task.step} on {a}")
        if chance.random() < 0.1:
            return task.returned("partial", f"{a} records end in 2021", f"The {a} file names the {b}; nothing on the {d}.", Count(count=0), [handle])
        outcome = f"The {a} record names {b} work, closed with {c}; another entry is about the {d}."
        return task.returned("done", f"{a} and {b} on record", outcome, Count(count=chance.randrange(9)), [handle])

    return work


def moves(hops: int, *, planted: dict[int, Any] | None = None) -> list[Any]:
    """Return a router's replies: one specialist a hop, three at once at times, something planted, then finish."""
    replies: list[Any] = []
    for index in range(hops):
        name, word = NAMES[index % 4], WORDS[index % len(WORDS)]
        if planted and index in planted:
            replies.append(planted[index])
        if index % 9 == 4:
            more = [(NAMES[(index + i) % 4], f"c{i}: at {word} {index} of Elm St") for i in (1, 2)]
            replies.append(dispatch((name, f"c3: look at {word} {index} of Elm St"), *more, reason="three views at once"))
        else:
            replies.append(dispatch((name, f"c{index % 3 + 1}: look at {word} {index} of Elm St"), reason=f"{name} covers it"))
    return [*replies, finish()]


async def run(
    hops: int = 50, *, replies: Sequence[Any] = (), work: Callable[[Task], Any] | None = None, goal: str = GOAL, budget: int = 1500, **given: Any
) -> tuple[LedgerFile, list[JSON]]:
    """Run a case to its end; return its ledger file and its stream events."""
    store, events, values = given.pop("store", None) or MemoryStore(), [], {}
    desk = build(
        model=Scripted(*(replies or moves(hops))),
        store=store,
        specialists=four(work or finding()),
        checkpointer=InMemorySaver(),
        limits=Limits(budget=budget, max_hops=2000),
        **given,
    )
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 10_000}
    async for mode, chunk in desk.astream({"goal": goal, "criteria": CRITERIA}, config, stream_mode=["custom", "values"]):
        if mode == "custom":
            events.append(chunk)
        else:
            values |= chunk
    return await collect(store, values["ledger"], values["artifacts"], values.get("answer", "")), events
