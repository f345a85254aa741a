"""Which URL opens which store, and sweeping what no ledger refers to."""

import subprocess
import sys
from pathlib import Path

import pytest

import store as package
from contracts import SettingsError
from store import ArtifactStore, MemoryStore, SqliteStore, open_store, sweep
from store.conformance import new_case, put


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///desk.db", "SqliteStore('desk.db')"),
        ("sqlite:////var/desk.db", "SqliteStore('/var/desk.db')"),
        ("/var/desk.db", "SqliteStore('/var/desk.db')"),
        (Path("a/desk.db"), "SqliteStore('a/desk.db')"),
        ("redis://me:secret@cache:7000/3?ssl_password=secret", "RedisStore('redis://cache:7000/3')"),
        ("rediss://:secret@cache", "RedisStore('rediss://cache:6379')"),
        ("unix://me@/run/redis.sock?password=secret", "RedisStore('unix:///run/redis.sock')"),
    ],
)
def test_a_url_opens_its_store_without_connecting(url: str, shown: str) -> None:
    assert repr(open_store(url)) == shown


def test_memory_is_named_by_its_scheme() -> None:
    assert isinstance(open_store("memory:"), MemoryStore)
    assert isinstance(open_store("memory"), SqliteStore)


@pytest.mark.parametrize("url", ["", "  ", "postgres://me:secret@host/db", "sqlite://x", "sqlite:///", "http://x", "memory://x", "a\0b"])
def test_an_unknown_url_is_refused_with_the_choices_and_without_its_text(url: str) -> None:
    with pytest.raises(SettingsError, match="redis://") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


async def test_a_store_of_ones_own_is_named_by_module_and_function() -> None:
    store = open_store("python:tests.store.dictionary:DictionaryStore")
    handle = await put(store, case := new_case(), b"x")
    assert await store.list(case) == [handle]
    await store.aclose()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere.mystore:open", "ModuleNotFoundError: No module named 'nowhere'"),
        ("tests.store.dictionary:missing", "AttributeError: module 'tests.store.dictionary' has no attribute 'missing'"),
        ("tests.store.dictionary", "name it as python:module:function"),
        ("tests.store.dictionary:json", "TypeError$"),
        ("tests.store.dictionary:json.loads", "TypeError$"),
        ("", "name it as python:module:function"),
    ],
)
def test_a_store_of_ones_own_that_cannot_be_made_is_a_clear_error(name: str, told: str) -> None:
    with pytest.raises(SettingsError, match=f"^the store python:{name} cannot be opened: {told}"):
        open_store(f"python:{name}")


def test_redis_and_langchain_are_imported_only_when_asked_for() -> None:
    code = "import sys, store; store.open_store('x.db'); sys.exit(bool({'redis', 'langchain_core'} & sys.modules.keys()))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_exported_names_exist_and_are_sorted() -> None:
    assert all(hasattr(package, name) for name in package.__all__)
    assert len(set(package.__all__)) == len(package.__all__)


async def test_a_sweep_removes_what_no_ledger_refers_to(store: ArtifactStore) -> None:
    kept, lost, late = new_case(), new_case(), new_case()
    for case in (kept, lost):
        await put(store, case, b"x")

    async def referred() -> list[str]:
        await put(store, late, b"opened while the ledgers are read")
        return [kept, *others]

    others = [case for case in await store.cases() if case not in (kept, lost)]
    assert await sweep(store, referred, idle=3600) == []
    await store.delete_case(late)
    assert await sweep(store, referred, idle=0) == [lost]
    assert await store.list(lost) == []
    assert [len(await store.list(case)) for case in (kept, late)] == [1, 1]
