"""Drives complaints through engine instances from outside, and reads what the specialists of `desk.py` wrote down."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

ENDED = ("success", "error", "interrupted", "timeout")
LINE = ("north yard seen", "south yard seen", "copy of the file made", "letter sent")
"""Criteria of a complaint that takes four steps: two side by side, then one by one."""


@dataclass(frozen=True)
class Run:
    """One run on one thread."""

    thread: str
    id: str


@dataclass(frozen=True)
class Work:
    """What a specialist wrote down when it began or ended a step."""

    key: str
    name: str
    phase: str
    pid: int
    host: str
    at: float

    @property
    def case(self) -> str:
        """The case that the step belongs to."""
        return self.key.partition("/")[0]


class Driver:
    """The instances as clients see them, and the work logs as the specialists left them."""

    def __init__(self, urls: Sequence[str], *logs: Path, token: str = "", headers: Mapping[str, str] | None = None) -> None:
        headers = headers if headers is not None else {"authorization": f"Bearer {token}"} if token else {}
        self.clients: list[LangGraphClient] = [
            get_client(url=url, api_key=None, headers=headers, timeout=httpx.Timeout(60, connect=5)) for url in urls
        ]
        self.logs = logs

    async def __aenter__(self) -> Self:
        """Nothing is opened before the first call."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close the connections."""
        for client in self.clients:
            await client.aclose()

    async def start(self, goal: str, criteria: Sequence[str] = LINE, *, via: int = 0, thread: str | None = None) -> Run:
        """Send a complaint to one instance and come back at once."""
        client = self.clients[via]
        thread = thread or (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, "desk", input={"goal": goal, "criteria": list(criteria)})
        return Run(thread, run["run_id"])

    async def ended(self, run: Run, *, via: int = 0, seconds: float = 60) -> dict[str, Any]:
        """Wait until a run has ended, over outages of the instance that is asked."""
        end, status = time.monotonic() + seconds, "unknown"
        while time.monotonic() < end:
            try:
                found = dict(await self.clients[via].runs.get(run.thread, run.id))
            except (httpx.HTTPError, OSError) as error:
                found = {"status": f"unreachable: {type(error).__name__}"}
            status = found["status"]
            if status in ENDED:
                return found
            await asyncio.sleep(0.2)
        raise AssertionError(f"run {run.id} is {status} after {seconds:g} s")

    async def ledger(self, run: Run, *, via: int = 0) -> dict[str, Any]:
        """Return the thread's ledger, empty before intake."""
        state = await self.clients[via].threads.get_state(run.thread)
        values: dict[str, Any] = state["values"] or {}
        return values.get("ledger") or {}

    def work(self, case: str | None = None) -> list[Work]:
        """Read the work logs, in the order of time."""
        lines = [line for log in self.logs if log.exists() for line in log.read_text().splitlines()]
        found = sorted((Work(**json.loads(line)) for line in lines), key=lambda item: item.at)
        return [item for item in found if case in (None, item.case)]

    async def until(self, run: Run, name: str, phase: str = "begin", *, via: int = 0, seconds: float = 30) -> Work:
        """Wait until a specialist of this run has begun or ended, and return what it wrote."""
        end = time.monotonic() + seconds
        case = ""
        while time.monotonic() < end:
            case = case or (await self.ledger(run, via=via)).get("case", "")
            for item in self.work(case) if case else ():
                if (item.name, item.phase) == (name, phase):
                    return item
            await asyncio.sleep(0.05)
        raise AssertionError(f"{name} did not {phase} within {seconds:g} s")

    async def whole(self, run: Run, *, via: int = 0, seconds: float = 60) -> dict[str, Any]:
        """Assert that a run succeeded, its case is closed, no step was lost and no completed step was done again; return the ledger."""
        ended = await self.ended(run, via=via, seconds=seconds)
        assert ended["status"] == "success", ended
        ledger = await self.ledger(run, via=via)
        assert ledger["status"] == "done", ledger["reason"]
        assert {item["status"] for item in ledger["criteria"]} == {"met"}
        assert {step["status"] for step in ledger["steps"]} <= {"done", "blocked"}, ledger["steps"]
        assert not ledger["rejected"] and not ledger["conflicts"]
        done = {f"{ledger['case']}/s{step['n']}": 1 for step in ledger["steps"] if step["status"] == "done"}
        assert Counter(item.key for item in self.work(ledger["case"]) if item.phase == "end") == done
        return ledger
