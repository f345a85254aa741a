"""The wrapper round every specialist: one contract per step comes out, checked against the store, whatever happens inside."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphInterrupt
from langgraph.types import Command, Interrupt, interrupt

from agents.specialist import Task
from contracts import Return
from contracts.errors import DeskError
from store.errors import ArtifactDamaged
from store.memory import MemoryStore
from tests.graph.running import Ran
from tests.scripted import Count, Counted, dispatch, finish, four, specialist, work

JSON = dict[str, Any]
ONE = dispatch(("permits", "c1: look at 5 Elm St"))
GOAL = {"goal": "rats at 5 Elm St", "criteria": ["one thing"]}


def returned(task: Task, artifacts: list[str], **more: Any) -> Return:
    made = {"status": "done", "headline": "found it", "outcome": "The record was found.", "facts": Count(count=1)} | more
    return Counted(artifacts=tuple(artifacts), settles=tuple(name for name, _ in task.criteria), questions=(), **made)


async def run_one(run: Any, **more: Any) -> Ran:
    """Run a desk with one specialist that does `run`, then finish or be stopped."""
    ran = Ran(ONE, finish(), specialists=[specialist("permits", run)], **more)
    await ran.go(GOAL)
    return ran


async def names(task: Task, alias: str) -> Return:
    await task.put("a body", kind="note", description="a note")
    return returned(task, [alias])


@pytest.mark.parametrize("alias", ["A9", "A2", "G1", "R1", "L1", "A1.2"])
async def test_an_artifact_that_the_store_does_not_have_is_no_evidence(alias: str) -> None:
    async def run(task: Task) -> Return:
        return await names(task, alias)

    ran = await run_one(run)
    step = ran.ledger["steps"][0]
    assert step["status"] == "failed" and "does not have" in step["cause"] and step["specialist"] == "permits"
    assert ran.criteria() == {"c1": "unsettled"} and not step["artifacts"]


@pytest.mark.parametrize("alias", ["a1", "A01", "../A1", "A1 ", "A1\n", "case1/A1", "A1.1.1", "A1\u200b", "\u0410" + "1", "A9999999"])
async def test_a_malformed_alias_does_not_keep_the_contract(alias: str) -> None:
    async def run(task: Task) -> JSON:
        return returned(task, []).model_dump() | {"artifacts": [alias]}

    ran = await run_one(run)
    step = ran.ledger["steps"][0]
    assert step["status"] == "failed" and "artifacts.0" in step["cause"] and alias not in step["cause"].replace("artifacts.0", "")
    assert ran.criteria() == {"c1": "unsettled"}


async def test_an_artifact_of_another_step_or_case_is_not_its_evidence() -> None:
    store = MemoryStore()
    await store.put("othercase", "secret of another case", stem="A7", kind="note", description="other", producer="permits")

    async def run(task: Task) -> Return:
        if task.step == 1:
            return await names(task, "A1")
        return returned(task, ["A7" if task.step == 2 else "A1"])

    ran = Ran(
        *(dispatch(("permits", f"{c}: look at {c}")) for c in ("c1", "c2", "c3")), finish(), specialists=[specialist("permits", run)], store=store
    )
    await ran.go({"goal": "rats", "criteria": ["one", "two", "three"]})
    assert ran.statuses() == ["done", "failed", "rejected"]
    assert ran.criteria() == {"c1": "met", "c2": "unsettled", "c3": "unsettled"}
    assert "secret" not in repr(ran.result)


async def test_an_empty_artifact_is_no_evidence() -> None:
    async def run(task: Task) -> Return:
        return returned(task, [(await task.put(b"", kind="note", description="empty")).alias])

    ran = await run_one(run)
    assert ran.ledger["steps"][0]["cause"] == "permits names the empty artifact A1" and ran.criteria() == {"c1": "unsettled"}


class Damaged(MemoryStore):
    """A store whose bodies are not what was stored."""

    async def stat(self, case: str, alias: str, *, verify: bool = False) -> Any:
        if verify:
            raise ArtifactDamaged(f"artifact {alias}: the digests differ")
        return await super().stat(case, alias)


async def test_a_body_with_another_digest_is_no_evidence() -> None:
    ran = await run_one(work, store=Damaged())
    assert ran.ledger["steps"][0]["cause"] == "artifact A1: the digests differ" and ran.criteria() == {"c1": "unsettled"}


# --- exceptions


class Loud(DeskError, RuntimeError):
    """An error that the desk raises on purpose."""


ERRORS = [ValueError("the key is sk-canary"), KeyError("sk-canary"), TimeoutError("sk-canary"), Exception("sk-canary"), OSError(5, "sk-canary")]


@pytest.mark.parametrize("error", [*ERRORS, RecursionError("sk-canary"), ExceptionGroup("sk-canary", [ValueError("sk-canary")])])
async def test_an_exception_becomes_a_failed_step_that_tells_no_secret(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    def run(task: Task) -> Return:
        raise error

    ran = await run_one(run)
    step = ran.ledger["steps"][0]
    assert step["status"] == "failed" and step["cause"].startswith(f"{type(error).__name__} in ") and "\n" not in step["cause"]
    assert "canary" not in repr(ran.result) and "canary" not in caplog.text and "canary" not in "".join(ran.router.prompts)
    assert any("permits failed at step 1" in record.message for record in caplog.records if record.levelno >= logging.ERROR)


async def test_an_exception_inside_a_library_is_placed_in_the_authors_code() -> None:
    def look_up() -> Any:
        return httpx.get("sk-canary://nowhere")

    async def run(task: Task) -> Return:
        return await asyncio.to_thread(look_up)

    cause = (await run_one(run)).ledger["steps"][0]["cause"]
    assert cause == f"UnsupportedProtocol in look_up, tests/graph/test_wrapper.py line {look_up.__code__.co_firstlineno + 1}"


async def test_a_file_outside_the_project_is_named_without_its_folders() -> None:
    told: JSON = {}
    exec(compile("import json\n\ndef run(task):\n    json.loads('sk-canary')\n", str(Path.home() / "elsewhere" / "noise.py"), "exec"), told)
    assert (await run_one(told["run"])).ledger["steps"][0]["cause"] == "JSONDecodeError in run, noise.py line 4"


async def test_an_error_of_the_desks_own_says_what_it_is() -> None:
    async def run(task: Task) -> Return:
        raise Loud("records are not imported: run make records")

    assert (await run_one(run)).ledger["steps"][0]["cause"] == "records are not imported: run make records"


async def test_a_step_that_takes_too_long_is_failed_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_SPECIALIST_TIMEOUT", "0.05")

    async def run(task: Task) -> Return:
        await asyncio.sleep(5)
        raise AssertionError("never reached")

    assert (await run_one(run)).ledger["steps"][0]["cause"] == "no return within 0.05 s"


async def _unserialisable(task: Task) -> Return:
    return Counted.model_construct(status="done", headline=object(), outcome="x", facts=None, artifacts=(), settles=(), questions=())


async def _cancelled(task: Task) -> Return:
    raise asyncio.CancelledError


async def _leaves(task: Task) -> Return:
    raise SystemExit(3)


def _exhausted(task: Task) -> Return:
    return next(iter(()))


@pytest.mark.parametrize("run", [_unserialisable, _cancelled, _leaves, _exhausted])
async def test_whatever_a_specialist_does_its_siblings_are_kept(run: Any) -> None:
    ran = Ran(
        dispatch(("potholes", "c1: look"), ("permits", "c1: look too")), finish(), specialists=[specialist("potholes"), specialist("permits", run)]
    )
    await ran.go(GOAL)
    assert ran.statuses() == ["done", "failed"] and ran.ledger["steps"][1]["cause"]


async def test_an_error_of_the_desks_own_tells_no_secret_either() -> None:
    async def run(task: Task) -> Return:
        raise Loud("bad token sk-live-0123456789abcdefghij at redis://desk:hunter2@host")

    cause = (await run_one(run)).ledger["steps"][0]["cause"]
    assert "0123456789" not in cause and "hunter2" not in cause and "bad token" in cause


async def test_a_specialist_cannot_pause_the_graph() -> None:
    async def run(task: Task) -> Return:
        interrupt("may I?")
        raise AssertionError("never reached")

    ran = Ran(ONE, finish(), specialists=[specialist("permits", run)], checkpointer=InMemorySaver())
    await ran.go(GOAL)
    assert ran.statuses() == ["failed"] and "return blocked with a question" in ran.ledger["steps"][0]["cause"]


async def test_signals_of_the_graph_are_passed_on_and_not_taken_for_errors() -> None:
    signals: list[Exception] = [GraphInterrupt((Interrupt("may I?", id="1"),))]

    async def run(task: Task) -> Return:
        if signals:
            raise signals.pop()
        return await work(task)

    ran = Ran(ONE, finish(), specialists=[specialist("permits", run)], checkpointer=InMemorySaver())
    first = await ran.go(GOAL)
    assert first["ledger"]["steps"][0]["status"] == "pending"
    await ran.go(Command(resume="yes"))
    assert ran.statuses() == ["done"] and ran.ledger["status"] == "done"


async def test_cancellation_goes_through_and_leaves_the_step_pending() -> None:
    started = asyncio.Event()

    async def run(task: Task) -> Return:
        started.set()
        await asyncio.sleep(60)
        raise AssertionError("never reached")

    ran = Ran(ONE, finish(), specialists=[specialist("permits", run)], checkpointer=InMemorySaver())
    going = asyncio.create_task(ran.go(GOAL))
    await started.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    state = await ran.graph.aget_state(ran.config)
    assert [step["status"] for step in state.values["ledger"]["steps"]] == ["pending"]


# --- what comes back


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (None, "permits returned NoneType instead of Counted"),
        ("done", "permits returned str instead of Counted"),
        ({}, "status: Field required"),
        ({"artifact": "A1"}, "unknown keys: artifact"),
        ({"ledger": {"status": "done"}}, "unknown keys: ledger"),
        ([1, 2], "permits returned list instead of Counted"),
    ],
)
async def test_something_else_than_the_contract_is_loud_and_names_specialist_and_key(found: Any, told: str, caplog: pytest.LogCaptureFixture) -> None:
    def run(task: Task) -> Any:
        return {**returned(task, []).model_dump(), **found} if isinstance(found, dict) and found else found

    ran = await run_one(run)
    step = ran.ledger["steps"][0]
    assert step["status"] == "failed" and told in step["cause"] and "permits" in step["cause"]
    assert told in caplog.text


@pytest.mark.parametrize("wide", [False, True])
async def test_a_dict_and_an_instance_become_the_same_step(wide: bool) -> None:
    async def run(task: Task) -> Any:
        handle = await task.put("a body", kind="note", description="a note")
        made = returned(task, [handle.alias])
        return made.model_dump(mode="json") if wide else made

    ran = await run_one(run)
    step = ran.ledger["steps"][0]
    assert (step["status"], step["headline"], step["artifacts"], step["settles"]) == ("done", "found it", ["A1"], ["c1"])


@pytest.mark.parametrize("outcome", ["", "   ", "N/A", "Done.", "See above", "Erledigt.", "完成"])
async def test_an_outcome_that_says_nothing_is_not_done(outcome: str) -> None:
    async def run(task: Task) -> JSON:
        handle = await task.put("a body", kind="note", description="a note")
        return returned(task, [handle.alias]).model_dump() | {"outcome": outcome}

    ran = await run_one(run)
    assert ran.statuses() == ["failed"] and ran.criteria() == {"c1": "unsettled"}


@pytest.mark.parametrize("status", ["partial", "failed"])
async def test_whoever_stopped_at_its_limit_has_not_done_it(status: str) -> None:
    async def run(task: Task) -> Return:
        handle = await task.put("notes so far", kind="note", description="notes")
        return returned(task, [handle.alias], status=status, outcome="Stopped at the step limit after two of five lists.")

    ran = await run_one(run)
    assert ran.statuses() == [status] and ran.criteria() == {"c1": "unsettled"}


async def test_a_tool_error_that_was_mended_inside_is_done_once() -> None:
    tries = []

    async def run(task: Task) -> Return:
        for _ in range(2):
            tries.append(1)
            try:
                if len(tries) == 1:
                    raise ConnectionError("first lookup failed")
            except ConnectionError:
                continue
        return await work(task)

    ran = await run_one(run)
    assert ran.statuses() == ["done"] and len(tries) == 2 and ran.ledger["status"] == "done"
    assert "lookup failed" not in repr(ran.ledger)


async def test_done_without_an_artifact_settles_nothing() -> None:
    def run(task: Task) -> Return:
        return returned(task, [])

    ran = await run_one(run)
    assert ran.statuses() == ["done"] and ran.criteria() == {"c1": "unsettled"}


async def test_a_specialist_settles_its_own_criteria_only() -> None:
    async def run(task: Task) -> Return:
        handle = await task.put("a body", kind="note", description="a note")
        return returned(task, [handle.alias]).model_copy(update={"settles": ("c1", "c2", "c3")})

    ran = Ran(dispatch(("permits", "c1: look")), finish(), specialists=[specialist("permits", run)])
    await ran.go({"goal": "rats", "criteria": ["one", "two", "three"]})
    assert ran.criteria() == {"c1": "met", "c2": "unsettled", "c3": "unsettled"} and ran.ledger["status"] == "stopped"


async def test_two_pieces_of_work_for_one_specialist_are_two_steps() -> None:
    ran = Ran(dispatch(("permits", "c1: look at 5 Elm St"), ("permits", "c2: look at 6 Elm St")), finish(), specialists=four())
    await ran.go()
    assert [step["ask"] for step in ran.ledger["steps"]] == ["c1: look at 5 Elm St", "c2: look at 6 Elm St"] and set(ran.criteria().values()) == {
        "met"
    }
