"""Runs of the server this app is served by, read over the public Agent Protocol: thread search and thread state, nothing else."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIError

from contracts import DeskError

JSON = dict[str, Any]
AT_ONCE = 8
"""Requests to the server at the same time."""


class ServerError(DeskError, RuntimeError):
    """The server did not give its threads."""

    def __init__(self, message: str, status: int = 502) -> None:
        """Keep the HTTP status to answer with."""
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread that holds a ledger."""

    id: str
    status: str
    """The server's word: idle, busy, interrupted or error."""
    values: JSON


class Threads:
    """Threads at one address, seen with the credentials of whoever looks."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """Name the server and the headers that say who looks."""
        self.url, self.headers = url, dict(headers)

    async def recent(self, limit: int = 50) -> list[Thread]:
        """Return the latest threads with a ledger; raises ServerError."""
        async with self._client() as client:
            found = await client.threads.search(limit=limit)
            gate = asyncio.Semaphore(AT_ONCE)

            async def values_of(thread: Any) -> Any:
                if isinstance(thread.get("values"), dict) and thread["values"].get("ledger"):
                    return thread["values"]
                async with gate:
                    return (await client.threads.get_state(thread["thread_id"])).get("values")

            values = await asyncio.gather(*(values_of(thread) for thread in found))
        pairs = zip(found, values, strict=True)
        return [Thread(str(thread["thread_id"]), str(thread.get("status")), state) for thread, state in pairs if _has_ledger(state)]

    async def one(self, thread_id: str) -> Thread:
        """Return one thread; raises ServerError, also when it holds no ledger yet."""
        async with self._client() as client:
            thread, state = await asyncio.gather(client.threads.get(thread_id), client.threads.get_state(thread_id))
        values: Any = state.get("values")
        if not _has_ledger(values):
            raise ServerError("this thread holds no ledger yet", 404)
        return Thread(thread_id, str(thread.get("status")), values)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[LangGraphClient]:
        # Making a client reads certificates from disk, which an event loop must not wait for.
        client = await asyncio.to_thread(get_client, url=self.url, api_key=None, headers=self.headers, timeout=20)
        try:
            yield client
        except APIError as error:
            status = getattr(error, "status_code", None) or 502
            raise ServerError(f"the server answered {status}", status if status in (401, 403, 404) else 502) from None
        except httpx.HTTPError as error:
            raise ServerError(f"the server at {self.url} did not answer ({type(error).__name__}): set DESK_SERVER_URL to its address") from None
        finally:
            await client.aclose()


def _has_ledger(values: Any) -> bool:
    return isinstance(values, dict) and isinstance(values.get("ledger"), dict) and bool(values["ledger"])
