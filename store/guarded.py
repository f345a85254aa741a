"""A store that somebody else wrote: whatever it raises becomes StoreUnavailable, so that a fault costs a step and not the run."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from contracts import DeskError
from store.errors import StoreUnavailable
from store.protocol import ArtifactStore


def guarded(store: ArtifactStore) -> ArtifactStore:
    """Return `store` with clear errors; those of the desk pass, of others only the class and the system's reason are told."""
    return cast(ArtifactStore, _Guarded(store))


class _Guarded:
    def __init__(self, store: ArtifactStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def clear(*given: Any, **named: Any) -> Any:
            try:
                return await getattr(self._store, name)(*given, **named)
            except DeskError:
                raise
            except Exception as error:
                reason = getattr(error, "strerror", None) or f"it failed at {name}"  # the text may hold a password
                raise StoreUnavailable(f"artifact store {type(self._store).__name__}: {type(error).__name__}, {reason}") from error

        return clear
