"""Every backend passes the one suite; a backend of your own is proven by these few lines."""

import pytest
from blockbuster import blockbuster_ctx

from store import ArtifactStore, Backend, StoreUnavailable, preview, read_text
from store.bytestore import CaseByteStore
from store.conformance import CHECKS, MALFORMED, Check, idle_cases_are_found, new_case, put, refused
from store.guarded import guarded
from tests.store.dictionary import DictionaryStore


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_backend(check: Check, store: ArtifactStore) -> None:
    await check(store)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_guarding_a_backend_changes_nothing_that_it_does(check: Check) -> None:
    await check(guarded(DictionaryStore()))


async def test_whatever_a_guarded_method_raises_is_told_by_its_name() -> None:
    store = guarded(object())
    names = {
        "put": store.put("a", b"", stem="A1", kind="note", description="x", producer="permits"),
        **{name: getattr(store, name)("a", "A1") for name in ("read", "stat", "delete")},
        **{name: getattr(store, name)("a") for name in ("list", "delete_case", "touch")},
        **{name: getattr(store, name)() for name in ("cases", "aclose")},
    }
    for name, work in names.items():
        with pytest.raises(StoreUnavailable, match=f"^artifact store object: AttributeError, it failed at {name}$"):
            await work


async def test_no_backend_blocks_a_loop(store: ArtifactStore) -> None:
    case = new_case()
    with blockbuster_ctx():
        await put(store, case, "a line\n" * 500_000)
        await store.stat(case, "A1", verify=True)
        await read_text(store, case, "A1", 7)
        await preview(store, case, "A1")
        await CaseByteStore(store, new_case()).amset([("key", b"value")])
        await store.delete_case(case)
        await store.cases()


async def test_malformed_names_never_reach_the_backend() -> None:
    store = DictionaryStore()
    for name in MALFORMED:
        for work in (store.read(new_case(), name), store.stat(new_case(), name), store.delete(new_case(), name), put(store, new_case(), b"", name)):
            await refused(work)
    for name in ("", "*", "../x", "c" * 65, "{a}"):
        for more in (store.list(name), store.touch(name), store.delete_case(name), store.read(name, "A1"), put(store, name, b"")):
            await refused(more)
    assert store.calls == 0


def test_a_backend_that_lacks_any_of_the_eight_methods_cannot_be_made() -> None:
    mine = {name: method for name, method in vars(DictionaryStore).items() if callable(method)}
    needed = [name for name in mine if not name.startswith("__")]
    assert len(needed) == 8
    for name in needed:
        with pytest.raises(TypeError, match=rf"abstract method '?{name}'?$"):
            type("Incomplete", (Backend,), mine | {name: getattr(Backend, name)})()


@pytest.mark.parametrize("damage", ["lost", "shorter", "altered"])
async def test_suite_catches_a_backend_that_damages_bodies(damage: str) -> None:
    class Broken(DictionaryStore):
        async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
            found = await super()._fetch(case, alias, start, length)
            return found and (found[0], {"lost": b"", "shorter": found[1][:-1], "altered": found[1][::-1]}[damage])

    caught = 0
    for check in CHECKS:
        try:
            await check(Broken())
        except (AssertionError, RuntimeError):
            caught += 1
    assert caught >= 2


@pytest.mark.parametrize("broken", ["cases", "_touch"])
async def test_suite_catches_a_backend_that_knows_nothing_of_idle_time(broken: str) -> None:
    class Broken(DictionaryStore):
        async def cases(self, idle: float = 0) -> list[str]:
            return [] if idle and broken == "cases" else await super().cases(idle)

        async def _touch(self, case: str) -> None:
            if broken != "_touch":
                await super()._touch(case)

    with pytest.raises(AssertionError):
        await idle_cases_are_found(Broken())
