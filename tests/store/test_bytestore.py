"""The store as LangChain's ByteStore: its contract, asynchronously and not, on every backend."""

import asyncio

import pytest
from langchain_core.stores import ByteStore

from store import ArtifactStore, MemoryStore, StoreError
from store.bytestore import CaseByteStore
from store.conformance import new_case, put

BIG = b"0123456789" * 600_000


def test_keys_and_values_for_synchronous_callers(store: ArtifactStore) -> None:
    kept: ByteStore = CaseByteStore(store, new_case())
    assert kept.mget(["a", "b"]) == [None, None]
    kept.mset([("a", b"1"), ("docs/b", b"2"), ("docs/c", b"2"), ("big", BIG)])
    assert kept.mget(["docs/b", "a", "none", "docs/c", "big"]) == [b"2", b"1", None, b"2", BIG]
    kept.mset([("a", b"2"), ("a", b"3")])
    assert kept.mget(["a"]) == [b"3"]
    assert sorted(kept.yield_keys()) == ["a", "big", "docs/b", "docs/c"]
    assert sorted(kept.yield_keys(prefix="docs/")) == ["docs/b", "docs/c"]
    kept.mdelete(["a", "none", "docs/b"])
    assert kept.mget(["a", "docs/b", "docs/c"]) == [None, None, b"2"]


async def test_keys_and_values_on_a_loop(store: ArtifactStore) -> None:
    case = new_case()
    kept = CaseByteStore(store, case)
    await put(store, case, b"an artifact of the case")
    await kept.amset([("a", b"1"), ("b", b"an artifact of the case")])
    assert await kept.amget(["b", "a", "A note"]) == [b"an artifact of the case", b"1", None]
    assert [key async for key in kept.ayield_keys(prefix="a")] == ["a"]
    await kept.amdelete(["a"])
    assert kept.mget(["a", "b"]) == [None, b"an artifact of the case"]
    assert await CaseByteStore(store, new_case()).amget(["b"]) == [None]
    assert await store.read(case, "A1") == b"an artifact of the case"


async def test_writers_of_the_same_value_do_not_take_each_others_key() -> None:
    kept = CaseByteStore(MemoryStore(), new_case())
    await asyncio.gather(*(kept.amset([(key, b"same")]) for key in "abcdef"))
    assert await kept.amget(list("abcdef")) == [b"same"] * 6


@pytest.mark.parametrize("key", ["", "two\nlines", " padded ", "x" * 500, "nul\0"])
def test_a_key_that_a_description_cannot_carry_is_refused(key: str) -> None:
    with pytest.raises(StoreError, match="key refused"):
        CaseByteStore(MemoryStore(), new_case()).mset([(key, b"1")])
