"""The configured store: one clear error at first use where it cannot serve, and its settings reach it."""

import importlib
import time
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from contracts import SettingsError
from graph.cli import main
from graph.settings import DeskSettings
from graph.workflow import build
from store import StoreUnavailable
from store.redis import RedisStore
from tests.graph.faulty import CRITERIA, GOAL, route, working
from tests.scripted import Scripted, four
from tests.servers import valkey

SECRET = "s3cret-word"
INPUT = {"goal": GOAL, "criteria": CRITERIA}


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("REDIS_URL", "DESK_STORE", "DESK_SHARED", "DESK_STORE_TIMEOUT", "DESK_RETENTION", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DESK_HOME", str(tmp_path / "new" / "home"))


def desk() -> Any:
    return build(model=Scripted(answer=route), specialists=four(working({}, 500)))


async def test_the_home_folder_is_made_at_first_use(tmp_path: Path) -> None:
    assert (await desk().ainvoke(INPUT))["ledger"]["status"] == "done"
    assert (tmp_path / "new" / "home" / "artifacts.db").exists()


async def test_a_file_of_one_host_is_refused_where_several_share_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_SHARED", "true")
    with pytest.raises(SettingsError, match="DESK_SHARED is set, but a SQLite file is seen by one host only: set REDIS_URL") as caught:
        await desk().ainvoke(INPUT)
    assert isinstance(caught.value, ValueError), "API clients see the text of no other error"
    with valkey() as server:
        monkeypatch.setenv("REDIS_URL", server.connection_url)
        assert (await desk().ainvoke(INPUT))["ledger"]["status"] == "done"


async def test_a_store_of_ones_own_is_set_without_touching_the_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mystore.py").write_text(
        "from store import MemoryStore\n\n\nclass Mine(MemoryStore):\n    pass\n\n\nONE = Mine()\nopened = lambda: ONE\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("DESK_SHARED", "1")
    monkeypatch.setenv("DESK_STORE", "mystore:opened")
    ended = await desk().ainvoke(INPUT)
    assert ended["ledger"]["status"] == "done" and not (tmp_path / "new" / "home" / "artifacts.db").exists()
    assert await importlib.import_module("mystore").ONE.cases() == [ended["ledger"]["case"]]
    monkeypatch.setenv("DESK_STORE", "mystore:lost")
    with pytest.raises(SettingsError, match="the store python:mystore:lost cannot be opened: AttributeError: "):
        await desk().ainvoke(INPUT)


async def test_a_redis_that_is_not_there_is_one_sentence_at_first_use_and_no_run_of_failed_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    with valkey() as server:
        port = server.port
        server.terminate()
        monkeypatch.setenv("REDIS_URL", f"redis://desk:{SECRET}@127.0.0.1:{port}/0")
        monkeypatch.setenv("DESK_STORE_TIMEOUT", "0.4")
        graph, started = desk(), time.monotonic()
        with pytest.raises(StoreUnavailable, match=f"Redis store redis://127.0.0.1:{port}/0: ") as caught:
            await graph.ainvoke(INPUT)
        assert time.monotonic() - started < 3 and isinstance(caught.value, RuntimeError)
        assert SECRET not in str(caught.value) and "\n" not in str(caught.value)
        server._desired_port = port
        server.start()
        with server.client() as client:
            client.execute_command("ACL", "SETUSER", "desk", "on", f">{SECRET}", "~desk:*", "+@all")
        with blockbuster_ctx():
            assert (await graph.ainvoke(INPUT))["ledger"]["status"] == "done", "the same graph goes on once the server is there"
        server.terminate()
        ended = await graph.ainvoke(INPUT)
        assert [step["status"] for step in ended["ledger"]["steps"]] == ["failed"] * 4, "after the first use, an outage fails steps and not runs"
        assert "Not settled:" in ended["answer"]


def test_the_command_line_says_so_too(monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://:{SECRET}@127.0.0.1:{unused_tcp_port}")
    monkeypatch.setenv("DESK_STORE_TIMEOUT", "0.3")
    assert main(["run", "Rats at 12 Elm St", "--json"]) == 1
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("error: Redis store redis://127.0.0.1") == 1 and SECRET not in told.err
    monkeypatch.delenv("REDIS_URL")
    monkeypatch.setenv("DESK_SHARED", "1")
    assert main(["run", "Rats at 12 Elm St", "--json"]) == 2
    assert "set REDIS_URL" in capsys.readouterr().err


def test_time_out_and_retention_reach_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://localhost")
    monkeypatch.setenv("DESK_STORE_TIMEOUT", "1.5")
    monkeypatch.setenv("DESK_RETENTION", "0.5")
    settings = DeskSettings()
    store = settings.store(settings.home)
    assert isinstance(store, RedisStore) and (store._line.timeout, store._ttl) == (1.5, 43_200)


async def test_a_home_folder_under_a_tilde_is_in_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DESK_HOME", "~/desk")
    await desk().ainvoke(INPUT)
    assert (tmp_path / "desk" / "artifacts.db").exists() and not (tmp_path / "~").exists()
