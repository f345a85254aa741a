"""Run a specialist's work where it cannot see the graph around it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from langchain_core.runnables.config import set_config_context

T = TypeVar("T")


async def apart(work: Coroutine[Any, Any, T]) -> T:
    """Run work so that a graph or an agent inside it neither writes into the desk's checkpoints and streams nor pauses it.

    Those reach an inner graph through context variables; all others, such as a trace's current span, stay.
    """
    with set_config_context({}) as context:
        return await asyncio.create_task(work, context=context)
