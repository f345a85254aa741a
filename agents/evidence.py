"""What a model's tools return is evidence: each result that its tool did not store itself becomes an artifact of the step."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import ToolMessage

from agents.specialist import STORED, Task
from contracts import Handle, clip

SHOWN_TOKENS = 1_200


class KeepEvidence(AgentMiddleware[Any, Any]):
    """Stores tool results, and shows the model their heads with the alias to name."""

    def __init__(self, task: Callable[[], Task], own: frozenset[str]) -> None:
        """Keep the results of all tools but `own` for the task that is being worked on."""
        super().__init__()
        self.task, self.own = task, own

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]) -> Any:
        """Store what the tool returned, unless it failed, said nothing or stored something itself."""
        stored: list[Handle] = []
        token = STORED.set(stored)
        try:
            message = await handler(request)
        finally:
            STORED.reset(token)
        name = request.tool_call["name"]
        if stored or name in self.own or not isinstance(message, ToolMessage) or message.status == "error" or not message.text.strip():
            return message
        handle = await self.task().put(message.text, kind="tool_result", description=f"result of {name}")
        return message.model_copy(update={"content": f"Stored as {handle.alias}.\n{clip(message.text, tokens=SHOWN_TOKENS)}"})
