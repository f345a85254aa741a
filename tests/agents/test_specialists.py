"""The four specialists on the sample city, without a model."""

import datetime as dt
import inspect
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agents.city.records import Records, make_sample, open_records
from agents.city.records.sample import HEROES
from agents.housing import housing
from agents.permits import permits
from agents.potholes import potholes
from agents.sanitation import sanitation
from agents.specialist import Specialist, Task
from contracts import Return, Status, estimate, registry_of
from store import MemoryStore

ALL = (potholes, permits, sanitation, housing)
RECORD = re.compile(r"\b(?:\d{12}|V\d{4,}|(?:A|SF|ALT|U|G)9\d{4,}|(?:EXCA|EMER)-\d+)\b")
Ran = tuple[Return, dict[str, str]]
Run = Callable[..., Awaitable[Ran]]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_sample(folder / "records.db")
    return folder


@pytest.fixture(scope="session")
def known(home: Path) -> frozenset[str]:
    return frozenset(ids(open_records(home / "records.db")))


def ids(records: Records) -> set[str]:
    columns = {"cases": "case_id", "violations": "case_no", "permits": "permit_number", "street_work": "permit"}
    return {row[0] for table, column in columns.items() for row in records.rows(f"SELECT {column} FROM {table}")}


@pytest.fixture
def task(home: Path) -> Callable[..., Task]:
    def make(specialist: Specialist, ask: str, goal: str = "", **more: object) -> Task:
        return Task(
            specialist=specialist,
            case="c1",
            step=1,
            ask=ask,
            goal=goal,
            criteria=(("c1", "settle it"),),
            store=MemoryStore(),
            home=home,
            today=dt.date(2025, 3, 3),
            **more,
        )

    return make


@pytest.fixture
def run(task: Callable[..., Task]) -> Run:
    """Run a specialist; return its contract and the text of what it stored, by kind."""

    async def go(specialist: Specialist, ask: str, goal: str = "", **more: object) -> Ran:
        job = task(specialist, ask, goal, **more)
        made = specialist.run(job)
        result = await made if inspect.isawaitable(made) else made
        assert isinstance(result, specialist.returns)
        handles = [await job.store.stat(job.case, alias, verify=True) for alias in result.artifacts]
        stored: dict[str, str] = {}
        for handle in handles:
            stored[handle.kind] = stored.get(handle.kind, "") + (await job.store.read(job.case, handle.alias, 0, handle.bytes)).decode()
        return result, stored

    return go


def test_the_four_can_be_registered_and_are_short() -> None:
    assert list(registry_of(ALL)) == ["potholes", "permits", "sanitation", "housing"]
    assert all(estimate(item.description) <= 22 and item.prompt and len(item.examples) >= 3 for item in ALL)


@pytest.mark.parametrize("specialist", ALL, ids=lambda item: item.name)
@pytest.mark.parametrize("address", HEROES)
async def test_a_building_on_file_is_settled_with_evidence(run: Run, known: frozenset[str], specialist: Specialist, address: str) -> None:
    result, stored = await run(specialist, f"c1: what is wrong at {address}")
    assert (result.status, result.settles, result.questions) == (Status.DONE, ("c1",), ())
    assert result.artifacts and "as of" in result.outcome
    cited = set(RECORD.findall(f"{result.headline} {result.outcome}"))
    told = set(RECORD.findall(" ".join(stored.values())))
    assert cited and cited <= told <= known
    assert all("as of 20" in text for text in stored.values())


async def test_each_specialist_stores_its_own_kinds(run: Run) -> None:
    kinds = {item.name: set((await run(item, "at 31 Lantern St"))[1]) for item in ALL}
    assert kinds["potholes"] >= {"street_conditions", "case_history", "street_work"}
    assert kinds["permits"] >= {"permit_history", "case_history", "violations", "street_work"}
    assert kinds["sanitation"] >= {"case_history", "sweeping"}
    assert kinds["housing"] >= {"violations", "case_history", "inspection_report"}


@pytest.mark.parametrize("address", HEROES)
async def test_facts_agree_with_the_stored_text(run: Run, address: str) -> None:
    result, stored = await run(housing, address)
    facts = result.facts.model_dump()
    assert facts["violations"] == len(re.findall(r"^- V\d+", stored["violations"], re.M))
    assert facts["open"] == len(re.findall(r"^- V\d+ .*: open,", stored["violations"], re.M))
    assert facts["newest"] in stored["violations"]
    swept, _ = await run(sanitation, "31 Lantern St")
    assert swept.facts.model_dump()["sweeping"] >= dt.date(2025, 3, 3)


@pytest.mark.parametrize("specialist", ALL, ids=lambda item: item.name)
async def test_an_address_that_does_not_exist_is_a_finding_with_its_search(run: Run, specialist: Specialist) -> None:
    result, stored = await run(specialist, "c1: 12 Nowhere Lane")
    assert result.status is Status.DONE and result.headline.startswith("no building found at 12 Nowhere Lane")
    assert "12 Nowhere Lane" in stored["search_record"] and not RECORD.search(stored["search_record"])


