"""Bulk and private work leave no mark: artifact bodies, tool results and a specialist's reasoning are in no checkpoint and no router prompt."""

from itertools import count
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agents.specialist import Task
from contracts import Return
from graph.workflow import build
from store.memory import MemoryStore
from tests.scripted import Count, Scripted, dispatch, finish, four

BODY, RESULT, THOUGHT = "MARK-OF-A-BODY", "MARK-OF-A-TOOL-RESULT", "MARK-OF-A-THOUGHT"
HOPS = 15


class Thinker(GenericFakeChatModel):
    """Calls its tool once, thinking aloud, and then stops."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def look_up(matter: str) -> str:
    """Look a matter up."""
    return f"{RESULT} {matter}"


async def work(task: Task) -> Return:
    call = {"name": "look_up", "args": {"matter": task.ask}, "id": "1", "type": "tool_call"}
    agent: Any = create_agent(Thinker(messages=iter([AIMessage(THOUGHT, tool_calls=[call]), AIMessage(THOUGHT)])), tools=[look_up])
    messages = (await agent.ainvoke({"messages": [("user", task.ask)]}))["messages"]
    assert any(RESULT in message.text for message in messages) and THOUGHT in messages[-1].text
    stored = await task.put(f"{BODY} ".ljust(100_000, "x"), kind="note", description=f"note of step {task.step}")
    status = "done" if task.step == HOPS else "partial"
    return task.returned(status, f"step {task.step} looked", f"Step {task.step} found record {task.step}.", Count(count=1), [stored])


async def test_fifteen_hops_leave_no_mark_of_what_specialists_did(tmp_path: Path) -> None:
    names, hop = ("potholes", "permits", "sanitation", "housing"), count(1)

    def decide(system: str, user: str) -> str:
        n = next(hop)
        return dispatch((names[n % 4], f"c1: look at number {n} Elm St")) if n <= HOPS else finish()

    router, path, store = Scripted(answer=decide), tmp_path / "threads.db", MemoryStore()
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        desk = build(model=router, store=store, specialists=four(work), checkpointer=saver)
        values = await desk.ainvoke({"goal": "holes", "criteria": ["holes"]}, {"configurable": {"thread_id": "1"}})
    assert values["ledger"]["status"] == "done" and values["ledger"]["counts"]["hops"] == HOPS
    assert BODY in (await store.read(values["ledger"]["case"], f"A{HOPS}")).decode(), "the bulk is where it belongs"
    held = b"".join(file.read_bytes() for file in tmp_path.glob("threads.db*"))
    assert b"Elm St" in held, "the search would find what is there"
    for mark in (BODY, RESULT, THOUGHT):
        assert mark.encode() not in held and mark not in "".join(router.prompts)
