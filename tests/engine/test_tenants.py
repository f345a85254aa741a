"""Users of one server see their own threads, runs, artifacts and board pages, and nobody else's: every border is tried."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

from contracts import SettingsError
from graph.engine.stack import Stack
from tests.engine.conftest import HERE
from tests.engine.dev import dev_server
from tests.engine.drive import Driver, Run

TOKENS = "alice=alice-token,bob=bob-token"
GOAL = "Rats in the yard of alice"


def placed(home: Path, *, auth: str = "graph.auth:auth") -> Path:
    """Copy tenants.json into a folder of run data; `langgraph dev` reads paths from where it runs, and leaves its state there."""
    config = json.loads((HERE / "tenants.json").read_text())
    config |= {"dependencies": [os.getcwd()], "graphs": {"desk": f"{HERE / 'desk.py'}:graph"}}
    config["auth"]["path"] = auth
    home.mkdir(exist_ok=True)
    (home / "tenants.json").write_text(json.dumps(config))
    return home / "tenants.json"


@pytest.fixture(scope="module", params=["engine", "dev"])
def server(request: pytest.FixtureRequest, home: Path) -> Iterator[str]:
    """One server with auth switched on: the engine, then `langgraph dev`."""
    env = {"DESK_TOKENS": TOKENS, "DESK_HOME": str(home), "DESK_SLOW": "0.05"}
    if request.param == "engine":
        with Stack(home, HERE / "tenants.json", instances=1, port=0, env=env) as stack:
            yield stack.urls[0]
        return
    with dev_server(home, placed(home), env) as url:
        yield url


@pytest.fixture
async def alice(server: str) -> AsyncIterator[LangGraphClient]:
    async with Driver([server], token="alice-token") as driver:
        yield driver.clients[0]


@pytest.fixture
async def secret(server: str) -> Run:
    """A thread of alice's whose run waits for an answer, with an artifact A1."""
    async with Driver([server], token="alice-token") as driver:
        run = await driver.start(GOAL, ["north yard seen", "owner of the yard named"])
        assert (await driver.ended(run))["status"] in ("interrupted", "success")
        return run


STRANGERS: dict[str, dict[str, str]] = {
    "bob": {"authorization": "Bearer bob-token"},
    "bob as studio": {"authorization": "Bearer bob-token", "x-auth-scheme": "langsmith"},
    "nobody": {},
    "nobody as studio": {"x-auth-scheme": "langsmith"},
    "wrong token": {"authorization": "Bearer alice-token2"},
    "wrong scheme": {"authorization": "Basic alice-token"},
    "empty token": {"authorization": "Bearer"},
}

Attempt = Callable[[LangGraphClient, Run], Awaitable[Any]]
ATTEMPTS: dict[str, Attempt] = {
    "read the thread": lambda me, run: me.threads.get(run.thread),
    "read the state": lambda me, run: me.threads.get_state(run.thread),
    "read the history": lambda me, run: me.threads.get_history(run.thread),
    "find the thread": lambda me, run: me.threads.search(),
    "find it by its owner": lambda me, run: me.threads.search(metadata={"owner": "alice"}),
    "forge the state": lambda me, run: me.threads.update_state(run.thread, {"ledger": {"__overwrite__": {}}}),
    "take the thread over": lambda me, run: me.threads.update(run.thread, metadata={"owner": "bob"}),
    "make it again": lambda me, run: me.threads.create(thread_id=run.thread, if_exists="do_nothing"),
    "copy it": lambda me, run: me.threads.copy(run.thread),
    "read the run": lambda me, run: me.runs.get(run.thread, run.id),
    "list the runs": lambda me, run: me.runs.list(run.thread),
    "join the run": lambda me, run: me.runs.join(run.thread, run.id),
    "cancel the run": lambda me, run: me.runs.cancel(run.thread, run.id),
    "delete the run": lambda me, run: me.runs.delete(run.thread, run.id),
    "start a run": lambda me, run: me.runs.create(run.thread, "desk", input={"goal": "mine"}),
    "answer the question": lambda me, run: me.runs.create(run.thread, "desk", command={"resume": "forged"}),
    "change the assistant": lambda me, run: me.assistants.create("desk", if_exists="do_nothing"),
    "write the store": lambda me, run: me.store.put_item(("alice",), "key", {"value": 1}),
    "read the store": lambda me, run: me.store.list_namespaces(()),
    "list crons": lambda me, run: me.crons.search(),
    "delete the thread": lambda me, run: me.threads.delete(run.thread),
}
PAGES = ("/board/", "/board/{}", "/board/{}/artifacts/A1", "/board/{}/artifacts/A1/body")


@pytest.mark.parametrize("who", STRANGERS)
async def test_no_stranger_crosses_a_border(server: str, secret: Run, alice: LangGraphClient, who: str) -> None:
    crossed = {}
    async with Driver([server], headers=STRANGERS[who]) as stranger:
        for name, attempt in ATTEMPTS.items():
            try:
                got = await attempt(stranger.clients[0], secret)
            except (APIStatusError, httpx.HTTPStatusError) as refused:
                if refused.response.status_code not in (401, 403, 404, 409):
                    crossed[name] = str(refused)
            else:
                if not who.startswith("bob") or got != []:
                    crossed[name] = str(got)[:200]
    async with httpx.AsyncClient(base_url=server, headers=STRANGERS[who]) as browser:
        for page in PAGES:
            reply = await browser.get(page.format(secret.thread))
            if reply.status_code == 200 and not (who.startswith("bob") and page == "/board/" and GOAL not in reply.text):
                crossed[page] = reply.text[:200]
    assert not crossed
    state = await alice.threads.get_state(secret.thread)
    assert state["values"]["ledger"]["goal"] == GOAL and state["next"] == ["ask"]
    assert (await alice.threads.get(secret.thread))["metadata"]["owner"] == "alice"


async def test_the_owner_sees_and_does_it_all(server: str, secret: Run, alice: LangGraphClient) -> None:
    async with httpx.AsyncClient(base_url=server, headers={"authorization": "Bearer alice-token"}) as browser:
        pages = [await browser.get(page.format(secret.thread)) for page in PAGES]
    assert [page.status_code for page in pages] == [200] * 4
    assert GOAL in pages[0].text and GOAL in pages[1].text and "north looked" in pages[3].text
    output = await alice.runs.wait(secret.thread, "desk", command={"resume": "Ms Lee"})
    assert isinstance(output, dict) and output["ledger"]["status"] == "done"


async def test_a_run_without_a_thread_cannot_name_someone_elses(server: str, secret: Run, alice: LangGraphClient) -> None:
    async with Driver([server], token="bob-token") as bob:
        await bob.clients[0].runs.wait(
            None, "desk", input={"goal": "mine", "criteria": ["north yard seen"]}, config={"configurable": {"thread_id": secret.thread}}
        )
    assert (await alice.threads.get_state(secret.thread))["values"]["ledger"]["goal"] == GOAL


def test_the_stack_does_not_start_when_the_auth_file_cannot_be_loaded(home: Path) -> None:
    config = placed(home / "broken", auth="./no_such_file.py:auth")
    with pytest.raises(SettingsError, match="serves everybody"):
        Stack(home / "broken", config, instances=1, port=0, env={"DESK_HOME": str(home)}).start()
