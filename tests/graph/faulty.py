"""A desk whose router and work are known, hooks that break its store before a given step, and what must hold afterwards."""

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from agents.model.record_ids import RECORD_ID
from agents.specialist import Task
from contracts import Return
from graph.workflow import build
from store import ArtifactStore
from tests.scripted import Count, Scripted, ask, dispatch, finish, four

JSON = dict[str, Any]
Hook = Callable[[], Awaitable[Any]]
MARK = "bulk-7f3a"
"""In every body, and nowhere else."""
NAMES = ("potholes", "permits", "sanitation", "housing")
CRITERIA = [f"{name} at 12 Elm St" for name in NAMES]
GOAL = "Something is wrong at 12 Elm St"
THREAD: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 1000}


def route(system: str, user: str) -> str:
    """Send the first open criterion to the specialist that its text names; ask what is to be asked; finish when none is open."""
    if re.search("^QUESTIONS$", user, re.M):
        return ask()
    now = re.search("^NOW (.*)$", user, re.M)
    for item in now.group(1).split("; ") if now else []:
        name, status = item.split()[:2]
        if status == "open":
            text = re.search(rf'^{name} \S+ "(\w+)', user, re.M)
            return dispatch((text.group(1) if text else "", f"{name}: look"))
    return finish()


def working(hooks: Mapping[int, Hook], size: int) -> Callable[[Task], Awaitable[Return]]:
    """Return work that stores one body of `size` bytes after the hook of its step."""

    async def work(task: Task) -> Return:
        if task.step in hooks:
            await hooks[task.step]()
        record = f"10100{task.step:04d}"
        body = f"{MARK} of step {task.step}\n- {record}: a record of {task.specialist.name}\n".ljust(size, chr(96 + task.step))
        handle = await task.put(body, kind="note", description=f"note of step {task.step}")
        return task.returned("done", f"record {record} found", f"The record {record} is on file.", Count(count=1), [handle])

    return work


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    values: JSON
    seconds: float
    saver: InMemorySaver
    graph: CompiledStateGraph[Any, Any, Any, Any]

    @property
    def ledger(self) -> JSON:
        """The ledger at the end."""
        found: JSON = self.values["ledger"]
        return found

    @property
    def statuses(self) -> list[str]:
        """The status of each step."""
        return [step["status"] for step in self.ledger["steps"]]


async def run(store: ArtifactStore, hooks: Mapping[int, Hook] | None = None, *, size: int = 2_000, router: Any = route, **given: Any) -> Ended:
    """Run a case of four criteria to its end."""
    saver = InMemorySaver()
    specialists, criteria = given.pop("specialists", None) or four(working(hooks or {}, size)), given.pop("criteria", CRITERIA)
    graph = build(model=Scripted(answer=router), store=store, specialists=specialists, checkpointer=saver, **given)
    started = time.monotonic()
    values = await graph.ainvoke({"goal": GOAL, "criteria": criteria}, THREAD)
    return Ended(values, time.monotonic() - started, saver, graph)


async def holds(ended: Ended, store: ArtifactStore, *, lost: tuple[str, ...] = ()) -> None:
    """Check what holds after any fault: an answer, no bulk in checkpoints, no dangling handle, nothing invented."""
    ledger, answer = ended.ledger, ended.values["answer"]
    assert ledger["status"] in ("done", "stopped") and answer
    kept = stored_bytes(ended.saver)
    assert GOAL.encode() in kept and MARK.encode() not in kept, "a body fell back into the checkpoints"
    named = {alias for step in ledger["steps"] for alias in step["artifacts"]} | set(ended.values["artifacts"])
    for alias in named - set(lost):
        await store.stat(ledger["case"], alias, verify=True)
    assert {alias for item in ledger["criteria"] if item["status"] == "met" for alias in item["evidence"]} <= named - set(lost)
    known = {f"10100{step['n']:04d}" for step in ledger["steps"] if step["status"] == "done"}
    assert set(RECORD_ID.findall(answer)) <= known, "a record that no step found"
    for item in ledger["criteria"]:
        assert item["status"] in ("met", "unsettled")
        assert item["status"] == "met" or f"{item['text']}: " in answer, "what was not settled is told with its reason"


def stored_bytes(saver: InMemorySaver) -> bytes:
    """Return all that a saver holds, serialised as it holds it."""
    values = [*saver.blobs.values(), *(part for writes in saver.writes.values() for part in writes.values())]
    threads = [entry for spaces in saver.storage.values() for entries in spaces.values() for entry in entries.values()]
    return repr((values, threads)).encode()
