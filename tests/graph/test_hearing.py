"""What a chat hears: a text of any shape, a message that was edited, and a request whose turn failed or was cut off."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from agents.specialist import Specialist, Task
from contracts import InputError, Return
from graph.chat import build_chat
from graph.desk import desk_of
from graph.hearing import has_more, text_of
from ledger.events import MAX_GOAL
from store import MemoryStore
from store.errors import StoreUnavailable
from tests.graph.test_chat import GOAL, asks, chat, rats, replies, thread, told, wonders
from tests.scripted import specialist, work

LONG = "No heat at 31 Lantern St. " + "It is very cold and dark. " * 2500
"""A complaint that is stored whole before its case opens."""
NUDGES = ["ok", "hello?", "please try again", "Any news?", "did you get my message?", "Still there?", "and?"]


class Failing(MemoryStore):
    """A store that is down while it is told to be."""

    down = True

    async def put(self, *args: Any, **named: Any) -> Any:
        if self.down:
            raise StoreUnavailable("down")
        return await super().put(*args, **named)


def over(store: MemoryStore, *specialists: Specialist) -> Any:
    heat = specialist("housing", work, description="No heat, no hot water.")
    return build_chat(desk_of([*(specialists or [rats()]), heat], given_store=store), checkpointer=InMemorySaver())


async def fails(graph: Any, line: str) -> None:
    with pytest.raises(StoreUnavailable):
        await graph.ainvoke({"messages": [("user", line)]}, thread())


@pytest.mark.parametrize(
    ("content", "text", "more"),
    [
        ([{"type": "text", "text": " a "}, "b"], " a b", False),
        ([{"type": "text", "text": "no heat"}, {"type": "text", "text": " at 31"}], "no heat at 31", False),
        ([{"type": "input_text", "text": GOAL}], GOAL, False),
        ([{"text": GOAL}], GOAL, False),
        ([{"type": "text", "text": ["no heat"]}, "x"], "x", True),
        ([{"type": "text", "text": None}], "", True),
        ([{"type": "file", "text": "x"}, {"type": "text", "text": GOAL}], GOAL, True),
    ],
)
def test_the_text_of_blocks_is_verbatim(content: Any, text: str, more: bool) -> None:
    message = HumanMessage(content)
    assert (text_of(message), has_more(message)) == (text, more)


async def test_a_text_that_is_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="holds no text"):
        await chat().ainvoke({"messages": [{"role": "user", "content": [{"type": "text", "text": ["no heat"]}]}]}, thread())


async def test_a_message_that_was_edited_is_a_new_request() -> None:
    graph = chat()
    await graph.ainvoke({"messages": [HumanMessage("Rats at 12 Elm St", id="a b")]}, thread())
    values = await graph.ainvoke({"messages": [HumanMessage("Rats at 7 Oak Ave", id="a b")]}, thread())
    ledger = (await graph.aget_state(thread())).values["ledger"]
    assert ledger["goal"] == "Rats at 7 Oak Ave" and ledger["earlier"]["cases"] == 1 and len(replies(values)) == 2
    with pytest.raises(InputError, match="no new message"):
        await graph.ainvoke({"messages": [HumanMessage("Rats at 7 Oak Ave", id="a b")]}, thread())


@pytest.mark.parametrize("nudge", [*NUDGES, LONG])
async def test_a_complaint_outlives_a_store_that_is_down(nudge: str) -> None:
    store = Failing()
    graph = over(store)
    await fails(graph, LONG)
    await fails(graph, "hello?")
    store.down = False
    said, ledger, _ = await told(graph, nudge)
    assert ledger["goal"] == LONG and ledger["earlier"] is None and len(said) == 1 and "Record" in said[0]
    said, ledger, _ = await told(graph, "Rats in the yard")
    assert ledger["goal"] == "Rats in the yard" and len(said) == 2


async def test_what_is_said_after_a_failed_turn_is_heard_with_it() -> None:
    store = Failing()
    graph = over(store)
    await fails(graph, LONG)
    store.down = False
    _, ledger, _ = await told(graph, "Rats in the yard too")
    assert ledger["goal"] == f"{LONG}\nRats in the yard too"


async def test_a_second_complaint_outlives_it_together_with_the_case_before() -> None:
    store = Failing()
    store.down = False
    graph = over(store, rats(wonders))
    await told(graph, "Rats in the yard of 12 Elm St")
    store.down = True
    await fails(graph, "No hot water at 3 Oak Ave")
    store.down = False
    said, ledger, _ = await told(graph, "any news?")
    assert len(said) == 2 and "Rats or mice?" in said[0] and "Record" in said[1]
    assert ledger["goal"] == "No hot water at 3 Oak Ave" and ledger["earlier"]["cases"] == 1


async def test_a_message_that_is_too_long_spoils_no_other() -> None:
    graph = chat()
    with pytest.raises(InputError, match="the most is"):
        await graph.ainvoke({"messages": [("user", "x" * (MAX_GOAL + 1))]}, thread())
    _, ledger, _ = await told(graph, "Rats in the yard")
    assert ledger["goal"] == "Rats in the yard"


async def cut_off() -> Any:
    """Return a chat whose first turn was cancelled while a specialist was at work."""
    calls: list[int] = []

    async def slow(task: Task) -> Return:
        calls.append(task.step)
        await asyncio.sleep(30 if len(calls) == 1 else 0)
        return await work(task)

    heat = specialist("housing", slow, description="No heat, no hot water.")
    graph = chat([rats(), heat])
    turn = asyncio.create_task(graph.ainvoke({"messages": [("user", "Rats in the yard, and no heat")]}, thread()))
    while not calls:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    return graph


@pytest.mark.parametrize("nudge", NUDGES)
async def test_a_case_that_was_cut_off_goes_on(nudge: str) -> None:
    graph = await cut_off()
    said, ledger, _ = await told(graph, nudge)
    assert ledger["goal"] == "Rats in the yard, and no heat" and ledger["status"] == "done" and ledger["earlier"] is None
    assert len(said) == 1 and "Record" in said[0] and {item["status"] for item in ledger["criteria"]} == {"met"}


async def test_who_takes_leave_of_it_is_not_worked_for() -> None:
    said, ledger, _ = await told(await cut_off(), "never mind")
    assert said == ["All right."] and ledger["status"] == "open"


async def test_a_question_that_nobody_saw_is_not_answered_by_a_nudge() -> None:
    graph = chat([rats(asks)])
    await graph.ainvoke({"messages": [("user", "Rats in the yard")]}, thread(), interrupt_after=["sanitation"])
    said, ledger, asked = await told(graph, "any news?")
    assert asked == ["Which house number?"] and said == [] and ledger["questions"][0]["status"] == "open"
