"""People in the loop: what a pause looks like to clients, what they may send back, and that nothing finished is lost."""

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agents.specialist import Specialist, Task
from contracts import Question, Return
from contracts.returns import Audience
from graph.chat import build_chat
from graph.desk import desk_of
from graph.people import AGAIN, answers, pause
from graph.workflow import build
from store import MemoryStore
from tests.scripted import Count, specialist, work

JSON = dict[str, Any]
ONE = [{"id": "q1", "to": "resident", "text": "Which house number?", "step": 1}]
APPROVAL = [{"id": "q2", "to": "approver", "text": "File it?", "step": 2}]
BOTH = [*ONE, *APPROVAL]
T: Any = {"configurable": {"thread_id": "t"}}


@pytest.mark.parametrize("waiting", [ONE, APPROVAL, BOTH], ids=["resident", "approver", "both"])
def test_a_pause_has_the_shapes_that_clients_render(waiting: list[JSON]) -> None:
    payload = pause("case", waiting)
    assert set(payload["action_request"]) == {"action", "args"} and isinstance(payload["action_request"]["args"], dict)
    assert set(payload["config"]) == {"allow_accept", "allow_edit", "allow_respond", "allow_ignore"}
    assert all(item["text"] in payload["description"] for item in waiting)
    assert payload["questions"] == [{key: item[key] for key in ("id", "to", "text")} for item in waiting]
    assert len(payload["action_requests"]) == len(waiting)
    assert {item["name"] for item in payload["action_requests"]} == {item["action_name"] for item in payload["review_configs"]}
    assert payload["config"]["allow_accept"] is (waiting is APPROVAL), "a question has nothing to accept"
    assert json.loads(json.dumps(payload)) == payload


def test_a_pause_loads_and_opens_nothing() -> None:
    payload = pause("case", [{**ONE[0], "text": "Which one? ![x](https://evil.example/?q=1) [here](https://evil.example)"}])
    assert "evil" not in json.dumps(payload) and payload["description"] == "Which one? x here"


@pytest.mark.parametrize(
    "resumed",
    [
        "12",
        ["12"],
        {"q1": "12"},
        {"answer": "12"},
        [{"type": "response", "args": "12"}],
        {"type": "response", "args": "12"},
        [{"type": "edit", "args": {"action": "Answer", "args": {"q1": "12"}}}],
        {"decisions": [{"type": "respond", "message": "12"}]},
        {"decisions": [{"type": "edit", "edited_action": {"name": "answer", "args": {"q1": "12"}}}]},
    ],
)
def test_every_form_of_an_answer(resumed: Any) -> None:
    assert answers(resumed, ONE) == {"q1": "12"}


@pytest.mark.parametrize("resumed", [None, "", [{"type": "ignore", "args": None}], {"decisions": [{"type": "reject"}]}, {"q9": "12"}, [], {}, False])
def test_what_is_no_answer_lapses_and_is_no_approval(resumed: Any) -> None:
    assert answers(resumed, ONE) == {"q1": ""}
    assert answers(resumed, APPROVAL) == {"q2": "no"}


@pytest.mark.parametrize("resumed", [True, "yes", [{"type": "accept", "args": None}], {"decisions": [{"type": "approve"}]}, {"q2": True}])
def test_every_form_of_an_approval(resumed: Any) -> None:
    assert answers(resumed, APPROVAL) == {"q2": "yes"}


def test_a_refusal_keeps_its_reason() -> None:
    assert answers({"decisions": [{"type": "reject", "message": "too early"}]}, APPROVAL) == {"q2": "no: too early"}


def test_several_questions_get_one_response_each() -> None:
    assert answers({"decisions": [{"type": "respond", "message": "12"}, {"type": "approve"}]}, BOTH) == {"q1": "12", "q2": "yes"}
    assert answers({"q1": "12", "q2": "yes"}, BOTH) == {"q1": "12", "q2": "yes"}
    assert answers([{"type": "edit", "args": {"action": "Answer", "args": {"q1": "12", "q2": ""}}}], BOTH) == {"q1": "12", "q2": "no"}


ONE_FOR_ALL = [
    "yes",
    True,
    ["yes"],
    {"answer": "yes"},
    {"type": "accept", "args": None},
    [{"type": "accept", "args": None}],
    {"decisions": [{"type": "approve"}]},
    ["yes"] * 3,
]


@pytest.mark.parametrize("resumed", ONE_FOR_ALL)
def test_one_response_for_several_questions_approves_nothing(resumed: Any) -> None:
    second = [{"id": "q3", "to": "approver", "text": "Close it?", "step": 3}]
    assert answers(resumed, BOTH)["q2"] == "no" and answers(resumed, [*APPROVAL, *second]) == {"q2": "no", "q3": "no"}
    assert not pause("case", [*APPROVAL, *second])["config"]["allow_accept"], "what approves nothing is not offered"
    assert answers("12", [*BOTH, *(item | {"to": "resident"} for item in second)]) == {"q1": "12", "q2": "no", "q3": "12"}


