"""Deleting a thread deletes its bodies and nothing else's; a sweep spares what a ledger file or a thread refers to."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.cli import main
from graph.files import collect, save
from graph.retention import cases_of_files, cases_of_thread, forget
from graph.workflow import build
from store import ArtifactStore, MemoryStore, StoreUnavailable, open_store, sweep
from tests.graph.faulty import CRITERIA, route, working
from tests.scripted import Scripted, four


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


async def cases(store: ArtifactStore, saver: BaseCheckpointSaver[Any], name: str, count: int) -> list[Any]:
    """Run `count` cases on one thread; return the states at their ends."""
    graph = build(model=Scripted(answer=route), store=store, specialists=four(working({}, 500)), checkpointer=saver)
    return [await graph.ainvoke({"goal": f"Goal {n} of {name}", "criteria": CRITERIA}, thread(name)) for n in range(count)]


def ids(ended: list[Any]) -> list[str]:
    return [values["ledger"]["case"] for values in ended]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_deleted_thread_takes_all_its_cases_and_no_other(kind: str, tmp_path: Path) -> None:
    store = MemoryStore() if kind == "memory" else open_store(tmp_path / "artifacts.db")
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as disk:
        saver: BaseCheckpointSaver[Any] = InMemorySaver() if kind == "memory" else disk
        mine, other = ids(await cases(store, saver, "mine", 3)), ids(await cases(store, saver, "other", 2))
        await store.put("elsewhere", "a body of no thread", stem="A1", kind="note", description="note", producer="test")
        before = {case: await store.list(case) for case in (*other, "elsewhere")}
        assert await forget(store, saver, "mine") == mine, "oldest first, so that a deletion that is cut short can be repeated"
        assert await store.cases() == sorted([*other, "elsewhere"])
        assert {case: await store.list(case) for case in before} == before
        assert await saver.aget_tuple(thread("mine")) is None and await saver.aget_tuple(thread("other")) is not None
        assert await forget(store, saver, "mine") == []
    await store.aclose()


async def test_the_chain_is_followed_where_only_the_last_checkpoint_is_left() -> None:
    store, saver = MemoryStore(), InMemorySaver()
    ended = await cases(store, saver, "long", 3)
    pruned = InMemorySaver()
    saved = await saver.aget_tuple(thread("long"))
    assert saved is not None
    config: Any = {"configurable": {"thread_id": "long", "checkpoint_ns": ""}}
    await pruned.aput(config, saved.checkpoint, saved.metadata, saved.checkpoint["channel_versions"])
    assert await cases_of_thread(store, pruned, "long") == ids(ended)
    await store.delete(ids(ended)[1], "E1")
    assert await cases_of_thread(store, pruned, "long") == ids(ended)[1:], "a chain ends where its body is lost"
    assert await cases_of_thread(store, saver, None) == ids(ended)


class Away(MemoryStore):
    async def stat(self, case: str, alias: str, *, verify: bool = False) -> Any:
        raise StoreUnavailable("the store is away")


async def test_nothing_is_deleted_while_the_store_cannot_say_what_belongs_to_the_thread() -> None:
    store, saver = Away(), InMemorySaver()
    kept = MemoryStore()
    kept._cases = store._cases
    await cases(kept, saver, "t", 2)
    before = await kept.cases()
    with pytest.raises(StoreUnavailable):
        await forget(store, saver, "t")
    assert await kept.cases() == before and await saver.aget_tuple(thread("t")) is not None


async def test_a_sweep_spares_what_threads_refer_to() -> None:
    store, saver = MemoryStore(), InMemorySaver()
    ended = ids(await cases(store, saver, "t", 2))
    await store.put("orphan", "left by a run that died", stem="E1", kind="earlier_case", description="note", producer="intake")
    assert await sweep(store, lambda: cases_of_thread(store, saver, None), idle=0) == ["orphan"]
    assert await store.cases() == sorted(ended)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.setenv("DESK_HOME", str(tmp_path / "desk"))
    return tmp_path / "desk"


async def filled(home: Path) -> list[str]:
    """Make a home folder with two cases that a file refers to, and one that none does."""
    home.mkdir()
    store = open_store(home / "artifacts.db")
    ended = await cases(store, InMemorySaver(), "t", 2)
    last = ended[-1]
    save(await collect(store, last["ledger"], last["artifacts"], last["answer"]), home / "ledgers" / f"{last['ledger']['case']}.json")
    await store.put("orphan", "nobody knows it", stem="A1", kind="note", description="note", producer="test")
    assert await cases_of_files(store, home / "ledgers") == ids(ended)
    await store.aclose()
    return ids(ended)


def swept(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, list[str], str]:
    code = main(["sweep", *options])
    told = capsys.readouterr()
    return code, told.out.split(), told.err


def left(home: Path) -> list[str]:

    async def ask() -> list[str]:
        store = open_store(home / "artifacts.db")
        found = await store.cases()
        await store.aclose()
        return found

    return asyncio.run(ask())


def test_the_command_removes_idle_cases_without_a_ledger_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:

    kept = asyncio.run(filled(home))
    assert swept(capsys) == (0, [], "0 case(s) idle for 30 days and without a ledger file removed\n")
    assert swept(capsys, "--idle", "0", "--dry-run")[:2] == (0, ["orphan"]) and "orphan" in left(home)
    assert swept(capsys, "--idle", "0")[:2] == (0, ["orphan"])
    assert left(home) == sorted(kept)
    assert swept(capsys, "--idle", "-1")[0] == 2 and swept(capsys, "--idle", "nan")[0] == 2


def test_a_ledger_file_that_cannot_be_read_stops_the_sweep(home: Path, capsys: pytest.CaptureFixture[str]) -> None:

    asyncio.run(filled(home))
    (home / "ledgers" / "broken.json").write_text(json.dumps({"ledger": {"case": "orphan"}})[:-3])
    code, gone, told = swept(capsys, "--idle", "0")
    assert (code, gone) == (2, []) and "broken.json is not JSON" in told and "orphan" in left(home)
