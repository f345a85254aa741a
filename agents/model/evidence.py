"""What a model's tools return is evidence: each result that its tool did not store itself becomes an artifact of the step."""

from collections.abc import Awaitable
from typing import Any

from langchain_core.messages import ToolMessage

from agents.specialist import STORED, Task
from contracts import Handle, clip

SHOWN_TOKENS = 1_200


async def kept(task: Task, name: str, call: Awaitable[Any], evidence: list[Handle]) -> Any:
    """Await a tool's message and store what it returned, unless it failed, said nothing or stored something itself; add to `evidence`."""
    stored: list[Handle] = []
    token = STORED.set(stored)
    try:
        message = await call
    finally:
        STORED.reset(token)
        evidence += stored
    if stored or not isinstance(message, ToolMessage) or message.status == "error" or not message.text.strip():
        return message
    handle = await task.put(message.text, kind="tool_result", description=f"result of {name}")
    evidence.append(handle)
    return message.model_copy(update={"content": f"Stored as {handle.alias}.\n{clip(message.text, tokens=SHOWN_TOKENS)}"})
