"""What a person says in a chat: the text of a message of any shape, what was not taken in yet, and the request that it makes."""

import hashlib
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from graph.courtesy import is_nudge
from ledger.events import MAX_GOAL

JSON = dict[str, Any]


def unheard(messages: Sequence[BaseMessage], heard: str) -> list[BaseMessage]:
    """Return the person's messages since the last reply that were not taken in yet, and the last one that was if it reads otherwise now."""
    since, known = since_reply(messages), heard.rpartition(" ")[0]
    place = next((index for index, message in enumerate(since, 1) if message.id == known), 0)
    edited = [message for message in messages if message.id == known and mark(message) != heard]
    return [*edited, *since[place:]]


def mark(message: BaseMessage) -> str:
    """Return what tells a message, as it reads now, from all others: its id, and a digest of its text."""
    return f"{message.id} {hashlib.sha256(text_of(message).encode('utf-8', 'replace')).hexdigest()[:16]}"


def request_of(texts: Sequence[str]) -> str:
    """Join what was said into one goal: each text once, no nudge beside a matter, and the newest ones where all of it is too long."""
    said = list(dict.fromkeys(texts))
    said = [text for text in said if not is_nudge(text)] or said
    while len(said) > 1 and len("\n".join(said)) > MAX_GOAL:
        said = said[1:]
    return "\n".join(said)


def text_of(message: BaseMessage) -> str:
    """Return what a person wrote, verbatim, whatever shape the client gave it."""
    content = message.content
    return (
        content if isinstance(content, str) else "".join(block if isinstance(block, str) else block["text"] for block in content if _is_text(block))
    )


def has_more(message: BaseMessage) -> bool:
    """Say whether a message carries something that is not text."""
    return not isinstance(message.content, str) and not all(map(_is_text, message.content))


def _is_text(block: str | JSON) -> bool:
    return isinstance(block, str) or (block.get("type", "text") in ("text", "input_text") and isinstance(block.get("text"), str))


def last_reply(messages: Sequence[BaseMessage]) -> str:
    """Return the text of the last reply, or ''."""
    return next((text_of(message) for message in reversed(messages) if isinstance(message, AIMessage)), "")


def since_reply(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the person's messages since the last reply."""
    last = max((index for index, message in enumerate(messages, 1) if isinstance(message, AIMessage)), default=0)
    return [message for message in messages[last:] if isinstance(message, HumanMessage)]
