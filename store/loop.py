"""A private event loop in a thread: connections live on it, callers come from any loop."""

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
Closing = list[Callable[[], Awaitable[object]]]


class LoopThread:
    """Run coroutines on one loop, whichever loop asks; it starts with the first of them and ends with this object at the latest."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._end: Callable[[], object] | None = None
        self._closing: Closing = []

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work` on the private loop; cancelling the caller cancels it."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._started()))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the private loop from synchronous code."""
        return asyncio.run_coroutine_threadsafe(work, self._started()).result()

    def before_end(self, close: Callable[[], Awaitable[object]]) -> None:
        """Have `close` awaited on the loop before it ends; it must not hold this object."""
        self._closing.append(close)

    async def stop(self) -> None:
        """End the loop and its thread."""
        with self._lock:
            end, thread = self._end, self._thread
            self._loop, self._thread, self._end, self._closing = None, None, None, []
        if end and thread:
            end()
            await asyncio.to_thread(thread.join)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_turn, args=(self._loop,), name=self._name, daemon=True)
                self._end = weakref.finalize(self, _ended, self._loop, self._closing)
                self._end.atexit = False  # a process that ends closes its sockets anyway
                self._thread.start()
            return self._loop


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _ended(loop: asyncio.AbstractEventLoop, closing: Closing) -> None:
    async def last() -> None:
        try:
            for close in closing:
                await close()
        finally:
            loop.stop()

    asyncio.run_coroutine_threadsafe(last(), loop)
