"""Artifacts in Redis or Valkey: for several hosts.

Keys of one case share a hash tag, so every operation stays in one cluster slot: `desk:{case}` is a hash of entries by alias,
`desk:{case}:digest` a body. The body is written first; a script then claims the alias only if the body is there. Both can be
repeated, so after a lost reply the same write is sent again until it is known to stand, or the time is up.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis import exceptions as errors
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from typing_extensions import override

from contracts import SettingsError, clip, one_line
from store.backend import Backend, handle_of
from store.errors import StoreUnavailable
from store.loop import LoopThread

T = TypeVar("T")
PIECE = 2**20
_SEEN = 4096
_CLAIM = """
if redis.call('STRLEN', KEYS[2]) ~= tonumber(ARGV[4]) then return false end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return redis.call('HGET', KEYS[1], ARGV[1])
"""


class RedisStore(Backend):
    """Keep artifacts at `url`; each operation ends within `timeout` seconds, a case `ttl` seconds after the last touch."""

    def __init__(self, url: str, *, timeout: float = 5, ttl: int = 30 * 86400) -> None:
        self.name, self._options = _parsed(url)
        self._timeout, self._ttl = timeout, ttl
        self._thread = LoopThread("desk-redis")
        self._client: Redis | None = None
        self._seen: dict[tuple[str, str], str] = {}

    def __repr__(self) -> str:
        return f"RedisStore({self.name!r})"

    @override
    async def _write(self, case: str, alias: str, digest: str, body: bytes, entry: str) -> str:
        index, key, ttl, size = _index(case), _body(case, digest), str(self._ttl), str(len(body))

        async def work(client: Redis) -> str:
            commands: list[tuple[str | bytes, ...]] = [("SET", key, body, "EX", ttl)]
            if len(body) > PIECE:  # redis-py copies what it sends three times over
                for at in range(0, len(body), PIECE):
                    await _exchange(client, ("SETRANGE", key, str(at), body[at : at + PIECE]), ("EXPIRE", key, ttl))
                commands = [("EXPIRE", key, ttl)]
            standing = (await _exchange(client, *commands, ("EVAL", _CLAIM, "2", index, key, alias, entry, ttl, size)))[-1]
            if standing is None:
                raise errors.WatchError("the body went away while it was written")
            return self._noted(case, alias, standing)

        return await self._run(work)

    @override
    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        index, end = _index(case), start + length - 1

        async def work(client: Redis) -> tuple[str, bytes] | None:
            seen = self._seen.get((case, alias))
            if not length or seen is None:
                entry, data = await _async(client.hget(index, alias)), b""
            else:  # one round trip, once the digest is known
                ranged = ("GETRANGE", _body(case, handle_of(seen, case).digest), str(start), str(end))
                entry, data = await _exchange(client, ("HGET", index, alias), ranged)
            if entry is None:
                return None
            text = self._noted(case, alias, entry)
            if length and text != seen:
                data = await _async(client.getrange(_body(case, handle_of(text, case).digest), start, end))
            return text, data

        return await self._run(work)

    def _noted(self, case: str, alias: str, entry: bytes) -> str:
        if len(self._seen) >= _SEEN:
            self._seen.clear()
        text = self._seen[case, alias] = str(entry, "utf-8", "replace")
        return text

    @override
    async def _entries(self, case: str) -> list[str]:
        return [str(entry, "utf-8", "replace") for entry in await self._run(lambda client: _async(client.hvals(_index(case))))]

    @override
    async def _remove(self, case: str, alias: str) -> bool:
        async def step(pipe: Pipeline) -> bool:
            entries = await _async(pipe.hgetall(_index(case)))
            gone = entries.pop(alias.encode(), None)
            pipe.multi()  # type: ignore[no-untyped-call]
            pipe.hdel(_index(case), alias)
            if gone and (key := _keys(case, [gone])[1]) not in _keys(case, entries.values()):
                pipe.unlink(key)
            return gone is not None

        return await self._run(lambda client: client.transaction(step, _index(case), value_from_callable=True))

    @override
    async def _remove_case(self, case: str) -> None:
        async def step(pipe: Pipeline) -> None:
            keys = _keys(case, await _async(pipe.hvals(_index(case))))
            pipe.multi()  # type: ignore[no-untyped-call]
            pipe.unlink(*keys)

        await self._run(lambda client: client.transaction(step, _index(case)))

    @override
    async def _touch(self, case: str) -> None:
        async def work(client: Redis) -> None:
            keys = _keys(case, await _async(client.hvals(_index(case))))
            await _exchange(client, *(("EXPIRE", key, str(self._ttl)) for key in keys))

        await self._run(work)

    @override
    async def cases(self, idle: float = 0) -> list[str]:
        async def work(client: Redis) -> list[str]:
            found = set()
            async for key in client.scan_iter(match="desk:{*}", count=1000):
                left = await _async(client.pttl(key))
                if not idle or 0 <= left <= (self._ttl - idle) * 1000:
                    found.add(str(key, "utf-8", "replace")[6:-1])
            return sorted(found)

        return await self._run(work)

    @override
    async def aclose(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await self._thread.run(client.aclose())
        await self._thread.stop()

    async def _run(self, work: Callable[[Redis], Awaitable[T]]) -> T:
        return await self._thread.run(self._bounded(work))

    async def _bounded(self, work: Callable[[Redis], Awaitable[T]]) -> T:
        """Repeat `work` over lost connections until the time is up; `socket_timeout` bounds one read, not an operation."""
        problem, pause = "no answer", 0.02
        timer = asyncio.timeout(self._timeout)
        try:
            async with timer:
                while not timer.expired():  # redis-py may turn the cancellation by the timer into an error of its own
                    try:
                        return await work(self._connected())
                    except (errors.AuthenticationError, errors.AuthorizationError):
                        raise
                    except (errors.ConnectionError, errors.TimeoutError, errors.WatchError) as error:
                        problem = str(error)
                    await asyncio.sleep(pause * random.uniform(0.5, 1))
                    pause = min(1, 2 * pause)
                raise TimeoutError
        except errors.RedisError as error:
            reason = str(error).rpartition("caused error: ")[2]  # before it, redis-py quotes the command with its body
            raise StoreUnavailable(self._told(f"{type(error).__name__}: {reason}")) from None
        except TimeoutError:
            if not timer.expired():
                raise
            raise StoreUnavailable(self._told(f"{problem}; gave up after {self._timeout:g} s")) from None

    def _connected(self) -> Redis:
        if self._client is None:
            options = {"max_connections": 16, "timeout": self._timeout, "retry": Retry(NoBackoff(), 0), **self._options}
            options["driver_info"] = None  # finding its version reads package files, which `langgraph dev` refuses on any loop
            for bound in ("socket_timeout", "socket_connect_timeout"):
                options[bound] = min(self._timeout / 4, self._options.get(bound) or self._timeout)
            self._client = Redis.from_pool(BlockingConnectionPool(**options))
        return self._client

    def _told(self, text: str) -> str:
        for secret in filter(None, map(self._options.get, ("password", "ssl_password"))):
            text = text.replace(secret, "***")
        return f"Redis store {self.name}: {clip(one_line(text), tokens=80)}"


def _parsed(url: str) -> tuple[str, dict[str, Any]]:
    """Return the URL without user, password and options, for people, and the options for redis-py."""
    try:
        parts = urlsplit(url)
        place = parts.path if parts.scheme == "unix" else f"{parts.hostname or 'localhost'}:{parts.port or 6379}{parts.path}"
        return f"{parts.scheme}://{place}", dict(parse_url(url))
    except ValueError:  # its text may quote the password
        raise SettingsError("the Redis URL cannot be read: percent-encode special characters in user and password") from None


def _index(case: str) -> str:
    return f"desk:{{{case}}}"


def _body(case: str, digest: str) -> str:
    return f"desk:{{{case}}}:{digest}"


def _keys(case: str, entries: Iterable[bytes]) -> list[str]:
    handles = (handle_of(str(entry, "utf-8", "replace"), case) for entry in entries)
    return [_index(case), *dict.fromkeys(_body(case, handle.digest) for handle in handles)]


async def _exchange(client: Redis, *commands: tuple[str | bytes, ...]) -> list[Any]:
    """Send commands in one packet and return their replies; redis-py's pipeline costs twice as much beside a 100 KB body."""
    connection = await client.connection_pool.get_connection()  # type: ignore[no-untyped-call]
    replies: list[Any] = []
    try:
        await connection.send_packed_command(connection.pack_commands(commands))
        for _ in commands:
            try:
                replies.append(await connection.read_response())
            except errors.ResponseError as error:
                replies.append(error)
    finally:
        await client.connection_pool.release(connection)
    for reply in replies:
        if isinstance(reply, errors.ResponseError):
            raise reply
    return replies


async def _async(reply: Any) -> Any:
    """Await a reply whose annotation leaves open whether the client is synchronous."""
    return await reply
