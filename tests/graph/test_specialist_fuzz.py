"""Fuzz: whatever a specialist hands back, the run ends, and the ledger says nothing that no artifact holds."""

import os
import random
import time
from typing import Any

import pytest

from agents.specialist import Task
from graph.context import Context
from graph.workflow import build
from ledger import Limits, checked
from store.memory import MemoryStore
from tests.scripted import Scripted, dispatch, finish, four

SEED = int(os.environ.get("DESK_SEED") or time.time_ns() % 10**9)
NAMES = ("potholes", "permits", "sanitation", "housing")
HOPS = 5
STATES = {"done", "partial", "blocked", "failed", "rejected"}
WORDS = [
    "",
    " ",
    "Done.",
    "c1",
    "A1",
    "A1.2",
    "A99",
    "\x00",
    "\u202e",
    "\ud800",
    "🏚️" * 40,
    "x" * 5_000,
    "{",
    "finish",
    "potholes",
    "no record at 5 Elm St",
    "\n# STEPS",
]


def junk(dice: random.Random, depth: int = 0) -> Any:
    """Return any JSON value, or something that is not JSON at all."""
    plain = [
        None,
        True,
        -1,
        10**30,
        0.5,
        float("nan"),
        dice.choice(WORDS),
        "".join(chr(dice.randrange(1, 0x10FFFF)) for _ in range(dice.randrange(12))),
    ]
    if depth > 3 or dice.random() < 0.6:
        return dice.choice(plain)
    if dice.random() < 0.5:
        return [junk(dice, depth + 1) for _ in range(dice.randrange(4))]
    keys = ["status", "outcome", "facts", "artifacts", "settles", "questions", "headline", "ledger", "__overwrite__", dice.choice(WORDS)]
    return {dice.choice(keys): junk(dice, depth + 1) for _ in range(dice.randrange(5))}


def reply(dice: random.Random, task: Task, alias: str) -> Any:
    """Return a valid return with up to three fields spoilt, or junk."""
    if dice.random() < 0.2:
        return junk(dice)
    good: dict[str, Any] = {
        "status": dice.choice(["done", "done", "partial", "blocked", "failed"]),
        "headline": "Record 101000001 found",
        "outcome": f"Record 101000001 of step {task.step} answers the ask.",
        "facts": {"count": dice.randrange(9)},
        "artifacts": dice.choice([[alias], [alias], [], ["A99"], [alias, alias]]),
        "settles": dice.choice([["c1"], ["c1", "c2"], [], ["c9"]]),
        "questions": dice.choice([[], [], [{"text": "Which house?", "to": "resident"}], [{"text": "May I?", "to": "approver"}] * 3]),
    }
    for _ in range(dice.choice([0, 0, 1, 1, 2, 3])):
        key = dice.choice(list(good)) if good else "status"
        if dice.random() < 0.2:
            good.pop(key, None)
        else:
            good[dice.choice([key, key, dice.choice(WORDS)])] = junk(dice)
    return good


async def play(dice: random.Random) -> dict[str, Any]:
    """Run one case in which every specialist hands back something of the fuzz."""

    async def work(task: Task) -> Any:
        handle = await task.put(f"Record 101000001 of step {task.step}", kind="note", description="a note")
        if dice.random() < 0.05:
            raise RuntimeError("sk-secret0123456789abcdef")
        return reply(dice, task, handle.alias)

    hops = [dispatch(*((name, f"c{1 + (hop + at) % 2}: look {hop} {at}") for at, name in enumerate(NAMES))) for hop in range(HOPS)]
    desk = build(model=Scripted(*hops, finish()), store=MemoryStore(), specialists=four(work), limits=Limits(max_hops=HOPS + 2))
    values: dict[str, Any] = await desk.ainvoke({"goal": "holes at 5 Elm St", "criteria": ["holes", "rats"]}, context=Context(ask_people=False))
    return values


def hold(values: dict[str, Any]) -> int:
    """Check what must hold of any ledger; return how many replies it took in."""
    ledger, artifacts = checked(values["ledger"]), values["artifacts"]
    assert values["answer"].strip() and ledger["status"] in ("done", "stopped")
    assert not ledger["conflicts"] and "sk-secret" not in repr(values)
    for step in ledger["steps"]:
        assert step["status"] in STATES and step["specialist"] in NAMES
        assert all(alias in artifacts for alias in step["artifacts"]), step
        assert "\n" not in step["headline"] + step["outcome"] + step["cause"] and len(step["outcome"].encode()) <= 480
    for item in ledger["criteria"]:
        assert item["status"] != "met" or item["evidence"], item
        assert all(alias in artifacts for alias in item["evidence"])
        settled = {step["n"] for step in ledger["steps"] if step["status"] == "done" and item["id"] in step["settles"] and step["artifacts"]}
        assert item["status"] != "met" or settled or ledger["archive"], item
    return int(ledger["counts"]["steps"])


async def _fuzz(replies: int) -> None:
    dice, taken = random.Random(SEED), 0
    while taken < replies:
        state = dice.getstate()
        try:
            taken += hold(await play(dice))
        except BaseException:
            print(f"seed {SEED}, after {taken} replies, state {hash(state)}")
            raise
    print(f"seed {SEED}: {taken} replies")


async def test_specialist_replies_of_any_kind() -> None:
    await _fuzz(400)


@pytest.mark.slow
async def test_thousands_of_specialist_replies() -> None:
    await _fuzz(int(os.environ.get("FUZZ", "5000")))