async def test_an_unknown_number_still_tells_of_the_street(run: Run) -> None:
    result, stored = await run(sanitation, "c1: trash at 999 Quill St")
    assert result.status is Status.DONE and "sweeping" in stored
    assert "No building found at 999 Quill St" in stored["search_record"]


@pytest.mark.parametrize("specialist", ALL, ids=lambda item: item.name)
async def test_an_ambiguous_address_is_asked_once_and_then_used(run: Run, specialist: Specialist) -> None:
    result, _ = await run(specialist, "c1: 10 Mill St")
    (question,) = result.questions
    assert result.status is Status.BLOCKED and "Harborside" in question.text and "Quarry Hill" in question.text
    told, stored = await run(specialist, "c1: 10 Mill St", answers=((question.text, "the one in Quarry Hill"),))
    assert told.status is Status.DONE and "Harborside" not in " ".join(stored.values())
    unsure, stored = await run(specialist, "c1: 10 Mill St", answers=((question.text, "no idea"),))
    assert unsure.status is Status.DONE and {"Harborside", "Quarry Hill"} <= set(re.findall(r"Harborside|Quarry Hill", " ".join(stored.values())))


@pytest.mark.parametrize("specialist", ALL, ids=lambda item: item.name)
async def test_without_any_place_the_resident_is_asked_and_no_answer_ends_it(run: Run, specialist: Specialist) -> None:
    result, _ = await run(specialist, "c1: it smells", "It smells everywhere")
    assert result.status is Status.BLOCKED and len(result.questions) == 1
    again, stored = await run(specialist, "c1: it smells", "It smells everywhere", answers=((result.questions[0].text, "I do not know"),))
    assert again.status is Status.PARTIAL and not again.questions and stored
    given, _ = await run(specialist, "c1: it smells", "It smells everywhere", answers=((result.questions[0].text, "31 Lantern Street"),))
    assert given.status is Status.DONE and "31 Lantern St" in given.headline


async def test_the_place_comes_from_the_ask_before_the_goal(run: Run) -> None:
    goal = "Rats at 31 Lantern St, and no heat at 48-50 Harrow Ave."
    named, _ = await run(housing, "c2: no heat at 48 Harrow Avenue", goal)
    assert "Harrow" in named.headline
    both, stored = await run(housing, "c1: what is on file", goal)
    assert "and 1 more" in both.headline and all(place in " ".join(stored.values()) for place in ("31 Lantern St", "48-50 Harrow Ave"))
    cut, _ = await run(housing, "c1: what is on file at 12 Cop…", goal)
    assert "31 Lantern St" in cut.headline


async def test_more_places_than_one_task_takes_are_named_and_not_claimed(run: Run) -> None:
    result, stored = await run(housing, "; ".join(HEROES[:9]))
    assert result.status is Status.PARTIAL and "Not looked up" in result.outcome and not result.settles
    assert len(result.artifacts) <= 8 and stored


async def test_a_street_alone_is_enough_for_street_work_and_not_for_housing(run: Run) -> None:
    result, stored = await run(potholes, "c1: plates on Lantern Street bang all night")
    assert result.status is Status.DONE and "must restore" in stored["street_work"]
    asked, _ = await run(housing, "c1: no heat on Lantern Street")
    assert asked.status is Status.BLOCKED and "house number" in asked.questions[0].text


async def test_a_case_number_is_traced_and_gives_the_place(run: Run, home: Path) -> None:
    rows = open_records(home / "records.db").rows("SELECT case_id FROM cases WHERE closure_reason LIKE '%Duplicate of case #%'")
    result, stored = await run(potholes, f"c1: what became of {rows[0]['case_id']}")
    assert rows[0]["case_id"] in stored["case_trace"] and "refers on" in stored["case_trace"]
    nothing, stored = await run(potholes, "c1: what became of 999999999999 at 31 Lantern St")
    assert "no case 999999999999" in " ".join(stored.values()) and nothing.status is Status.DONE


@pytest.mark.parametrize("specialist", ALL, ids=lambda item: item.name)
async def test_tools_store_the_whole_and_return_a_bounded_head(task: Callable[..., Task], specialist: Specialist) -> None:
    job = task(specialist, "c1")
    for number, tool in enumerate(specialist.tools(job), 1):
        assert tool.__doc__ and list(inspect.signature(tool).parameters) == ["address"]
        said = await tool("31 Lantern St")
        stored = await job.store.list(job.case)
        assert len(stored) == number and estimate(said) < 1_300
        assert any(said.startswith(f"Stored as {handle.alias}.") for handle in stored)
    assert "No building or street found" in await tool("nothing here")
    assert "search_record" in {handle.kind for handle in await job.store.list(job.case)}
