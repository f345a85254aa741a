"""Nodes that synchronous code can run too: `graph.invoke` and `graph.stream` in a script or a notebook use one event loop of their own."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import get_runtime

from graph.context import Context
from graph.engine.fence import fenced
from store.loop import LoopThread

_LOOP = LoopThread("graph")


class Node(Runnable[Any, Any]):
    """One coroutine `(state, runtime) -> update` as a node; awaited where it is called from a loop, at no cost."""

    def __init__(self, work: Callable[..., Awaitable[Any]]) -> None:
        """Make a node of `work`, named after it."""
        self.name = work.__name__
        self._work = fenced(work)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node from synchronous code."""
        return _LOOP.wait(self.ainvoke(input, config))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node."""
        return await self._work(input, get_runtime(Context))
