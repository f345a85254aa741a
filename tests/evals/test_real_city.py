"""The whole desk without a key on the real city records: who is consulted, and whether each record id in an answer is on file."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from agents.city.records import RECORDS_FILE, Records, import_records, open_records
from graph.context import Context
from graph.workflow import build
from store.memory import MemoryStore
from tests.evals.labels import complaints, scenarios
from tests.evals.scoring import jaccard

DATA = os.environ.get("DESK_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="DESK_DATA is not set: the real city records lie outside the repository")
RECORD = re.compile(r"\b(?:\d{12}|V\d{3,}|[A-Z]{1,5}\d{5,}|EXCA-\d+|EMER-\d+)\b")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("city")
    import_records(Path(str(DATA)), home / RECORDS_FILE)
    return home


async def run(home: Path, goal: str) -> dict[str, Any]:
    desk = build(store=MemoryStore(), home=home)
    values: dict[str, Any] = await desk.ainvoke({"goal": goal}, context=Context(ask_people=False))
    return values


def consulted(values: dict[str, Any]) -> set[str]:
    return {step["specialist"] for step in values["ledger"]["steps"]}


def on_file(records: Records) -> set[str]:
    columns = {"cases": "case_id", "violations": "case_no", "permits": "permit_number", "street_work": "permit"}
    return {row[0] for table, column in columns.items() for row in records.rows(f"SELECT {column} FROM {table}")}


def groundings() -> dict[str, dict[str, Any]]:
    lines = (Path(str(DATA)) / "routing" / "desk_scenarios.jsonl").read_text("utf-8").splitlines()
    return {item["id"]: item["grounding"] for item in map(json.loads, lines)}


def ids_in(value: Any) -> set[str]:
    return set(RECORD.findall(str(value)))


async def test_scenarios_reach_the_right_specialists_and_cite_records(home: Path) -> None:
    known = on_file(open_records(home / RECORDS_FILE))
    contained, scores, cited, grounded = 0, [], 0, 0
    grounding = groundings()
    for item in scenarios(Path(str(DATA))):
        values = await run(home, item.text)
        assert values["answer"].strip(), item.id
        asked = consulted(values)
        contained += set(item.gold) <= asked
        scores.append(jaccard(set(item.gold), asked))
        assert ids_in(values["answer"]) <= known, (item.id, ids_in(values["answer"]) - known)
        ground = ids_in({key: grounding[item.id].get(key) for key in ("service_requests", "streets_within_80m", "violations", "building_permits")})
        grounded += bool(ground)
        cited += bool(ground & ids_in(values["answer"]))
    assert contained >= 24, contained
    assert sum(scores) / len(scores) >= 0.75, sum(scores) / len(scores)
    assert cited >= min(24, grounded), (cited, grounded)


async def test_complaints_consult_who_must_and_nobody_else(home: Path) -> None:
    scores, recalls = [], []
    for item in complaints(Path(str(DATA))):
        asked = consulted(await run(home, item.text))
        gold = set(item.gold)
        scores.append(jaccard(gold, asked))
        recalls.append(len(gold & asked) / len(gold) if gold else 1.0)
        if not gold and not item.acceptable_extra:
            assert not asked, item.id
    assert sum(scores) / len(scores) >= 0.60
    assert sum(recalls) / len(recalls) >= 0.80
