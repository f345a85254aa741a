"""Real scenarios on real records: the records that ground an answer are in what the specialists store, and no others are made up."""

import datetime as dt
import inspect
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from agents.city.records import RECORDS_FILE, import_records, open_records
from agents.housing import housing
from agents.permits import permits
from agents.potholes import potholes
from agents.sanitation import sanitation
from agents.specialist import Task
from contracts import Status
from store import MemoryStore

DATA = os.environ.get("DESK_DATA", "")
pytestmark = pytest.mark.skipif(not DATA, reason="DESK_DATA is unset: the city's real records are not part of the project")
ALL = {item.name: item for item in (potholes, permits, sanitation, housing)}
RECORD = re.compile(r"\b(?:1010\d{8}|V\d{4,}|(?:EXCA|EMER)-\d+)\b")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("city")
    import_records(Path(DATA), folder / RECORDS_FILE)
    return folder


def scenarios() -> list[dict[str, Any]]:
    path = Path(DATA) / "routing" / "desk_scenarios.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if DATA else []


def grounds(scenario: dict[str, Any], name: str) -> set[str]:
    """Return the record ids that one specialist answers for."""
    found = scenario["grounding"]
    wanted = set(found.get("service_requests", {}).get(name, []))
    if name == "potholes":
        wanted |= set(found.get("streets_within_80m", []))
    if name == "permits":
        wanted |= set(found.get("building_permits", []))
    if name in ("permits", "housing"):
        wanted |= set(found.get("violations", []))
    if name in ("permits", "potholes") and "street_work_permit" in found:
        wanted.add(found["street_work_permit"])
    return wanted


@pytest.mark.parametrize("scenario", [item for item in scenarios() if item["gold"]], ids=lambda item: item["id"])
@pytest.mark.parametrize("asked", ["place", "matter"])
async def test_grounded_records_are_stored(home: Path, scenario: dict[str, Any], asked: str) -> None:
    address = scenario["grounding"].get("address") or scenario["grounding"]["street"]
    goal = (scenario.get("record_text") or scenario["text"]).replace("{address}", address)
    records = open_records(home / RECORDS_FILE)
    for name in scenario["gold"]:
        ask = f"c1: {address}" if asked == "place" else "c1: what is on file"
        case: dict[str, Any] = {"specialist": ALL[name], "case": "c1", "step": 1, "store": MemoryStore(), "home": home, "today": dt.date(2026, 3, 2)}
        task = Task(ask=ask, goal=goal, criteria=(("c1", "settle it"),), **case)
        made = ALL[name].run(task)
        result = await made if inspect.isawaitable(made) else made
        assert result.status is Status.DONE, (name, result)
        handles = [await task.store.stat("c1", alias) for alias in result.artifacts]
        text = "".join([(await task.store.read("c1", handle.alias, 0, handle.bytes)).decode() for handle in handles])
        assert not {record for record in grounds(scenario, name) if record not in text}, name
        for record in RECORD.findall(f"{result.headline} {result.outcome}"):
            assert record in text
            tables = {"cases": "case_id", "violations": "case_no", "street_work": "permit"}
            assert any(records.rows(f"SELECT 1 FROM {table} WHERE {column} = ?", (record,)) for table, column in tables.items()), record