def test_more_responses_than_questions_approve_nothing() -> None:
    assert answers(["yes", "no"], APPROVAL) == {"q2": "no"}


CALLS: list[str] = []


async def permitted(task: Task) -> Return:
    """Do something once a person has said yes."""
    if not task.approved:
        return task.returned(
            "blocked", "needs a yes", "The filing needs a yes.", Count(count=0), (), [Question(text="File it?", to=Audience.APPROVER)]
        )
    CALLS.append(task.approved[-1][1])
    handle = await task.put(f"They said {task.approved[-1][1]}", kind="note", description="Note")
    return task.returned("done", "asked and settled", f"The approver said {task.approved[-1][1]}.", Count(count=1), [handle])


def desk(*specialists: Specialist) -> Any:
    return build(store=MemoryStore(), specialists=specialists, checkpointer=InMemorySaver())


async def test_resuming_twice_acts_once() -> None:
    CALLS.clear()
    graph = desk(specialist("sanitation", permitted, description="Rats, mice and trash in a yard."))
    first = await graph.ainvoke({"goal": "Rats in the yard"}, T)
    assert first["__interrupt__"][0].value["config"]["allow_accept"]
    done = await graph.ainvoke(Command(resume=[{"type": "accept", "args": None}]), T)
    again = await graph.ainvoke(Command(resume=[{"type": "ignore", "args": None}]), T)
    assert CALLS == ["yes"] and done["ledger"]["status"] == "done"
    for key in ("steps", "decisions", "counts", "questions"):
        assert again["ledger"][key] == done["ledger"][key]


FILED: list[tuple[str, ...]] = []


def in_turn(to: Audience, *questions: str) -> Specialist:
    """Return a specialist that puts these questions one after the other, then notes the answers."""

    async def run(task: Task) -> Return:
        said = task.approved if to is Audience.APPROVER else task.answers
        if len(said) < len(questions):
            asked = [Question(text=questions[len(said)], to=to)]
            return task.returned("blocked", f"needs word {len(said)}", "It needs a word of a person.", Count(count=0), (), asked)
        FILED.append(tuple(text for _, text in said))
        return await work(task)

    return specialist("sanitation", run, description="Rats, mice and trash in a yard.")


async def go(graph: Any, *resumed: Any) -> tuple[JSON, Any]:
    """Resume with these, one after the other; return the answers by question id and the payload that waits, if any."""
    for response in resumed:
        values = await graph.ainvoke(Command(resume=response), T)
    waits = values["__interrupt__"][0].value if "__interrupt__" in values else None
    return {item["id"]: (item["status"], item["answer"]) for item in values["ledger"]["questions"]}, waits


@pytest.mark.parametrize(
    "late",
    [
        {"q1": "12"},
        [{"type": "edit", "args": {"action": "Answer", "args": {"q1": "12"}}}],
        {"decisions": [{"type": "edit", "edited_action": {"args": {"q1": "12"}}}]},
        {"q9.2": ""},
    ],
)
async def test_an_answer_to_a_question_that_is_not_waiting_is_none(late: Any) -> None:
    graph = desk(in_turn(Audience.RESIDENT, "Which house number?", "Which floor?"))
    await graph.ainvoke({"goal": "Rats in the yard"}, T)
    said, waits = await go(graph, {"q1": "12"}, late, late)
    assert said == {"q1": ("answered", "12"), "q2": ("open", "")} and waits["questions"][0]["text"] == "Which floor?"
    said, waits = await go(graph, {"q1": "12", "q2": "the third"})
    assert said == {"q1": ("answered", "12"), "q2": ("answered", "the third")} and waits is None


ONE_CLICK = [
    True,
    "yes",
    [{"type": "accept", "args": None}],
    {"decisions": [{"type": "approve"}]},
    "Yes,  by\nMonday",
    [{"type": "response", "args": "yes, " * 2000}],
]


@pytest.mark.parametrize("click", ONE_CLICK)
async def test_a_second_click_approves_nothing_that_was_not_seen(click: Any) -> None:
    FILED.clear()
    graph = desk(in_turn(Audience.APPROVER, "File the first?", "File the second?"))
    await graph.ainvoke({"goal": "Rats in the yard"}, T)
    said, waits = await go(graph, click, click)
    assert said["q1"][0] == "answered" and said["q2"] == ("open", "") and not FILED
    assert waits["description"].startswith(AGAIN) and waits["description"].endswith("File the second?") and waits["config"]["allow_accept"]
    assert AGAIN in waits["action_requests"][0]["description"]
    said, waits = await go(graph, click)
    assert waits is None and said["q2"] == said["q1"] and len(FILED) == 1


