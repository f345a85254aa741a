"""The same desk over HTTP in each of the four methods: the same ledger, decision records aside."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from agents.offline.routing import OfflineRouter
from agents.registry import SPECIALISTS
from graph.workflow import build
from store import MemoryStore
from tests.endpoint import Answer, Body, ScriptedEndpoint, fitting, json_word, method_of, no_parameters, one_system, says

GOAL = "There are rats in the yard of 12 Elm St. The pothole in front of 40 Oak Ave is still open."
VARYING = {"decisions", "digest", "case", "opened_at", "closed_at", "hash", "seal", "opened_hash", "closed_hash", "spent"}


def routed(request: Body) -> Answer:
    """Route as the offline router does, in the way that the request asks for."""
    system, user = (message["content"] for message in request["messages"])
    made = OfflineRouter(specialists=SPECIALISTS).invoke([SystemMessage(system), HumanMessage(user)]).text
    try:
        return fitting(json.loads(made))(request)
    except ValueError:
        return says("")


def steady(value: Any) -> Any:
    """Return a ledger without what differs between two runs of the same case."""
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VARYING}
    return [steady(item) for item in value] if isinstance(value, list) else value


async def run(home: Path) -> Any:
    """Run one case and return its final state."""
    desk = build(store=MemoryStore(), home=home, clock=lambda: dt.datetime(2025, 6, 1, tzinfo=dt.UTC))
    return await desk.ainvoke({"goal": GOAL}, {"recursion_limit": 100})


async def test_the_method_leaves_no_trace_outside_the_decision_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledgers = []
    for method in ("json_schema", "function_calling", "json_mode", "text"):
        with ScriptedEndpoint(routed, rules=(json_word, no_parameters, one_system)) as server:
            for name, value in {
                "OPENAI_BASE_URL": server.url,
                "DESK_ROUTER_MODEL": "double",
                "DESK_SPECIALIST_MODEL": "offline",
                "DESK_METHOD": method,
            }.items():
                monkeypatch.setenv(name, value)
            ledger = (await run(tmp_path))["ledger"]
            assert {method_of(request) for request in server.requests} == {method, "text"}, "decisions by the method, the answer as text"
        assert server.refused == 0 and ledger["status"] == "done"
        assert {record["method"] for record in ledger["decisions"]} == {method}
        assert {record["tokens_source"] for record in ledger["decisions"]} == {"reported"}
        ledgers.append(steady(ledger))
    assert len(ledgers[0]["steps"]) >= 2 and all(ledger == ledgers[0] for ledger in ledgers)
