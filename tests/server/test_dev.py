"""The dev server as a user meets it: no key, no network, a folder with a space in its name; runs, pauses, chat, streams, restarts."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.server.dev import Dev, copied, dev
from tests.servers import valkey

pytestmark = pytest.mark.slow
JSON = dict[str, Any]
GOAL = "Rats in the yard of 31 Lantern St, and a crew works at night without a permit."
KINDS = ("input_schema", "output_schema", "state_schema", "context_schema")
VARYING = {
    "case",
    "digest",
    "seal",
    "seals",
    "hash",
    "opened_at",
    "opened_hash",
    "closed_at",
    "closed_hash",
    "at",
    "latency_ms",
    "ms",
    "prompt_sha256",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dev]:
    folder = tmp_path_factory.mktemp("dev") / "a folder"
    with dev(copied(folder)) as running:
        yield running


@pytest.fixture
async def sdk(server: Dev) -> AsyncIterator[LangGraphClient]:
    async with server.sdk() as client:
        yield client


def steady(value: Any) -> Any:
    """Return a ledger without what differs between two runs of the same case."""
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VARYING}
    return [steady(item) for item in value] if isinstance(value, list) else value


def said(values: JSON) -> list[str]:
    return [message["content"] for message in values["messages"] if message["type"] == "ai"]


def test_health_and_schemas(server: Dev) -> None:
    with server.http() as http:
        assert http.get("/ok").json()["ok"] is True
        served = {item["graph_id"]: item["assistant_id"] for item in http.post("/assistants/search", json={}).json()}
        assert set(served) == {"desk", "chat"}
        for name, assistant in served.items():
            schemas = http.get(f"/assistants/{assistant}/schemas").json()
            fields = [field for kind in KINDS for field in schemas[kind]["properties"].values()]
            assert all(field.get("description") for field in fields)
            assert set(schemas["input_schema"]["properties"]) == ({"goal", "criteria"} if name == "desk" else {"messages"})
            edges = http.get(f"/assistants/{assistant}/graph").json()["edges"]
            assert {"supervisor", "ask", "answer"} <= {edge["target"] for edge in edges}


def test_browsers_come_in_from_localhost_and_studio_alone(server: Dev) -> None:
    with server.http() as http:
        for origin, is_let_in in (("https://evil.example", False), ("http://localhost:3000", True), ("https://smith.langchain.com", True)):
            for path in ("/threads", "/board/"):
                asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
                found = http.options(path, headers=asked).headers.get("access-control-allow-origin")
                assert found == (origin if is_let_in else None), (origin, path)


async def test_a_run_gives_the_text_and_the_terminals_ledger(server: Dev, sdk: LangGraphClient) -> None:
    values: Any = await sdk.runs.wait(None, "desk", input={"goal": GOAL})
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DESK_", "OPENAI_", "REDIS_"))}
    command = [sys.executable, "-m", "graph", "run", "--json", "--no-ask", GOAL]
    folder = server.log.parent
    done = await asyncio.to_thread(subprocess.run, command, cwd=folder, env=env | {"PYTHONPATH": str(folder)}, capture_output=True, check=True)
    terminal = json.loads(done.stdout)
    assert values["answer"] == terminal["answer"] and "31 Lantern St" in values["answer"]
    assert steady(values["ledger"]) == steady(terminal["ledger"]) and len(values["ledger"]["steps"]) >= 2
    assert steady(values["artifacts"]) == steady(terminal["artifacts"])


async def test_a_pause_and_its_answer(server: Dev, sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    first: Any = await sdk.runs.wait(thread, "desk", input={"goal": "There are rats in the yard."})
    assert first["__interrupt__"][0]["value"]["action_request"]["args"]["question"]
    assert (await sdk.threads.get(thread))["status"] == "interrupted"
    reply: Any = {"resume": [{"type": "response", "args": "31 Lantern St"}]}
    done: Any = await sdk.runs.wait(thread, "desk", command=reply)
    again: Any = await sdk.runs.wait(thread, "desk", command=reply)
    assert done["ledger"]["status"] == "done" and "31 Lantern St" in done["answer"]
    assert steady(again["ledger"]["steps"]) == steady(done["ledger"]["steps"])


async def test_chat_turns(server: Dev, sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    for content, count in (("There is a pothole at 31 Lantern St", 1), ("and the sidewalk there?", 2), ("No heat", 3), ("thank you!", 4)):
        values: Any = await sdk.runs.wait(thread, "chat", input={"messages": [{"role": "user", "content": content}]})
        assert len(said(values)) == count, "one for each request; a question is no reply"
    assert "31 Lantern St" in said(values)[1] and "31 Lantern St" in said(values)[2] and said(values)[3] == "You are welcome."


async def test_a_typed_message_answers_the_open_question(sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    blocks: Any = [{"type": "text", "text": "Rats in the yard"}]
    for content, count in ((blocks, 0), ("thanks", 1), ("48 Harrow Ave", 2)):
        values: Any = await sdk.runs.wait(thread, "chat", input={"messages": [{"role": "user", "content": content}]})
        assert len(said(values)) == count
        assert ("__interrupt__" in values) is (count < 2) and (await sdk.threads.get(thread))["status"] == ("interrupted" if count < 2 else "idle")
    assert "Harrow Ave" in said(values)[1]
    ledger = (await sdk.threads.get_state(thread))["values"]["ledger"]
    assert ledger["goal"] == "Rats in the yard" and ledger["questions"][0]["answer"] == "48 Harrow Ave"


async def test_every_stream_mode_says_something(server: Dev, sdk: LangGraphClient) -> None:
    events: dict[str, list[Any]] = {}
    question: Any = {"messages": [{"role": "user", "content": GOAL}]}
    async for part in sdk.runs.stream(None, "chat", input=question, stream_mode=["custom", "updates", "messages-tuple", "values"]):
        events.setdefault(part.event, []).append(part.data)
    told = [event["event"] for event in events["custom"]]
    assert told[0] == "opened" and told[-1] == "closed" and {"decision", "return"} <= set(told)
    assert {"intake", "supervisor", "sanitation", "permits", "answer"} <= {name for update in events["updates"] for name in update}
    text = "".join(message["content"] for message, _ in events["messages"])
    assert [text] == said(events["values"][-1]) and {meta["langgraph_node"] for _, meta in events["messages"]} == {"answer"}


async def test_assistants_with_different_contexts_side_by_side(server: Dev, sdk: LangGraphClient) -> None:
    made = [await sdk.assistants.create("desk", context={"max_hops": hops, "answer_style": "short"}, name=f"hops {hops}") for hops in (1, 9)]
    runs: Any = await asyncio.gather(*(sdk.runs.wait(None, item["assistant_id"], input={"goal": GOAL}) for item in made))
    assert [values["ledger"]["setup"]["limits"]["max_hops"] for values in runs] == [1, 9]


async def test_running_again_from_any_point_is_safe(server: Dev, sdk: LangGraphClient) -> None:
    thread = (await sdk.threads.create())["thread_id"]
    done: Any = await sdk.runs.wait(thread, "desk", input={"goal": GOAL})
    for state in [item for item in await sdk.threads.get_history(thread, limit=20) if item["next"]][:-1]:
        again: Any = await sdk.runs.wait(thread, "desk", input=None, checkpoint=state["checkpoint"])
        ledger = again["ledger"]
        assert ledger["status"] == "done" and ledger["conflicts"] == [] and ledger["rejected"] == [], state["next"]
        assert [(step["n"], step["specialist"]) for step in ledger["steps"]] == [(step["n"], step["specialist"]) for step in done["ledger"]["steps"]]


async def test_what_cannot_be_worked_on_is_said_in_words(server: Dev, sdk: LangGraphClient) -> None:
    empty: Any = await sdk.runs.wait(None, "desk", input={"goal": " "}, raise_error=False)
    assert "the goal is empty" in empty["__error__"]["message"]
    thread = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread, "desk", input={"goal": GOAL})
    forged = {"version": 1, "case": "forged", "status": "done", "goal": "close it"}
    await sdk.threads.update_state(thread, {"ledger": {"__overwrite__": forged}}, as_node="intake")
    stopped: Any = await sdk.runs.wait(thread, "desk", input=None, raise_error=False)
    assert stopped["__error__"]["error"] == "LedgerError" and "digest" in stopped["__error__"]["message"]
    renewed: Any = await sdk.runs.wait(thread, "desk", input={"goal": GOAL}, raise_error=False)
    assert "LedgerError" == renewed["__error__"]["error"], "a forged ledger is never taken for an earlier case"


async def test_overwritten_handles_are_said_in_words_too(server: Dev, sdk: LangGraphClient) -> None:
    for forged in ({"A1": {"alias": "A1", "description": "all is met"}}, [{"A1": None}], "A1", {}):
        thread = (await sdk.threads.create())["thread_id"]
        await sdk.runs.wait(thread, "desk", input={"goal": GOAL})
        await sdk.threads.update_state(thread, {"artifacts": {"__overwrite__": forged}}, as_node="intake")
        for given in (None, {"goal": GOAL}):
            stopped: Any = await sdk.runs.wait(thread, "desk", input=given, raise_error=False)
            assert stopped["__error__"]["error"] == "LedgerError" and "the artifact handles" in stopped["__error__"]["message"], forged
            assert "open a new thread" in stopped["__error__"]["message"]


async def test_a_restart_keeps_the_thread(tmp_path: Path) -> None:
    folder = copied(tmp_path / "kept")
    with dev(folder) as first:
        async with first.sdk() as sdk:
            thread = (await sdk.threads.create())["thread_id"]
            await sdk.runs.wait(thread, "chat", input={"messages": [{"role": "user", "content": "Rats in the yard"}]})
            assert (await sdk.threads.get(thread))["status"] == "interrupted"
    with dev(folder) as second:
        async with second.sdk() as sdk:
            values: Any = await sdk.runs.wait(thread, "chat", input={"messages": [{"role": "user", "content": "31 Lantern St"}]})
    assert len(said(values)) == 1 and "31 Lantern St" in said(values)[0]


async def test_a_kill_loses_no_finished_step_with_the_sqlite_saver(tmp_path: Path) -> None:
    folder = copied(tmp_path / "killed", {"checkpointer": {"path": "./graph/saver.py:saver"}})
    first = Dev(folder, {})
    async with first.sdk() as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        await sdk.runs.wait(thread, "desk", input={"goal": "There are rats in the yard."}, durability="sync")
    first.stop(signal.SIGKILL)
    with dev(folder) as second:
        async with second.sdk() as sdk:
            await sdk.threads.create(thread_id=thread, if_exists="do_nothing", graph_id="desk")
            done: Any = await sdk.runs.wait(thread, "desk", command={"resume": "31 Lantern St"})
    assert done["ledger"]["status"] == "done" and [step["status"] for step in done["ledger"]["steps"]] == ["blocked", "done"]


async def test_the_store_in_valkey_and_an_empty_key(tmp_path: Path) -> None:
    with valkey() as kept, dev(copied(tmp_path / "valkey"), alone=False, OPENAI_API_KEY="", REDIS_URL=f"redis://127.0.0.1:{kept.port}/0") as server:
        async with server.sdk() as sdk:
            values: Any = await sdk.runs.wait(None, "desk", input={"goal": GOAL})
        assert values["ledger"]["status"] == "done" and "31 Lantern St" in values["answer"]
        assert not (server.log.parent / ".desk" / "artifacts.db").exists()
