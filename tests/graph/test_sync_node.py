"""`graph.invoke` and `graph.stream` from synchronous code, also where a loop is running already, as in a notebook."""

import asyncio
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graph.workflow import build
from store import MemoryStore
from tests.graph.test_people import permitted
from tests.scripted import specialist

T: Any = {"configurable": {"thread_id": "t"}}


def case() -> None:
    rats = specialist("sanitation", permitted, description="Rats, mice and trash in a yard.")
    desk = build(store=MemoryStore(), specialists=[rats], checkpointer=InMemorySaver())
    first = desk.invoke({"goal": "Rats in the yard"}, T)
    assert first["__interrupt__"][0].value["description"] == "File it?"
    names = [name for update in desk.stream(Command(resume="yes"), T, stream_mode="updates") for name in update]
    assert names == ["ask", "supervisor", "sanitation", "supervisor", "answer"]
    assert desk.get_state(T).values["ledger"]["status"] == "done"


def test_from_a_script() -> None:
    case()


async def test_where_a_loop_is_running() -> None:
    assert asyncio.get_running_loop()
    case()
