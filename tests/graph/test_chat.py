"""The chat face: one reply for each request, answers and follow-ups understood, nothing internal in the message stream."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agents.city.records import RECORDS_FILE, make_sample
from agents.model.client import make_chat
from agents.model.settings import ModelChoice
from agents.offline.routing import OfflineRouter
from agents.specialist import Specialist, Task
from contracts import InputError, Return
from graph.chat import UNREAD, build_chat
from graph.desk import desk_of
from store import MemoryStore
from tests.endpoint import Answer, Body, ScriptedEndpoint, fitting, says
from tests.scripted import Count, specialist, work
from tests.shipped import SPECIALISTS

JSON = dict[str, Any]
GOAL = "Rats in the yard of 12 Elm St.  Two   spaces, and\na second line."


def chat(specialists: Sequence[Specialist] | None = None, **given: Any) -> Any:
    desk = desk_of(specialists or [rats()], given_store=MemoryStore(), **given)
    return build_chat(desk, checkpointer=InMemorySaver())


def rats(run: Any = work) -> Specialist:
    return specialist("sanitation", run, description="Rats, mice and trash in a yard.")


def thread(name: str = "t") -> Any:
    return {"configurable": {"thread_id": name}}


def replies(values: JSON) -> list[str]:
    return [message.text for message in values["messages"] if isinstance(message, AIMessage)]


async def asks(task: Task) -> Return:
    """Ask once for the house number, then report it."""
    if not task.answers:
        return task.returned("blocked", "no house number", "The house number is missing.", Count(count=0), (), ["Which house number?"])
    said = task.answers[-1][1]
    handle = await task.put(f"House {said}", kind="note", description="Note")
    return task.returned("done", f"House {said} found", f"The house is number {said}.", Count(count=1), [handle])


SHAPES: dict[str, Any] = {
    "object": HumanMessage(GOAL),
    "pair": ("user", GOAL),
    "role": {"role": "user", "content": GOAL},
    "type": {"type": "human", "content": GOAL},
    "blocks": {"type": "human", "content": [{"type": "text", "text": GOAL}]},
    "string": GOAL,
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_shape_gives_the_goal_verbatim(shape: str) -> None:
    graph = chat()
    sent = SHAPES[shape]
    values = await graph.ainvoke({"messages": sent if shape == "string" else [sent]}, thread())
    assert (await graph.aget_state(thread())).values["ledger"]["goal"] == GOAL
    assert len(replies(values)) == 1 and "Record" in replies(values)[0]


async def test_several_messages_are_one_request() -> None:
    graph = chat()
    values = await graph.ainvoke({"messages": [("user", "Rats in the yard."), ("user", "12 Elm St")]}, thread())
    assert (await graph.aget_state(thread())).values["ledger"]["goal"] == "Rats in the yard.\n12 Elm St"
    assert len(replies(values)) == 1


async def test_pictures_are_left_out_and_said() -> None:
    graph = chat()
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    values = await graph.ainvoke({"messages": [HumanMessage([{"type": "text", "text": "Rats in the yard"}, picture])]}, thread())
    assert (await graph.aget_state(thread())).values["ledger"]["goal"] == "Rats in the yard"
    assert replies(values)[0].endswith(UNREAD)
    with pytest.raises(InputError, match="no text"):
        await chat().ainvoke({"messages": [HumanMessage([picture])]}, thread())


async def test_one_reply_for_each_request_on_a_thread() -> None:
    graph = chat()
    for count in (1, 2, 3):
        values = await graph.ainvoke({"messages": [("user", f"Rats in yard {count}")]}, thread())
        assert len(replies(values)) == count
    assert [message.type for message in values["messages"]] == ["human", "ai"] * 3
    ledger = (await graph.aget_state(thread())).values["ledger"]
    assert ledger["goal"] == "Rats in yard 3" and ledger["earlier"]["cases"] == 2


async def test_a_typed_message_answers_the_open_question() -> None:
    graph = chat([rats(asks)])
    first = await graph.ainvoke({"messages": [("user", "Rats in the yard")]}, thread())
    assert first["__interrupt__"][0].value["questions"][0]["text"] == "Which house number?" and replies(first) == []
    second = await graph.ainvoke({"messages": [("user", "number 12")]}, thread())
    ledger = (await graph.aget_state(thread())).values["ledger"]
    assert ledger["goal"] == "Rats in the yard" and ledger["earlier"] is None and ledger["status"] == "done"
    assert [item["answer"] for item in ledger["questions"]] == ["number 12"]
    assert len(replies(second)) == 1 and "number 12" in replies(second)[0]


async def test_a_resumed_pause_is_the_same_answer_once() -> None:
    graph = chat([rats(asks)])
    await graph.ainvoke({"messages": [("user", "Rats in the yard")]}, thread())
    first = await graph.ainvoke(Command(resume=[{"type": "response", "args": "12"}]), thread())
    again = await graph.ainvoke(Command(resume=[{"type": "response", "args": "99"}]), thread())
    assert len(replies(first)) == 1 and replies(again) == replies(first)
    ledger = (await graph.aget_state(thread())).values["ledger"]
    assert [item["answer"] for item in ledger["questions"]] == ["12"] and ledger["conflicts"] == []


async def test_the_message_stream_holds_the_answer_alone() -> None:
    graph = chat()
    pieces, events = [], []
    async for mode, chunk in graph.astream({"messages": [("user", GOAL)]}, thread(), stream_mode=["messages", "custom", "updates"]):
        if mode == "messages":
            pieces.append(chunk)
        elif mode == "custom":
            events.append(chunk["event"])
    final = (await graph.aget_state(thread())).values["messages"][-1]
    assert {meta["langgraph_node"] for _, meta in pieces} == {"answer"}
    assert {message.id for message, _ in pieces} == {final.id} and len(pieces) > 5
    assert "".join(str(message.content) for message, _ in pieces) == final.text
    assert events[0] == "opened" and "decision" in events and "return" in events and events[-1] == "closed"


async def test_a_follow_up_is_about_the_place_that_was_answered(tmp_path: Path) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    graph = chat(SPECIALISTS, given_home=tmp_path)
    for said in ("Rats in the yard", "31 Lantern St", "and the sidewalk there?"):
        values = await graph.ainvoke({"messages": [("user", said)]}, thread())
    assert "__interrupt__" not in values and "31 Lantern St" in replies(values)[-1] and len(replies(values)) == 2
    steps = (await graph.aget_state(thread())).values["ledger"]["steps"]
    assert [step["specialist"] for step in steps] == ["potholes"], "the follow-up names another matter"


async def test_a_follow_up_is_about_the_place_before(tmp_path: Path) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    graph = chat(SPECIALISTS, given_home=tmp_path)
    await graph.ainvoke({"messages": [("user", "There is a deep pothole in front of 31 Lantern St")]}, thread())
    for question, owner in (("and the sidewalk there?", "potholes"), ("Do they have a building permit there?", "permits")):
        values = await graph.ainvoke({"messages": [("user", question)]}, thread())
        ledger = (await graph.aget_state(thread())).values["ledger"]
        assert ledger["goal"] == question and "__interrupt__" not in values
        assert [step["specialist"] for step in ledger["steps"]] == [owner] and "31 Lantern St" in replies(values)[-1]


async def told(graph: Any, *lines: str) -> tuple[list[str], JSON, list[str]]:
    """Say these lines one after the other; return all replies, the last ledger, and the questions that are open."""
    for line in lines:
        values = await graph.ainvoke({"messages": [("user", line)]}, thread())
    asked = values["__interrupt__"][0].value["questions"] if "__interrupt__" in values else []
    return replies(values), (await graph.aget_state(thread())).values["ledger"], [item["text"] for item in asked]


PLACE = "31 Lantern St"


@pytest.mark.parametrize(
    ("lines", "specialist", "place"),
    [
        (("Rats at 31 Lantern St", "No heat"), "housing", PLACE),
        (("Rats at 31 Lantern St", "No heat", "Trash too"), "sanitation", PLACE),
        (("Rats in the yard", "31 Lantern St", "thanks!", "No heat"), "housing", PLACE),
        (("Rats at 31 Lantern St", "Loud music at night", "No heat"), "housing", PLACE),
        (("Rats at 31 Lantern St", "Loud music", "A dog barks", "No heat"), "housing", PLACE),
        (("Rats at 31 Lantern St", "No heat at 48 Harrow Ave"), "housing", "48 Harrow Ave"),
        (("Rats at 31 Lantern St", "Mold at 48 Harrow Ave", "a pothole too"), "potholes", "48 Harrow Ave"),
        (("Potholes on Harrow Ave", "and trash?"), "sanitation", "Harrow Ave"),
        (("Rats at 48 Lantern St", "Same at number 31"), "sanitation", PLACE),
    ],
)
async def test_a_follow_up_without_a_place_means_the_last_one(tmp_path: Path, lines: Sequence[str], specialist: str, place: str) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    said, ledger, asked = await told(chat(SPECIALISTS, given_home=tmp_path), *lines)
    assert asked == [] and ledger["status"] == "done" and ledger["goal"] == lines[-1], "the goal stays as it was typed"
    assert [step["specialist"] for step in ledger["steps"]] == [specialist]
    assert place in said[-1] and (place == PLACE or PLACE not in said[-1])


@pytest.mark.parametrize("second", ["No heat near Forest Hills", "No heat, 17 Nowhere"])
async def test_another_place_is_never_replaced_by_the_last_one(tmp_path: Path, second: str) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    said, ledger, asked = await told(chat(SPECIALISTS, given_home=tmp_path), "Rats at 31 Lantern St", second)
    assert PLACE not in ledger["criteria"][0]["text"] and PLACE not in (said[1:] or [""])[0]


async def test_which_of_two_of_one_name_is_asked_once(tmp_path: Path) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    graph = chat(SPECIALISTS, given_home=tmp_path)
    *_, asked = await told(graph, "Rats at 10 Mill St")
    assert "Which one" in asked[0]
    for line in ("Quarry Hill", "No heat", "and the sidewalk?"):
        said, ledger, asked = await told(graph, line)
        assert asked == [] and "10 Mill St" in said[-1]
    assert ledger["criteria"][0]["text"].startswith("10 Mill St (Quarry Hill): ")


async def test_another_complaint_is_no_choice_between_two_places(tmp_path: Path) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    said, ledger, asked = await told(chat(SPECIALISTS, given_home=tmp_path), "Rats at 10 Mill St", "There is a deep pothole at 31 Lantern St")
    assert asked == [] and ledger["goal"] == "There is a deep pothole at 31 Lantern St" and "Rats at 10 Mill St" in said[0] and PLACE in said[1]


async def test_which_of_several_places_is_asked(tmp_path: Path) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    *_, asked = await told(chat(SPECIALISTS, given_home=tmp_path), "Rats at 31 Lantern St and mold at 48 Harrow Ave", "No hot water")
    assert asked == ["Which address or street is it about?"]


async def test_the_last_place_outlives_a_restart(tmp_path: Path) -> None:
    make_sample(tmp_path / RECORDS_FILE)
    saver, store = InMemorySaver(), MemoryStore()
    for line in ("Rats at 31 Lantern St", "No heat"):
        desk = desk_of(SPECIALISTS, given_store=store, given_home=tmp_path)
        values = await build_chat(desk, checkpointer=saver).ainvoke({"messages": [("user", line)]}, thread())
    assert "__interrupt__" not in values and PLACE in replies(values)[-1]


async def test_small_talk_is_answered_and_opens_nothing() -> None:
    graph = chat()
    said, ledger, asked = await told(graph, "hello")
    assert said == ["Hello. This desk looks into sanitation: write what is wrong, and where."] and not ledger and not asked
    said, ledger, _ = await told(graph, "Rats in the yard")
    for count, line in enumerate(("thank you!", "ok", "gracias", "👍", "bye"), 3):
        said, after, asked = await told(graph, line)
        assert len(said) == count and len(said[-1]) < 20 and after == ledger and asked == []
    said, after, _ = await told(graph, "Rats in the cellar")
    assert "Record" in said[-1] and after["goal"] == "Rats in the cellar" and after["earlier"]["cases"] == 1


async def test_small_talk_leaves_an_open_question_open() -> None:
    graph = chat([rats(asks)])
    said, ledger, asked = await told(graph, "Rats in the yard", "thanks", "ok")
    assert said == ["You are welcome. One question is still open: Which house number?", "All right. One question is still open: Which house number?"]
    assert asked == ["Which house number?"] and ledger["questions"][0]["status"] == "open"
    said, ledger, asked = await told(graph, "number 12")
    assert asked == [] and ledger["status"] == "done" and "number 12" in said[-1] and len(said) == 3


async def wonders(task: Task) -> Return:
    """Ask once for what only the resident can say, which is no place."""
    if not task.answers:
        return task.returned("blocked", "no kind", "It is not known what was seen.", Count(count=0), (), ["Rats or mice?"])
    return await work(task)


async def test_another_complaint_while_a_question_is_open_loses_nothing() -> None:
    heat = specialist("housing", work, description="No heat, no hot water.")
    graph = chat([rats(wonders), heat])
    said, first, asked = await told(graph, "Rats in the yard, and no heat at all, 12 Elm St")
    assert asked == ["Rats or mice?"] and said == []
    finished = next(step for step in first["steps"] if step["status"] == "done")
    said, ledger, asked = await told(graph, "No hot water at 3 Oak Ave")
    assert len(said) == 2, "each request has its message"
    assert finished["outcome"] in said[0] and "Rats or mice?" in said[0] and "Record" in said[1]
    assert ledger["goal"] == "No hot water at 3 Oak Ave" and ledger["status"] == "done" and asked == [] and ledger["earlier"]["cases"] == 1


@pytest.mark.parametrize("line", ["mice", "mice, at 12 Elm St", "I saw rats at 12 Elm St", "it is by 3 Oak Ave", "No hot water"])
async def test_what_may_be_an_answer_is_one(line: str) -> None:
    heat = specialist("housing", work, description="No heat, no hot water.")
    said, ledger, _ = await told(chat([rats(wonders), heat]), "Rats in the yard of 12 Elm St", line)
    assert ledger["goal"] == "Rats in the yard of 12 Elm St" and ledger["questions"][0]["answer"] == line and len(said) == 1


async def test_an_address_that_was_asked_for_is_an_answer_with_whatever_stands_beside_it() -> None:
    heat = specialist("housing", work, description="No heat, no hot water.")
    said, ledger, _ = await told(chat([rats(asks), heat]), "Rats in the yard", "No heat at 3 Oak Ave")
    assert ledger["goal"] == "Rats in the yard" and ledger["questions"][0]["answer"] == "No heat at 3 Oak Ave" and len(said) == 1


async def test_the_reply_is_the_models_text_and_nothing_else_of_it_streams() -> None:
    said = "En el patio hay ratas: expediente 101000001, visto hoy. Diríjase a sanidad."

    def script(request: Body) -> Answer:
        system, user = (message["content"] for message in request["messages"])
        if "choose who works next" in system:
            made = OfflineRouter(specialists=(rats(),)).invoke([SystemMessage(system), HumanMessage(user)])
            return fitting(json.loads(made.text))(request)
        if "open a case" in system:
            return fitting({"criteria": [{"text": "ratas en el patio", "owners": ["sanitation"]}]})(request)
        return says(said)

    with ScriptedEndpoint(script) as server:
        graph = chat(given_model=make_chat(ModelChoice(model="m", base_url=server.url)))
        pieces = [chunk async for chunk in graph.astream({"messages": [("user", "Ratas en el patio")]}, thread(), stream_mode="messages")]
    values = (await graph.aget_state(thread())).values
    assert replies(values) == [said] and "".join(str(message.content) for message, _ in pieces) == said
    assert {record["model"] for record in values["ledger"]["decisions"]} == {"m"}


async def test_running_again_from_any_point_gives_one_reply() -> None:
    graph = chat()
    await graph.ainvoke({"messages": [("user", "Rats in the yard")]}, thread())
    history = [state async for state in graph.aget_state_history(thread()) if state.next]
    assert len(history) > 4
    for state in history:
        values = await graph.ainvoke(None, state.config)
        assert [message.type for message in values["messages"]] == ["human", "ai"], state.next
        ledger = (await graph.aget_state(thread())).values["ledger"]
        assert ledger["status"] == "done" and ledger["conflicts"] == [] and len(ledger["steps"]) == 1


async def test_a_message_after_a_cancelled_turn_is_the_one_worked_on() -> None:
    async def slow(task: Task) -> Return:
        await asyncio.sleep(0 if "second" in task.goal else 30)
        return await work(task)

    graph = chat([rats(slow)])
    turn = asyncio.create_task(graph.ainvoke({"messages": [("user", "Rats in the yard")]}, thread()))
    while not (await graph.aget_state(thread())).next == ("sanitation",):
        await asyncio.sleep(0.01)
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    values = await graph.ainvoke({"messages": [("user", "Rats in the second yard")]}, thread())
    ledger = (await graph.aget_state(thread())).values["ledger"]
    assert ledger["goal"] == "Rats in the second yard" and ledger["status"] == "done" and len(replies(values)) == 1
