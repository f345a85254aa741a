"""A desk whose work is known beforehand: slow specialists that write down each start and end, and a router that reads the prompt alone.

A criterion names its specialist by its first word. `north` and `south` work side by side, then `owner`, who needs a person's answer,
then `copy`, then `letter`.
"""

import asyncio
import json
import os
import re
import socket
import time
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from agents.specialist import Specialist, Task
from contracts import Facts, Return
from graph.workflow import build

PHASES = (("north", "south"), ("owner",), ("copy",), ("letter",))


class Seen(Facts):
    """How much was looked at."""

    places: int


class SlowReturn(Return):
    """What a slow specialist hands back."""

    facts: Seen


async def work(task: Task) -> Return:
    """Take a while, store one artifact, and write down when it began and ended."""
    name = task.specialist.name
    note(task, "begin")
    await asyncio.sleep(float(os.environ.get("DESK_SLOW", "0.5")) * (2 if name == "south" else 1))
    if name == "owner" and not task.answers:
        note(task, "asked")
        return task.returned(
            "blocked", "The owner of the yard is not known", "Two owners are on record.", Seen(places=0), questions=["Who owns the yard?"]
        )
    body = f"{name} looked at step {task.step} for {task.goal}. " * 20
    handle = await task.put(body, kind="report", description=f"What {name} found")
    note(task, "end")
    return task.returned("done", f"{name} found one yard", f"{name} looked at one yard and stored a report.", Seen(places=1), artifacts=[handle])


def note(task: Task, phase: str) -> None:
    """Add one line to the work log; a line this short is written whole even by several processes at once."""
    line = {"key": task.key, "name": task.specialist.name, "phase": phase, "pid": os.getpid(), "host": socket.gethostname(), "at": time.time()}
    if log := os.environ.get("DESK_WORK"):
        with Path(log).open("a") as file:
            file.write(json.dumps(line) + "\n")


class PlannedRouter(BaseChatModel):
    """Picks the first phase that still has an open criterion, after a latency of `DESK_ROUTER_SLOW` seconds."""

    model_name: str = "offline"

    @property
    def _llm_type(self) -> str:
        return "planned"

    def _generate(self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(decide(str(messages[-1].content)))))])

    async def _agenerate(self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(float(os.environ.get("DESK_ROUTER_SLOW", "0")))
        return self._generate(messages)


def decide(prompt: str) -> dict[str, Any]:
    """Decide from the prompt's criteria, their status and the open questions."""
    owner = dict(re.findall(r'^(c\d+) \S+ "(\w+)', prompt, re.M))
    now = re.search(r"^NOW (.*)$", prompt, re.M)
    still = [item.split()[0] for item in (now.group(1).split("; ") if now else []) if " open" in item]
    if re.search(r"^QUESTIONS$", prompt, re.M):
        return {"reason": "a person must answer first", "action": "ask", "dispatch": [], "out_of_scope": []}
    for phase in PHASES:
        if found := [item for item in still if owner.get(item) in phase]:
            asks = [{"specialist": owner[item], "ask": f"{item}: look at the yard", "handles": []} for item in found]
            return {"reason": "next phase", "action": "dispatch", "dispatch": asks, "out_of_scope": []}
    return {"reason": "nothing is open", "action": "finish", "dispatch": [], "out_of_scope": []}


SLOW = [
    Specialist(name=name, description=f"Looks at the {name} side of a yard and reports.", returns=SlowReturn, run=work)
    for phase in PHASES
    for name in phase
]
graph = build(model=PlannedRouter(), specialists=SLOW)
