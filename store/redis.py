"""Artifacts in Redis or Valkey: for several hosts.

Keys of one case share a hash tag, so every operation stays in one cluster slot: `desk:{case}` is a hash of entries by alias,
`desk:{case}:digest` a body. The body is written first; a script then claims the alias only if the body is there. Both can be
repeated, so after a lost reply the same write is sent again until it is known to stand, or the time is up.
"""

from collections.abc import Iterable

from redis import exceptions as errors
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from typing_extensions import override

from store.backend import Backend, handle_of
from store.redis_line import RedisLine, exchange, plain

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
        self._line, self._ttl = RedisLine(url, timeout), ttl
        self._seen: dict[tuple[str, str], str] = {}

    def __repr__(self) -> str:
        return f"RedisStore({self._line.name!r})"

    @override
    async def _write(self, case: str, alias: str, digest: str, body: bytes, entry: str) -> str:
        index, key, ttl, size = _index(case), _body(case, digest), str(self._ttl), str(len(body))

        async def work(client: Redis) -> str:
            commands: list[tuple[str | bytes, ...]] = [("SET", key, body, "EX", ttl)]
            if len(body) > PIECE:  # redis-py copies what it sends three times over
                for at in range(0, len(body), PIECE):
                    await exchange(client, ("SETRANGE", key, str(at), body[at : at + PIECE]), ("EXPIRE", key, ttl))
                commands = [("EXPIRE", key, ttl)]
            standing = (await exchange(client, *commands, ("EVAL", _CLAIM, "2", index, key, alias, entry, ttl, size)))[-1]
            if standing is None:
                raise errors.WatchError("the body went away while it was written")
            return self._noted(case, alias, standing)

        return await self._line.run(work)

    @override
    async def _fetch(self, case: str, alias: str, start: int, length: int) -> tuple[str, bytes] | None:
        index, end = _index(case), start + length - 1

        async def work(client: Redis) -> tuple[str, bytes] | None:
            seen = self._seen.get((case, alias))
            if not length or seen is None:
                entry, data = await plain(client.hget(index, alias)), b""
            else:  # one round trip, once the digest is known
                ranged = ("GETRANGE", _body(case, handle_of(seen, case).digest), str(start), str(end))
                entry, data = await exchange(client, ("HGET", index, alias), ranged)
            if entry is None:
                return None
            text = self._noted(case, alias, entry)
            if length and text != seen:
                data = await plain(client.getrange(_body(case, handle_of(text, case).digest), start, end))
            return text, data

        return await self._line.run(work)

    def _noted(self, case: str, alias: str, entry: bytes) -> str:
        if len(self._seen) >= _SEEN:
            self._seen.clear()
        text = self._seen[case, alias] = str(entry, "utf-8", "replace")
        return text

    @override
    async def _entries(self, case: str) -> list[str]:
        return [str(entry, "utf-8", "replace") for entry in await self._line.run(lambda client: plain(client.hvals(_index(case))))]

    @override
    async def _remove(self, case: str, alias: str) -> bool:
        async def step(pipe: Pipeline) -> bool:
            entries = await plain(pipe.hgetall(_index(case)))
            gone = entries.pop(alias.encode(), None)
            pipe.multi()  # type: ignore[no-untyped-call]
            pipe.hdel(_index(case), alias)
            if gone and (key := _keys(case, [gone])[1]) not in _keys(case, entries.values()):
                pipe.unlink(key)
            return gone is not None

        return await self._line.run(lambda client: client.transaction(step, _index(case), value_from_callable=True))

    @override
    async def _remove_case(self, case: str) -> None:
        async def step(pipe: Pipeline) -> None:
            keys = _keys(case, await plain(pipe.hvals(_index(case))))
            pipe.multi()  # type: ignore[no-untyped-call]
            pipe.unlink(*keys)

        await self._line.run(lambda client: client.transaction(step, _index(case)))

    @override
    async def _touch(self, case: str) -> None:
        async def work(client: Redis) -> None:
            keys = _keys(case, await plain(client.hvals(_index(case))))
            await exchange(client, *(("EXPIRE", key, str(self._ttl)) for key in keys))

        await self._line.run(work)

    @override
    async def cases(self, idle: float = 0) -> list[str]:
        async def work(client: Redis) -> list[str]:
            found = set()
            async for key in client.scan_iter(match="desk:{*}", count=1000):
                left = await plain(client.pttl(key))
                if not idle or 0 <= left <= (self._ttl - idle) * 1000:
                    found.add(str(key, "utf-8", "replace")[6:-1])
            return sorted(found)

        return await self._line.run(work)

    @override
    async def aclose(self) -> None:
        await self._line.aclose()


def _index(case: str) -> str:
    return f"desk:{{{case}}}"


def _body(case: str, digest: str) -> str:
    return f"desk:{{{case}}}:{digest}"


def _keys(case: str, entries: Iterable[bytes]) -> list[str]:
    handles = (handle_of(str(entry, "utf-8", "replace"), case) for entry in entries)
    return [_index(case), *dict.fromkeys(_body(case, handle.digest) for handle in handles)]
