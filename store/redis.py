"""Artifacts in Redis or Valkey: for several hosts.

Keys of one case share a hash tag, so every operation stays in one cluster slot: `desk:{case}` is a hash of entries by alias,
`desk:{case}:digest` a body. Body and entry are written in one step that can be repeated, so after a lost reply the same write
is sent again until it is known to stand, or the time is up.
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
local standing = redis.call('HGET', KEYS[1], ARGV[1])
if standing and not string.find(standing, ARGV[3], 1, true) then return standing end
if ARGV[6] ~= '' then redis.call('SET', KEYS[2], ARGV[6]) end
if redis.call('STRLEN', KEYS[2]) ~= tonumber(ARGV[5]) then return false end
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return standing or ARGV[2]
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
        key, whole = _body(case, digest), len(body) <= PIECE

        async def work(client: Redis) -> str:
            for at in () if whole else range(0, len(body), PIECE):  # redis-py copies what it sends, three times over
                async with client.pipeline(transaction=False) as pipe:
                    pipe.setrange(key, at, body[at : at + PIECE])
                    pipe.expire(key, self._ttl)
                    await pipe.execute()
            claim = client.register_script(_CLAIM)
            standing = await claim([_index(case), key], [alias, entry, digest, self._ttl, len(body), body if whole else b""])
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
                async with client.pipeline(transaction=False) as pipe:
                    pipe.hget(index, alias)
                    pipe.getrange(_body(case, handle_of(seen, case).digest), start, end)
                    entry, data = await pipe.execute()
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
            async with client.pipeline(transaction=False) as pipe:
                for key in keys:
                    pipe.expire(key, self._ttl)
                await pipe.execute()

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


async def _async(reply: Any) -> Any:
    """Await a reply whose annotation leaves open whether the client is synchronous."""
    return await reply
