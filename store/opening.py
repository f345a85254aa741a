"""Open the store that a URL names."""

import os
import pkgutil

from contracts import SettingsError
from store.guarded import guarded
from store.memory import MemoryStore
from store.protocol import ArtifactStore
from store.sqlite import SqliteStore


def open_store(url: str | os.PathLike[str], *, timeout: float = 5, ttl: int = 30 * 86400) -> ArtifactStore:
    """Open `memory:`, a path or `sqlite:///path`, what redis-py takes (`redis://`, `rediss://`, `unix://`), or `python:module:function`.

    Args:
        url: Where artifacts are kept. As elsewhere, `sqlite:////var/desk.db` with four slashes is an absolute path.
        timeout: Seconds that one operation on Redis may take, or that one on SQLite waits for other writers.
        ttl: Seconds that a case outlives its last touch, on Redis only; elsewhere `sweep` does that.

    The function of a `python:` URL takes nothing and returns a store of your own. Nothing is connected before the first operation.

    Raises:
        SettingsError: The URL names no store that is known here.
    """
    text = os.fspath(url)
    scheme, _, rest = text.partition(":")
    if text == "memory:":
        return MemoryStore()
    if scheme == "python":
        return _made(rest)
    if scheme in ("redis", "rediss", "unix") and rest.startswith("//"):
        from store.redis import RedisStore  # a desk without Redis does not pay for the import

        return RedisStore(text, timeout=timeout, ttl=ttl)
    if scheme == "sqlite" and rest.startswith("///"):
        text = rest[3:]
    if not text.strip() or "\0" in text or "://" in text:
        raise SettingsError(
            "the store URL names no known store: use memory:, a path, sqlite:///path, redis://, rediss://, unix:// or python:module:function"
        )
    return SqliteStore(text, timeout=timeout)


def _made(name: str) -> ArtifactStore:
    if ":" not in name:
        raise SettingsError(f"the store python:{name} cannot be opened: name it as python:module:function")
    try:
        return guarded(pkgutil.resolve_name(name)())
    except Exception as error:
        told = f": {error}" if isinstance(error, ImportError | AttributeError) else ""  # another text may hold a password
        raise SettingsError(f"the store python:{name} cannot be opened: {type(error).__name__}{told}") from error
