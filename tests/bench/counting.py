"""Exact tokens of a model call, counted offline with the o200k vocabulary: messages, tool calls, tool schemas.

A message costs its role, name, text, tool calls (name and arguments as JSON) and three tokens of framing, a call three more for the reply,
as OpenAI documents for its chat models; tool schemas are counted as the JSON that goes over the wire.
"""

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import bpe_openai

    _VOCABULARY = bpe_openai.get_encoding("o200k_base")
_FRAME = 3


def count(text: str) -> int:
    """Return the exact o200k tokens of `text`."""
    return len(_VOCABULARY.encode_ordinary(text))


@dataclass(frozen=True)
class Call:
    """One model call: who made it, what went in, how much of that the call before it already had."""

    kind: str
    """router, worker, extra (a summariser) or answer (a call that only writes the final text)."""
    tokens_in: int
    tokens_out: int
    shared: int
    """Tokens of the longest common prefix with the previous call of this kind."""


@dataclass
class Meter:
    """Counts the calls of one run; switched off for timing, where it costs nothing."""

    on: bool = True
    calls: list[Call] = field(default_factory=list)
    _last: dict[str, list[int]] = field(default_factory=dict)

    def add(self, kind: str, messages: Sequence[BaseMessage], schemas: Sequence[Any], reply: BaseMessage) -> None:
        """Count one call."""
        if not self.on:
            return
        text = "\n".join(_json(schema) for schema in schemas) + "".join(map(_wire, messages))
        tokens = _VOCABULARY.encode_ordinary(text)
        before = self._last.get(kind, [])
        shared = next((n for n, (a, b) in enumerate(zip(before, tokens, strict=False)) if a != b), min(len(before), len(tokens)))
        self._last[kind] = tokens
        self.calls.append(Call(kind, len(tokens) + _FRAME * (len(messages) + 1), count(_wire(reply)), shared))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _wire(message: BaseMessage) -> str:
    content = message.content if isinstance(message.content, str) else _json(message.content)
    parts = [message.type, message.name or "", content]
    if isinstance(message, AIMessage):
        parts += [call["name"] + _json(call["args"]) for call in message.tool_calls]
    return "\n".join(part for part in parts if part) + "\n"
