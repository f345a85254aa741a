"""A store that somebody else wrote: whatever it raises becomes StoreUnavailable, so that a fault costs a step and not the run."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from typing_extensions import override

from contracts import DeskError, Handle
from store.errors import StoreUnavailable
from store.protocol import ArtifactStore, Handles, Names

T = TypeVar("T")


def guarded(store: ArtifactStore) -> ArtifactStore:
    """Return `store` with clear errors; those of the desk pass, of others only the class and the system's reason are told."""
    return _Guarded(store)


class _Guarded(ArtifactStore):
    def __init__(self, store: ArtifactStore) -> None:
        self._store = store

    async def _clear(self, name: str, call: Callable[[], Awaitable[T]]) -> T:
        try:
            return await call()
        except DeskError:
            raise
        except Exception as error:
            reason = getattr(error, "strerror", None) or f"it failed at {name}"  # the text may hold a password
            raise StoreUnavailable(f"artifact store {type(self._store).__name__}: {type(error).__name__}, {reason}") from error

    @override
    async def put(
        self, case: str, body: bytes | str, *, stem: str, media_type: str = "text/plain", kind: str, description: str, producer: str
    ) -> Handle:
        told = {"stem": stem, "media_type": media_type, "kind": kind, "description": description, "producer": producer}
        return await self._clear("put", lambda: self._store.put(case, body, **told))

    @override
    async def read(self, case: str, alias: str, start: int = 0, length: int = 65536) -> bytes:
        return await self._clear("read", lambda: self._store.read(case, alias, start, length))

    @override
    async def stat(self, case: str, alias: str, *, verify: bool = False) -> Handle:
        return await self._clear("stat", lambda: self._store.stat(case, alias, verify=verify))

    @override
    async def list(self, case: str) -> Handles:
        return await self._clear("list", lambda: self._store.list(case))

    @override
    async def delete(self, case: str, alias: str) -> None:
        await self._clear("delete", lambda: self._store.delete(case, alias))

    @override
    async def delete_case(self, case: str) -> None:
        await self._clear("delete_case", lambda: self._store.delete_case(case))

    @override
    async def touch(self, case: str) -> None:
        await self._clear("touch", lambda: self._store.touch(case))

    @override
    async def cases(self, idle: float = 0) -> Names:
        return await self._clear("cases", lambda: self._store.cases(idle))

    @override
    async def aclose(self) -> None:
        await self._clear("aclose", lambda: self._store.aclose())
