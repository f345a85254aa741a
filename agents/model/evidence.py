"""What a model's tools return is evidence: results that no tool stored itself become an artifact of the step."""

from collections.abc import Awaitable
from typing import Any

from langchain_core.messages import ToolMessage

from agents.specialist import STORED, Task
from contracts import clip
from contracts.tokens import estimate

SHOWN_TOKENS = 2_000
"""Most tokens of a result that a model is shown; a longer one is stored at once, so that the rest can be read."""


def in_words(found: Any) -> Any:
    """Return texts as lines and nothing as "No record.", which is a finding too, unless a tool stored what it found; all else as it is."""
    if found is not None and not (isinstance(found, (list, tuple)) and all(isinstance(line, str) for line in found)):
        return found
    aliases = ", ".join(alias for alias, _ in STORED.get() or ())
    return "\n".join(filter(str.strip, found or ())) or (f"Stored as {aliases}." if aliases else "No record.")


class Evidence:
    """What the tools of one run stored and returned."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._stored: dict[str, bytes | str] = {}
        self._results: list[tuple[str, str]] = []

    async def kept(self, name: str, call: Awaitable[Any]) -> Any:
        """Await a tool's message and keep what it returned, unless it failed, said nothing or stored something itself."""
        stored: list[tuple[str, bytes | str]] = []
        token = STORED.set(stored)
        try:
            message = await call
        finally:
            STORED.reset(token)
            self._stored |= stored
        if stored or not isinstance(message, ToolMessage) or message.status == "error" or not message.text.strip():
            return message
        if estimate(message.text) <= SHOWN_TOKENS:
            self._results.append((name, message.text))
            return message
        alias = await self._put(message.text, f"result of {name}")
        return message.model_copy(update={"content": f"Stored as {alias}.\n{clip(message.text, tokens=SHOWN_TOKENS)}"})

    async def aliases(self) -> list[str]:
        """Return what was stored, results included, less those that an artifact holds word for word."""
        texts = [body for body in self._stored.values() if isinstance(body, str)]
        left = {text: name for name, text in self._results if not any(text in other for other in texts)}
        self._results = []
        if left:
            await self._put("\n\n".join(left), f"results of {', '.join(dict.fromkeys(left.values()))}")
        return list(self._stored)

    async def _put(self, text: str, description: str) -> str:
        handle = await self._task.put(text, kind="tool_result", description=description)
        self._stored[handle.alias] = text
        return handle.alias
