"""Artifacts as a model-driven specialist meets them: bounded parts of any body, and a store that fails under a tool."""

import datetime as dt
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.model.endpoint import Endpoint
from agents.model.runner import RunFailed, run_with_model
from agents.model.settings import ModelChoice
from agents.specialist import Task
from contracts import Return, estimate
from store import MemoryStore, StoreUnavailable
from tests.endpoint import Script, ScriptedEndpoint, calls
from tests.scripted import specialist

GOOD = {
    "status": "done",
    "headline": "one record found",
    "outcome": "The record 101000001 is on file.",
    "facts": {"count": 1},
    "artifacts": [],
    "settles": ["c1"],
    "questions": [],
}


class Fading(MemoryStore):
    """A store that can be switched off."""

    away = False

    async def put(self, case: str, body: bytes | str, **fields: Any) -> Any:
        if self.away:
            raise StoreUnavailable("Redis store redis://desk:6379/0: gave up after 5 s")
        return await super().put(case, body, **fields)

    async def read(self, case: str, alias: str, start: int = 0, length: int = 65536) -> bytes:
        if self.away:
            raise StoreUnavailable("Redis store redis://desk:6379/0: gave up after 5 s")
        return await super().read(case, alias, start, length)


def tools(task: Task) -> Sequence[Callable[..., Any]]:
    async def lookup(address: str) -> str:
        """Look an address up."""
        return (await task.put(f"row {address}", kind="note", description="rows")).alias

    return (lookup,)


async def work(store: Fading, *script: Script, handed: Sequence[str] = ()) -> tuple[Return, ScriptedEndpoint]:
    """Let a scripted model work on a task that was handed some bodies as A1, A2, …"""
    handles = [await store.put("c", body, stem=f"A{n}", kind="note", description="note", producer="test") for n, body in enumerate(handed, 1)]
    store.away = not handed
    one = specialist("permits", tools=tools, prompt="You look up permits.")
    day = dt.date(2025, 1, 1)
    task = Task(
        specialist=one,
        case="c",
        step=9,
        ask="c1: look",
        goal="g",
        criteria=(("c1", "x"),),
        handles=tuple(handles),
        store=store,
        home=Path(),
        today=day,
    )
    with ScriptedEndpoint(*script) as server:
        model = Endpoint(ModelChoice(model="m", base_url=server.url, timeout=5.0, attempts=1))
        try:
            return (await run_with_model(one, task, model))[0], server
        finally:
            await model.aclose()


async def test_a_store_that_fails_under_a_tool_fails_the_step() -> None:
    with pytest.raises(RunFailed, match="gave up after 5 s") as caught:
        await work(store := Fading(), calls(("lookup", {"address": "12 Elm St"})), calls(("hand_back", GOOD)))
    assert caught.value.spent.calls == 1, "what it cost is not lost, and the model is not asked on"
    assert await store.cases() == []


async def test_every_part_that_a_model_reads_is_bounded_and_says_where_the_next_begins() -> None:
    line, lines = json.dumps([{"id": n, "text": "道路" * 20} for n in range(9_000)], ensure_ascii=False)[:400_000], "x\n" * 50_000
    wanted = [("read_artifact", {"alias": "A1"}), ("read_artifact", {"alias": "A1", "start": 300_001}), ("read_artifact", {"alias": "A2"})]
    result, server = await work(Fading(), calls(*wanted), calls(("hand_back", GOOD)), handed=[line, lines])
    parts = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]
    assert len(parts) == 3 and result.artifacts == ()
    for part in parts:
        assert estimate(part) <= 1_500 and len(part.encode()) <= 6_000 and ", continue at " in part.splitlines()[-1] and "�" not in part