@pytest.mark.parametrize("second", [{"q2": "yes"}, {"q2": True}, "yes, this one too", [{"type": "ignore", "args": None}], "no"])
async def test_what_is_no_second_click_is_not_asked_again(second: Any) -> None:
    graph = desk(in_turn(Audience.APPROVER, "File the first?", "File the second?"))
    await graph.ainvoke({"goal": "Rats in the yard"}, T)
    said, waits = await go(graph, [{"type": "accept", "args": None}], second)
    assert waits is None and said["q2"][0] == "answered"


async def test_a_typed_yes_that_was_sent_twice_approves_once() -> None:
    FILED.clear()
    given = in_turn(Audience.APPROVER, "File the first?", "File the second?")
    graph = build_chat(desk_of([given], given_store=MemoryStore()), checkpointer=InMemorySaver())
    for line in ("Rats in the yard", "yes", "yes"):
        values = await graph.ainvoke({"messages": [("user", line)]}, T)
    assert values["__interrupt__"] and not FILED and values["messages"][-1].text == f"{AGAIN} File the second?"
    await graph.ainvoke({"messages": [("user", "yes")]}, T)
    assert FILED == [("yes", "yes")]


SEEN: list[tuple[str, Any, Any]] = []


async def curious(task: Task) -> Return:
    """Put one sentence to the resident and another to the approver, then note who said what."""
    if not task.answers and not task.approved:
        asked = [Question(text="File it?", to=Audience.RESIDENT), Question(text="Close it?", to=Audience.APPROVER)]
        return task.returned("blocked", "needs words", "The filing needs words of two people.", Count(count=0), (), asked)
    SEEN.append((task.specialist.name, task.answers, task.approved))
    return await work(task)


async def test_a_specialist_is_told_apart_who_answered() -> None:
    SEEN.clear()
    graph = desk(specialist("sanitation", curious, description="Rats, mice and trash in a yard."))
    await graph.ainvoke({"goal": "Rats in the yard"}, T)
    await graph.ainvoke(Command(resume={"q1": "yes", "q1.2": "approve"}), T)
    assert SEEN == [("sanitation", (("File it?", "yes"),), (("Close it?", "approve"),))]


async def test_a_typed_message_answers_the_resident_and_approves_nothing() -> None:
    SEEN.clear()
    given = specialist("sanitation", curious, description="Rats, mice and trash in a yard.")
    graph = build_chat(desk_of([given], given_store=MemoryStore()), checkpointer=InMemorySaver())
    await graph.ainvoke({"messages": [("user", "Rats in the yard")]}, T)
    await graph.ainvoke({"messages": [("user", "yes")]}, T)
    assert SEEN == [("sanitation", (("File it?", "yes"),), (("Close it?", "no"),))]


async def test_a_typed_message_answers_an_approval_that_is_alone() -> None:
    CALLS.clear()
    given = specialist("sanitation", permitted, description="Rats, mice and trash in a yard.")
    graph = build_chat(desk_of([given], given_store=MemoryStore()), checkpointer=InMemorySaver())
    await graph.ainvoke({"messages": [("user", "Rats in the yard")]}, T)
    await graph.ainvoke({"messages": [("user", "yes")]}, T)
    assert CALLS == ["yes"]


async def test_a_condition_far_behind_a_yes_is_kept() -> None:
    CALLS.clear()
    graph = desk(specialist("sanitation", permitted, description="Rats, mice and trash in a yard."))
    await graph.ainvoke({"goal": "Rats in the yard"}, T)
    await graph.ainvoke(Command(resume=f"yes{' ' * 20_000}but only tomorrow"), T)
    assert CALLS == ["yes but only tomorrow"]


async def test_a_new_goal_while_a_question_is_open_loses_nothing() -> None:
    store = MemoryStore()
    given = (
        specialist("sanitation", permitted, description="Rats, mice and trash in a yard."),
        specialist("housing", work, description="No heat, no hot water."),
    )
    graph = build(store=store, specialists=given, checkpointer=InMemorySaver())
    first = await graph.ainvoke({"goal": "Rats in the yard, and no heat at all."}, T)
    assert "__interrupt__" in first
    finished = next(step for step in first["ledger"]["steps"] if step["status"] == "done")
    second = await graph.ainvoke({"goal": "No hot water today"}, T)
    ledger = second["ledger"]
    assert ledger["goal"] == "No hot water today" and ledger["status"] == "done" and "__interrupt__" not in second
    kept = json.loads(await store.read(ledger["case"], ledger["earlier"]["handle"]))["ledger"]
    assert finished in kept["steps"] and kept["goal"] == "Rats in the yard, and no heat at all." and kept["status"] == "stopped"
    assert await store.read(kept["case"], finished["artifacts"][0]), "what the earlier case stored is still there"
