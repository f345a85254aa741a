"""Run a specialist's work where it cannot see the graph around it, and no longer than it may take."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from langchain_core.runnables.config import set_config_context

T = TypeVar("T")
GRACE = 1.0
"""Seconds that cancelled work has for tidying up."""
_LEFT: set[asyncio.Task[Any]] = set()
"""Work that did not end when it was cancelled; the event loop alone would not keep it alive."""


async def apart(work: Coroutine[Any, Any, T]) -> T:
    """Run work so that a graph or an agent inside it neither writes into the desk's checkpoints and streams nor pauses it.

    Those reach an inner graph through context variables; all others, such as a trace's current span, stay. Work that
    goes on although it was cancelled is left to itself: what it returns after that is not seen.
    """
    with set_config_context({}) as context:
        task = asyncio.create_task(work, context=context)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            _LEFT.add(task)
            task.add_done_callback(_forget)
            await asyncio.wait({task}, timeout=GRACE)
            raise
        return task.result()


def _forget(task: asyncio.Task[Any]) -> None:
    _LEFT.discard(task)
    if not task.cancelled():
        task.exception()
