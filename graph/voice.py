"""Say a finished text as a model would, piece by piece, so that clients stream it; nothing is generated here.

The text was checked as a whole before its first word goes out; streaming a model's draft would show record numbers that nobody checked yet.
"""

import re
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

_PIECE = re.compile(r"\s*\S+\s*")


class _Voice(BaseChatModel):
    said: str

    @property
    def _llm_type(self) -> str:
        return "voice"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.said))])

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: AsyncCallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in _PIECE.findall(self.said):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))


async def spoken(text: str) -> AIMessage:
    """Return the text as a message; whoever streams messages gets it word by word."""
    message = await _Voice(said=text).ainvoke([], {"run_name": "answer"})
    return message.model_copy(update={"content": text, "response_metadata": {}})
