"""Open the store that a URL names."""

import os

from contracts import SettingsError
from store.memory import MemoryStore
from store.protocol import ArtifactStore
from store.sqlite import SqliteStore


def open_store(url: str | os.PathLike[str], *, timeout: float = 5, ttl: int = 30 * 86400) -> ArtifactStore:
    """Open `memory:`, a path or `sqlite:///path`, or what redis-py takes: `redis://`, `rediss://`, `unix://`.

    Args:
        url: Where artifacts are kept. As elsewhere, `sqlite:////var/desk.db` with four slashes is an absolute path.
        timeout: Seconds that one operation on Redis may take, or that one on SQLite waits for other writers.
        ttl: Seconds that a case outlives its last touch, on Redis only; elsewhere `sweep` does that.

    Nothing is connected before the first operation.

    Raises:
        SettingsError: The URL names no store that is known here.
    """
    text = os.fspath(url)
    scheme, _, rest = text.partition(":")
    if text == "memory:":
        return MemoryStore()
    if scheme in ("redis", "rediss", "unix") and rest.startswith("//"):
        from store.redis import RedisStore  # a desk without Redis does not pay for the import

        return RedisStore(text, timeout=timeout, ttl=ttl)
    if scheme == "sqlite" and rest.startswith("///"):
        text = rest[3:]
    if not text.strip() or "\0" in text or "://" in text:
        raise SettingsError("the store URL names no known store: use memory:, a path, sqlite:///path, redis://, rediss:// or unix://")
    return SqliteStore(text, timeout=timeout)
