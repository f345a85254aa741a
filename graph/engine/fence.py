"""Keeps a run that another instance has taken over from writing.

An instance that was cut off for longer than its lease goes on with its runs when it is back, and the engine (aegra 0.11) stops them only
at their next heartbeat. Until then one more checkpoint of theirs would become the thread's newest, over those of the instance that
finished the run.
"""

import asyncio
import functools
import importlib
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from langgraph.config import get_config

Node = TypeVar("Node", bound=Callable[..., Awaitable[Any]])
RETRY = 0.5


def fenced(node: Node) -> Node:
    """Let a node's result out only while this process holds the run's lease; elsewhere than on the engine, always."""

    @functools.wraps(node)
    async def guarded(*args: Any, **kwargs: Any) -> Any:
        result = await node(*args, **kwargs)
        if _is_shared() and await _is_taken_over(str(get_config()["configurable"].get("run_id"))):
            # The heartbeat cancels this task without a trace; an error would be recorded over the new owner's result.
            await asyncio.Event().wait()
        return result

    return guarded  # type: ignore[return-value]


def _is_shared() -> bool:
    return "aegra_api.main" in sys.modules and os.environ.get("REDIS_BROKER_ENABLED", "").lower() == "true"


async def _is_taken_over(run_id: str) -> bool:
    """Ask the engine's own table, for as long as it takes to reach the database: nothing can be written before that either."""
    orm, faults = importlib.import_module("aegra_api.core.orm"), importlib.import_module("sqlalchemy.exc")
    while True:
        try:
            async with orm._get_session_maker()() as session:
                run = await session.get(orm.Run, run_id)
        except (OSError, faults.SQLAlchemyError):
            await asyncio.sleep(RETRY)
        else:
            return run is not None and not str(run.claimed_by).startswith(f"{socket.gethostname()}-{os.getpid()}-")
