"""The line to one Redis or Valkey: work is bounded in time, repeated over lost connections, and never tells the password."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis import exceptions as errors
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from contracts import SettingsError, clip, one_line
from store.errors import StoreUnavailable
from store.loop import LoopThread

T = TypeVar("T")


class RedisLine:
    """Run work on the server at `url`, from any event loop; each piece ends within `timeout` seconds."""

    def __init__(self, url: str, timeout: float) -> None:
        self.name, self._options = _parsed(url)
        self.timeout = timeout
        self._thread = LoopThread("desk-redis")
        self._client: Redis | None = None

    async def run(self, work: Callable[[Redis], Awaitable[T]]) -> T:
        """Return what `work` returns; raises StoreUnavailable when the time is up or the server refuses."""
        return await self._thread.run(self._bounded(work))

    async def aclose(self) -> None:
        """Close the connections and end the thread."""
        self._client = None
        await self._thread.stop()

    async def _bounded(self, work: Callable[[Redis], Awaitable[T]]) -> T:
        """Repeat `work` over lost connections until the time is up; `socket_timeout` bounds one read, not an operation."""
        problem, pause = "no answer", 0.02
        timer = asyncio.timeout(self.timeout)
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
            raise StoreUnavailable(self._told(f"{problem}; gave up after {self.timeout:g} s")) from None

    def _connected(self) -> Redis:
        if self._client is None:
            options = {"max_connections": 16, "timeout": self.timeout, "retry": Retry(NoBackoff(), 0), **self._options}
            options["driver_info"] = None  # finding its version reads package files, which `langgraph dev` refuses on any loop
            for bound in ("socket_timeout", "socket_connect_timeout"):
                options[bound] = min(self.timeout / 4, self._options.get(bound) or self.timeout)
            self._client = Redis.from_pool(BlockingConnectionPool(**options))
            self._thread.before_end(self._client.aclose)
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


async def exchange(client: Redis, *commands: tuple[str | bytes, ...]) -> list[Any]:
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


async def plain(reply: Any) -> Any:
    """Await a reply whose annotation leaves open whether the client is synchronous."""
    return await reply
