"""What may be a specialist: a function, a model with tools, an agent of one's own, MCP tools, another desk; each held to a contract."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt

from agents.model.client import make_chat
from agents.model.settings import ModelChoice
from agents.specialist import Specialist, Task
from contracts import Return
from graph.nested import desk_as_specialist
from graph.workflow import build
from store import MemoryStore
from tests.endpoint import ScriptedEndpoint, calls
from tests.scripted import Count, specialist, work

JSON = dict[str, Any]
GOAL = "When is the street sweeping on Elm St?"
SECRET = "TRANSCRIPT-OF-THE-INSIDE"
T: Any = {"configurable": {"thread_id": "t"}}
BACK = {"status": "done", "headline": "Swept on Tuesdays", "outcome": "Elm St is swept every Tuesday, schedule 700123.", "facts": {"count": 1}}
BACK |= {"artifacts": [], "settles": ["c1"], "questions": []}


def sweeper(run: Any = work, **more: Any) -> Specialist:
    return specialist("sweeping", run, description="When a street is swept; street sweeping.", **more)


async def case(*given: Specialist, store: MemoryStore | None = None, model: Any = None, goal: str = GOAL) -> tuple[JSON, str]:
    """Run one case; return its values and everything that its checkpoints and its message stream hold."""
    saver = InMemorySaver()
    desk = build(store=store or MemoryStore(), specialists=given, specialist_model=model, checkpointer=saver)
    values: JSON = {}
    heard = []
    async for mode, chunk in desk.astream({"goal": goal}, T, stream_mode=["values", "messages"]):
        if mode == "values":
            values = chunk
        else:
            heard.append(chunk)
    assert {meta["langgraph_node"] for _, meta in heard} <= {"answer"}
    return values, repr([(item.checkpoint, item.pending_writes) for item in saver.list(None)]) + repr(heard)


@pytest.mark.parametrize("wait", [False, True])
async def test_a_function(wait: bool) -> None:
    def plain(task: Task) -> Return:
        return task.returned("partial", "half of it", "Half of the schedule was found.", Count(count=1))

    values, _ = await case(sweeper(work if wait else plain))
    assert [step["status"] for step in values["ledger"]["steps"]][0] == ("done" if wait else "partial")


async def test_a_model_with_a_plain_tool_leaves_evidence() -> None:
    def timetable(street: str) -> str:
        """Say when a street is swept."""
        return f"- schedule 700123: {street}, every Tuesday"

    store = MemoryStore()
    with ScriptedEndpoint(calls(("timetable", {"street": "Elm St"})), calls(("hand_back", BACK))) as server:
        model = make_chat(ModelChoice(model="m", base_url=server.url))
        values, kept = await case(sweeper(prompt="You know timetables.", tools=lambda task: [timetable]), store=store, model=model)
    step = values["ledger"]["steps"][0]
    assert step["status"] == "done" and step["artifacts"] == ["A1"] and values["ledger"]["status"] == "done"
    assert await store.read(values["ledger"]["case"], "A1") == b"- schedule 700123: Elm St, every Tuesday"
    assert "700123" in values["answer"] and "You know timetables" not in kept


async def test_tools_of_an_mcp_server() -> None:
    from langchain_mcp_adapters.client import MultiServerMCPClient

    async def tools(task: Task) -> Sequence[BaseTool]:
        city: Any = {"transport": "stdio", "command": sys.executable, "args": [str(Path(__file__).with_name("mcp_city.py"))]}
        return await MultiServerMCPClient({"city": city}).get_tools()

    async def run(task: Task) -> Return:
        (tool,) = await tools(task)
        said = str(await tool.ainvoke({"street": "Elm St"}))
        handle = await task.put(said, kind="schedule", description="sweeping of Elm St")
        return task.returned("done", "Swept on Tuesdays", "Elm St is swept every Tuesday, schedule 700123.", Count(count=1), [handle])

    store = MemoryStore()
    given = sweeper(run, prompt="You know timetables.", tools=tools)
    values, _ = await case(given, store=store)
    assert values["ledger"]["status"] == "done" and b"700123" in await store.read(values["ledger"]["case"], "A1")
    with ScriptedEndpoint(calls(("sweeping", {"street": "Elm St"})), calls(("hand_back", BACK))) as server:
        values, _ = await case(given, store=store, model=make_chat(ModelChoice(model="m", base_url=server.url)))
        offered = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert offered == {"sweeping", "read_artifact", "hand_back"}
    assert values["ledger"]["status"] == "done" and b"every Tuesday" in await store.read(values["ledger"]["case"], "A1")


async def test_an_agent_of_ones_own() -> None:
    async def run(task: Task) -> Return:
        agent: Any = create_agent(GenericFakeChatModel(messages=iter([AIMessage(SECRET)])), tools=[])
        said = (await agent.ainvoke({"messages": [("user", task.ask)]}))["messages"][-1].text
        handle = await task.put(said, kind="note", description="what the agent said")
        return task.returned("done", "The agent found it", "An agent of its own found schedule 700123.", Count(count=1), [handle])

    values, kept = await case(sweeper(run))
    assert values["ledger"]["status"] == "done" and SECRET not in kept


async def test_one_that_pauses_is_told_what_to_do() -> None:
    def run(task: Task) -> Return:
        interrupt("may I?")
        raise AssertionError

    values, _ = await case(sweeper(run))
    assert "__interrupt__" not in values
    assert all("return blocked with a question" in step["cause"] for step in values["ledger"]["steps"])


@pytest.mark.parametrize("wrong", [{"artifact": ["A1"]}, "done", None, {"status": "done"}])
async def test_what_breaks_the_contract_fails_aloud(wrong: Any) -> None:
    values, _ = await case(sweeper(lambda task: wrong))
    assert {step["status"] for step in values["ledger"]["steps"]} == {"failed"}
    assert all("sweeping" in step["cause"] for step in values["ledger"]["steps"])


async def test_another_desk() -> None:
    inside, outside = MemoryStore(), MemoryStore()

    async def dig(task: Task) -> Return:
        handle = await task.put(f"- 101000123 {SECRET}", kind="note", description="Note")
        return task.returned("done", "Record 101000123 found", "Record 101000123 answers it.", Count(count=1), [handle])

    inner = build(store=inside, specialists=[sweeper(dig)], name="streets")
    nested = desk_as_specialist("streets", "Streets: sweeping and snow.", inner, examples=("When is the street swept?",))
    values, kept = await case(nested, store=outside, goal="When is the street swept?")
    ledger = values["ledger"]
    step = ledger["steps"][0]
    assert step["status"] == "done" and step["facts"] == {"met": 1, "unsettled": 0, "out_of_scope": 0, "hops": 1, "tokens": step["facts"]["tokens"]}
    assert [values["artifacts"][alias]["kind"] for alias in step["artifacts"]] == ["findings", "inner_ledger"]
    whole = json.loads(await outside.read(ledger["case"], "A1.2"))["ledger"]
    assert whole["case"] != ledger["case"] and whole["steps"][0]["specialist"] == "sweeping"
    assert "101000123" in values["answer"] and whole["case"] not in kept and '"sweeping"' not in json.dumps(ledger)


async def test_a_question_of_an_inner_desk_is_put_by_the_outer_one() -> None:
    from langgraph.types import Command

    async def asks(task: Task) -> Return:
        if "Oak" not in task.ask + task.goal:
            return task.returned("blocked", "no street", "The street is missing.", Count(count=0), (), ["Which street?"])
        return await work(task)

    nested = desk_as_specialist("streets", "Streets: sweeping and snow.", build(store=MemoryStore(), specialists=[sweeper(asks)]))
    desk = build(store=MemoryStore(), specialists=[nested], checkpointer=InMemorySaver())
    first = await desk.ainvoke({"goal": "When is sweeping on the streets?"}, T)
    assert [item["text"] for item in first["__interrupt__"][0].value["questions"]] == ["Which street?"]
    done = await desk.ainvoke(Command(resume="Oak St"), T)
    assert done["ledger"]["status"] == "done" and [step["status"] for step in done["ledger"]["steps"]] == ["blocked", "done"]
