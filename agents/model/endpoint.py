"""Calls to one model: bounded in time and attempts, counted once, and asked in the way that its endpoint takes."""

import asyncio
import json
import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from agents.model.calls import Cost, bounded, fault_of
from agents.model.faults import EndpointError, Fault, describe, redact
from agents.model.objects import said_in
from agents.model.reading import read_decision
from agents.model.schema import decision_schema, shape
from agents.model.settings import Method, ModelChoice
from agents.model.stated import Reading
from contracts.tokens import estimate

log = logging.getLogger(__name__)

_FORMAT = re.compile(
    r"response_format|structured|schema|grammar|guided|not support|un(supported|known|recogni|expected)|extra|not permitted|invalid", re.I
)
_OTHER = re.compile(r"temperature|max_(completion_)?tokens|parallel_tool|\bstop\b|system message|alternat|\brole\b", re.I)
_UNENFORCED = (Fault.PROSE, Fault.ANSWERED_ITSELF, Fault.MALFORMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a call gave: a message, or a named fault, and its cost either way."""

    message: AIMessage | None = None
    fault: Fault | None = None
    detail: str = ""
    raw: str = ""
    """What the message said, bounded, without its thoughts and without anything that looks like a credential."""
    spent: Cost = Cost()
    latency_ms: int = 0
    model: str = ""
    method: Method = Method.TEXT

    @property
    def cause(self) -> str:
        """What happened and the setting to change, in one safe line."""
        return describe(self.fault, self.detail) if self.fault else ""


class Knowledge:
    """What this process has learned about endpoints; learned once, by whoever calls first."""

    def __init__(self) -> None:
        self.methods: dict[tuple[str, str], Method] = {}
        self.proven: set[tuple[str, str]] = set()
        self.toolless: set[tuple[str, str]] = set()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], asyncio.Lock]] = WeakKeyDictionary()

    def turn(self, key: tuple[str, str]) -> asyncio.Lock:
        """Return the lock under which the first calls to an endpoint learn, one at a time."""
        return self._turns.setdefault(asyncio.get_running_loop(), {}).setdefault(key, asyncio.Lock())

    def learn(self, key: tuple[str, str], method: Method, why: str = "") -> None:
        """Remember the method for an endpoint and say it in the log."""
        self.methods[key] = method
        log.log(logging.WARNING if why else logging.INFO, "model %s: typed answers by %s from now on%s (DESK_METHOD sets it)", key[1], method, why)

    def learn_toolless(self, key: tuple[str, str], why: str) -> None:
        """Remember that an endpoint takes no tools, and say what follows from it."""
        self.toolless.add(key)
        log.warning("model %s takes no tools, so specialists work without it: %s", key[1], why)


KNOWN = Knowledge()


class Endpoint:
    """One model behind one endpoint. Clients belong to an event loop, so there is one for each."""

    def __init__(self, choice: ModelChoice, chat: BaseChatModel | None = None) -> None:
        self.choice = choice
        self._given = chat
        self._secrets = [choice.api_key.get_secret_value()] if choice.api_key else []
        self.agents: dict[Any, Any] = {}
        """Agents built over this model, by whoever builds them."""
        self._chats: WeakKeyDictionary[asyncio.AbstractEventLoop, BaseChatModel] = WeakKeyDictionary()

    async def chat(self) -> BaseChatModel:
        """Return the client, made off the event loop on first use."""
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if loop not in self._chats:
            self._chats[loop] = await asyncio.to_thread(_make, self.choice)
        return self._chats[loop]

    async def aclose(self) -> None:
        """Close this event loop's connections."""
        chat = self._chats.pop(asyncio.get_running_loop(), None)
        if chat is not None:
            await chat.root_async_client.close()  # type: ignore[attr-defined]

    @property
    def method(self) -> Method:
        """The configured method, else the learned one, else the first to try."""
        return self.choice.method if self.choice.method is not Method.AUTO else KNOWN.methods.get(self.choice.key, Method.JSON_SCHEMA)

    async def decide(self, system: str, user: str, roster: Sequence[str], correction: str = "") -> tuple[Reply, Reading]:
        """Ask for one routing decision; a correction goes to the end of the one user message."""
        schema = decision_schema(roster)
        reply = await self.call(system, f"{user}\nCORRECTION {correction}" if correction else user, schema=schema)
        if reply.fault is not None:
            return reply, Reading(fault=reply.fault, detail=reply.cause)
        reading = read_decision(reply.message, roster)
        reading = replace(reading, detail=redact(reading.detail, self._secrets))
        learning = self.choice.method is Method.AUTO and self.choice.key not in KNOWN.proven
        if learning and reading.fault in _UNENFORCED and reply.method in (Method.JSON_SCHEMA, Method.FUNCTION_CALLING):
            KNOWN.learn(self.choice.key, Method.TEXT, f", because {reply.method} was accepted and ignored")
        elif learning and reading.fault is None:
            KNOWN.proven.add(self.choice.key)
        return reply, reading

    async def call(self, system: str, user: str, *, schema: dict[str, Any] | None = None, name: str = "decision") -> Reply:
        """Send one system and one user message; never raises for what an endpoint does."""
        key = self.choice.key
        if schema is None or self.choice.method is not Method.AUTO or key in KNOWN.methods:
            return await self._ask(system, user, schema, name, self.method)
        async with KNOWN.turn(key):
            reply = await self._ask(system, user, schema, name, self.method)
            if key not in KNOWN.methods and reply.message is not None:
                KNOWN.learn(key, reply.method)
            if key in KNOWN.methods or reply.fault is not Fault.BAD_REQUEST or not _refuses_format(reply.detail):
                return reply
            other = _named(reply.detail)
            again = await self._ask(system, user, schema, name, other)
            if again.message is not None:
                KNOWN.learn(key, other, f", because json_schema was refused: {reply.detail}")
            return replace(again, spent=reply.spent + again.spent, latency_ms=reply.latency_ms + again.latency_ms)

    async def _ask(self, system: str, user: str, schema: dict[str, Any] | None, name: str, method: Method) -> Reply:
        options: dict[str, Any] = {}
        if schema is not None and method is Method.FUNCTION_CALLING:
            function = {"name": name, "description": f"Give the {name}.", "parameters": schema}
            options = {"tools": [{"type": "function", "function": function}], "tool_choice": {"type": "function", "function": {"name": name}}}
        elif schema is not None:
            if method is not Method.JSON_SCHEMA:
                system = f"{system}\n{shape(schema)}"
            if method is not Method.TEXT:
                kind = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
                # In the body rather than as an argument, because the client parses typed replies itself and raises on cut ones.
                options = {"extra_body": {**self.choice.extra, "response_format": kind if method is Method.JSON_SCHEMA else {"type": "json_object"}}}
        messages = [SystemMessage(system), HumanMessage(user)]
        started, spent = time.monotonic(), [Cost()]
        message, fault, detail, raw = None, None, "", ""
        try:
            chat = await self.chat()
            # Line by line, because most lines were weighed at the hop before.
            size = sum(estimate(line) + 1 for line in f"{system}\n{user}".split("\n")) + len(json.dumps(schema)) // 4 * bool(options)
            message = await bounded(lambda: chat.ainvoke(messages, {"tags": ["nostream"]}, **options), self.choice, size, spent)
            fault = fault_of(message)
            detail = redact(str(message.additional_kwargs.get("refusal") or ""), self._secrets) if fault else ""
            raw = redact(said_in(message), self._secrets, limit=600)
        except EndpointError as error:
            fault, detail = error.fault, error.detail
        return Reply(
            message=message,
            fault=fault,
            detail=detail,
            raw=raw,
            spent=spent[0],
            latency_ms=round(1000 * (time.monotonic() - started)),
            model=self.choice.model,
            method=method,
        )


def _make(choice: ModelChoice) -> BaseChatModel:
    from agents.model.client import make_chat

    return make_chat(choice)


def _refuses_format(detail: str) -> bool:
    return bool(_FORMAT.search(detail)) and not _OTHER.search(detail)


def _named(detail: str) -> Method:
    """Return the method that a refusal offers, in its own words or as OpenAI's and Azure's are known to mean it.

    Else it is plain text, which no endpoint can refuse: learning must not cost a second failed call.
    """
    if "json_object" in detail:
        return Method.JSON_MODE
    return Method.FUNCTION_CALLING if re.search(r"function.call|tool.call|supported with this model|api versions", detail, re.I) else Method.TEXT
