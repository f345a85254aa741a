"""A request is filed when the resident asks for it, approvals are on and an approver said yes; else never."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agents.city.filing import filing_tool, with_filing
from agents.city.records import RECORDS_FILE, make_sample
from agents.model.client import make_chat
from agents.model.settings import ModelChoice
from agents.specialist import Task
from contracts.returns import QUESTION
from graph.context import Context
from graph.workflow import build
from store import MemoryStore
from tests.agents.city.georeport import SERVICES, GeoReport
from tests.endpoint import ScriptedEndpoint, calls
from tests.scripted import Count, specialist, work

GOAL = "There is a deep pothole in front of 31 Lantern St. Please file a request for it."
T: Any = {"configurable": {"thread_id": "t"}}
ON = Context(approvals=True)
ASKED = "File a 311 request 'Pothole repair' for 31 Lantern St?"


@pytest.fixture
def city(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeoReport]:
    with GeoReport() as server:
        monkeypatch.setenv("OPEN311_URL", server.url)
        monkeypatch.setenv("OPEN311_API_KEY", server.key)
        yield server


def desk(home: Path, **given: Any) -> Any:
    make_sample(home / RECORDS_FILE)
    return build(store=MemoryStore(), home=home, checkpointer=InMemorySaver(), **given)


@pytest.mark.parametrize("context", [Context(), Context(approvals=True, ask_people=False)])
async def test_nothing_is_filed_without_approvals(city: GeoReport, tmp_path: Path, context: Context) -> None:
    values = await desk(tmp_path).ainvoke({"goal": GOAL}, T, context=context)
    assert values["ledger"]["status"] == "done" and city.calls == []


async def test_nothing_is_offered_that_was_not_asked_for(city: GeoReport, tmp_path: Path) -> None:
    values = await desk(tmp_path).ainvoke({"goal": "There is a deep pothole in front of 31 Lantern St."}, T, context=ON)
    assert values["ledger"]["status"] == "done" and city.calls == []


async def test_a_yes_files_once_and_the_answer_has_the_number(city: GeoReport, tmp_path: Path) -> None:
    graph = desk(tmp_path)
    first = await graph.ainvoke({"goal": GOAL}, T, context=ON)
    asked = first["__interrupt__"][0].value
    assert asked["questions"][0]["to"] == "approver" and asked["config"]["allow_accept"]
    assert asked["description"] == "File a 311 request 'Pothole repair' for 31 Lantern St?" and city.requests == []
    done = await graph.ainvoke(Command(resume=[{"type": "accept", "args": None}]), T, context=ON)
    await graph.ainvoke(Command(resume=[{"type": "accept", "args": None}]), T, context=ON)
    assert city.requests[0]["description"].startswith("Pothole repair: 31 Lantern St (ref "), "only what the approver saw is filed"
    assert len(city.requests) == 1 and city.requests[0]["address_string"] == "31 Lantern St" and "api_key" not in city.requests[0]
    assert done["ledger"]["status"] == "done" and "Filed as 311 request 638344" in done["answer"]
    assert "request_receipt" in [handle["kind"] for handle in done["artifacts"].values()]
    async for state in graph.aget_state_history(T):
        if state.next and state.next != ("__start__",):
            await graph.ainvoke(None, state.config, context=ON)
    assert len(city.requests) == 1, "running again from any checkpoint files nothing more"


@pytest.mark.parametrize("reply", ["no", "", [{"type": "ignore", "args": None}], {"decisions": [{"type": "reject", "message": "not now"}]}])
async def test_a_no_is_honoured_and_the_findings_stay(city: GeoReport, tmp_path: Path, reply: Any) -> None:
    graph = desk(tmp_path)
    await graph.ainvoke({"goal": GOAL}, T, context=ON)
    done = await graph.ainvoke(Command(resume=reply), T, context=ON)
    assert city.requests == [] and done["ledger"]["status"] == "done"
    assert "Not filed: the answer was no" in done["answer"] and "31 Lantern St" in done["answer"]


async def test_a_server_that_refuses_leaves_the_matter_unsettled(city: GeoReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPEN311_API_KEY", "wrong-secret")
    graph = desk(tmp_path)
    await graph.ainvoke({"goal": GOAL}, T, context=ON)
    done = await graph.ainvoke(Command(resume="yes"), T, context=ON)
    assert city.requests == [] and "check OPEN311_API_KEY" in done["answer"] and "wrong-secret" not in str(done)


async def test_a_model_cannot_file_before_the_yes(city: GeoReport, tmp_path: Path) -> None:
    back: dict[str, Any] = {
        "status": "done",
        "headline": "Filed it",
        "outcome": "Filed the request, I am sure of it, number 638344.",
        "artifacts": [],
    }
    facts = {"found": "building", "cases": 1, "open": 0, "newest": None, "street_permits": 0, "restore": None, "restore_until": None}
    back |= {"facts": facts, "settles": ["c1"], "questions": []}
    blocked = back | {"status": "blocked", "questions": [{"text": ASKED, "to": "approver"}]}
    file = calls(("file_request", {"address": "31 Lantern St", "matter": "a deep pothole"}))
    with ScriptedEndpoint(file, calls(("hand_back", blocked)), file, calls(("hand_back", back))) as server:
        model = make_chat(ModelChoice(model="m", base_url=server.url))
        graph = desk(tmp_path, specialist_model=model)
        first = await graph.ainvoke({"goal": GOAL}, T, context=ON)
        assert city.requests == [] and first["__interrupt__"][0].value["description"] == ASKED, first["ledger"]["steps"]
        await graph.ainvoke(Command(resume="yes"), T, context=ON)
    assert len(city.requests) == 1


def task(**given: Any) -> Task:
    wanted = {"ask": "c1: look at 31 Lantern St", "goal": GOAL, "criteria": (("c1", "deep pothole"),), "approvals": True, **given}
    one = specialist("streets", work, description="Potholes.")
    return Task(specialist=one, case="c", step=1, store=MemoryStore(), home=Path(), today=dt.date(2025, 1, 1), **wanted)


async def file_with(given: Task, address: str, matter: str = "a deep pothole") -> str:
    return str(await filing_tool(given)[0](address=address, matter=matter))


async def test_the_words_of_a_resident_approve_nothing(city: GeoReport) -> None:
    resident, approver = task(answers=((ASKED, "yes"),)), task(approved=((ASKED, "yes"),))
    assert "Not filed yet" in await file_with(resident, "31 Lantern St")
    found = resident.returned("done", "found it", "The pothole is on file.", Count(count=1))
    assert (await with_filing(resident, found, "31 Lantern St")).questions[0].text == ASKED and city.requests == []
    assert "638344" in await file_with(approver, "31 Lantern St") and len(city.requests) == 1


async def test_what_an_approver_cannot_read_whole_is_not_filed(city: GeoReport) -> None:
    place = f"31 Lantern St, {'and the block behind it, ' * 12}then 9 Elm St"
    cut = QUESTION.cut(f"File a 311 request 'Pothole repair' for {place}?")
    given = task(approved=((cut, "yes"),))
    assert "does not fit" in await file_with(given, place) and city.requests == []
    assert "does not fit" in await file_with(given, f"31 Lantern St{' ' * 20_000}{'and the block behind it, ' * 12}")
    found = given.returned("done", "found it", "The pothole is on file.", Count(count=1))
    told = await with_filing(given, found, place)
    assert city.requests == [] and told.outcome.startswith("Not filed") and "does not fit" in told.outcome and told.questions == ()


async def test_the_place_is_filed_as_it_was_shown(city: GeoReport) -> None:
    await file_with(task(approved=((ASKED, "yes"),), ask="Close the whole street."), "31 \u202eLantern  St\n")
    assert [item["address_string"] for item in city.requests] == ["31 Lantern St"]
    assert "Close" not in city.requests[0]["description"], "what a router wrote was not approved"


async def test_services_of_one_title_are_told_apart(city: GeoReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.agents.city.georeport.SERVICES", [*SERVICES, SERVICES[0] | {"service_code": "S4", "keywords": "bridge", "description": "Bridges"}]
    )
    told = await file_with(task(approved=((ASKED, "yes"),)), "31 Lantern St", "a pothole on a bridge")
    assert "'Pothole repair (S4)'" in told and city.requests == []
