"""A case of the artifact store as a LangChain ByteStore, for whatever in that ecosystem keeps bytes by key."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from langchain_core.stores import BaseStore
from typing_extensions import override

from contracts import Handle
from contracts.handles import DESCRIPTION
from store.errors import StoreError
from store.protocol import RANGE, ArtifactStore

T = TypeVar("T")
_KIND = "keyed"


class CaseByteStore(BaseStore[str, bytes]):
    """Values by key in one case; a key is kept as the description of its artifact, so it is one line of at most 120 bytes.

    Each call lists the case once, which suits hundreds of keys. Setting a key again adds the new value before the old one goes.
    """

    def __init__(self, store: ArtifactStore, case: str, *, producer: str = "bytestore") -> None:
        self._store, self._case, self._producer = store, case, producer

    @override
    async def amget(self, keys: Sequence[str]) -> list[bytes | None]:
        held = await self._held()
        return [await self._value(held[key][-1]) if key in held else None for key in keys]

    @override
    async def amset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        for key, value in key_value_pairs:
            if DESCRIPTION.cut(key) != key or not key:
                raise StoreError("key refused: one visible line of at most 120 bytes and about 24 tokens")
            held = await self._held()
            number = max((int(handle.alias[1:].split(".")[0]) for handles in held.values() for handle in handles), default=0)
            handle = None
            while handle is None or handle.description != key:  # another writer may have put this value at this number
                number += 1
                fields = {"kind": _KIND, "description": key, "media_type": "application/octet-stream", "producer": self._producer}
                handle = await self._store.put(self._case, value, stem=f"A{number}", **fields)
            for old in held.get(key, []):
                await self._store.delete(self._case, old.alias)

    @override
    async def amdelete(self, keys: Sequence[str]) -> None:
        held = await self._held()
        for key in set(keys) & held.keys():
            for handle in held[key]:
                await self._store.delete(self._case, handle.alias)

    @override
    async def ayield_keys(self, *, prefix: str | None = None) -> AsyncIterator[str]:
        for key in await self._held():
            if key.startswith(prefix or ""):
                yield key

    @override
    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        return _waited(self.amget(keys))

    @override
    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        _waited(self.amset(key_value_pairs))

    @override
    def mdelete(self, keys: Sequence[str]) -> None:
        _waited(self.amdelete(keys))

    @override
    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        return (key for key in _waited(self._held()) if key.startswith(prefix or ""))

    async def _held(self) -> dict[str, list[Handle]]:
        held: dict[str, list[Handle]] = {}
        for handle in await self._store.list(self._case):
            if handle.kind == _KIND:
                held.setdefault(handle.description, []).append(handle)
        return held

    async def _value(self, handle: Handle) -> bytes:
        await self._store.stat(self._case, handle.alias, verify=True)
        return b"".join([await self._store.read(self._case, handle.alias, at, RANGE) for at in range(0, handle.bytes, RANGE)])


def _waited(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` for a synchronous caller, also one that blocks a thread with a running loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
