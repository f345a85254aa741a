"""Scripted chat models: no network, no latency, and the same decisions for every peer."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict

from tests.bench.counting import Meter
from tests.bench.work import SPECIALISTS, Turn, turn


class Script:
    """Where a run stands: which turn is on, and how far its specialist has come."""

    def __init__(self, turns: int, meter: Meter, folder: Path | None = None) -> None:
        self.turns = turns
        self.meter = meter
        self.folder = folder
        self.closing: list[Callable[[], Awaitable[None]]] = []
        self.n = 0
        self.step = 0

    @property
    def now(self) -> Turn:
        """Return the turn that the specialists work on."""
        return turn(self.n)

    def next(self) -> Turn | None:
        """Move to the next turn, or return None when the work is done."""
        if self.n == self.turns:
            return None
        self.n += 1
        self.step = 0
        return self.now


class ScriptedChat(BaseChatModel):
    """A chat model that answers from a function and counts what it was sent."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    kind: str
    script: Any
    reply: Callable[[Sequence[BaseMessage], dict[str, Any]], AIMessage]
    bare_kind: str = "extra"
    """What a router's call without tools or schema is: a summary, or the desk's answer."""
    model_name: str = "scripted"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """Bind tools as an OpenAI-style endpoint would get them."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **{k: v for k, v in kwargs.items() if k == "tool_choice"})

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        body = kwargs.get("extra_body") or {}
        schemas = [*(kwargs.get("tools") or []), *([body["response_format"]] if "response_format" in body else [])]
        kind = self.bare_kind if self.kind == "router" and not schemas else self.kind
        message = AIMessage(SUMMARY) if kind == "extra" else self.reply(messages, kwargs)
        self.script.meter.add(kind, messages, schemas, message)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(0)
        return self._generate(messages, stop, None, **kwargs)


SUMMARY = (
    "## SESSION INTENT\nAnswer the tenants of 48 Oak Street about heat, rats, the sidewalk and the building work, office by office.\n"
    "## SUMMARY\nPermits, housing, sanitation and potholes were each asked several times. Permits found valid permits for the third floor and a "
    "missing posting. Housing has an open order about the boiler with fourteen days to run. Sanitation baited the yard twice and booked a third. "
    "Potholes repaired the entrance panel and closed its request. No office was refused and no option was rejected.\n"
    "## ARTIFACTS\nRequests 311-204417733 and 311-550918264, order H-48120, permits B-20714 and P-66190.\n"
    "## NEXT STEPS\nAsk the next office what is still open at the addresses that were named last, then close with one answer to the tenants."
)
"""What every summariser answers: about 190 tokens, kinder to the summarising peers than the few hundred their prompts ask for."""


_CALLS = itertools.count(1)


def say(name: str, **args: Any) -> AIMessage:
    """Return a reply that calls one tool."""
    return say_all((name, args))


def say_all(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """Return a reply that calls several tools; ids have one length, because some middlewares count their letters."""
    made = [{"name": name, "args": args, "id": f"call_{next(_CALLS):010d}", "type": "tool_call"} for name, args in calls]
    return AIMessage("", tool_calls=made)


def router(script: Script, dispatch: Callable[[Turn], AIMessage], finish: Callable[[], AIMessage]) -> ScriptedChat:
    """Return the centre's model: each turn's specialist in order, then the end."""

    def reply(messages: Sequence[BaseMessage], kwargs: dict[str, Any]) -> AIMessage:
        following = script.next()
        return dispatch(following) if following else finish()

    return ScriptedChat(kind="router", script=script, reply=reply)


def summariser(script: Script) -> ScriptedChat:
    """Return the model of a summarising middleware."""
    return ScriptedChat(kind="extra", script=script, reply=lambda messages, kwargs: AIMessage())


def worker(script: Script) -> ScriptedChat:
    """Return the specialists' model: first tool, second tool, prose."""

    def reply(messages: Sequence[BaseMessage], kwargs: dict[str, Any]) -> AIMessage:
        script.step += 1
        names = [tool["function"]["name"] for tool in kwargs.get("tools", [])]
        mine = [name for name in names if name.startswith(("search_", "history_"))]
        return say(mine[script.step - 1], query=script.now.ask) if script.step <= 2 else AIMessage(script.now.prose)

    return ScriptedChat(kind="worker", script=script, reply=reply)


def tools_of(script: Script, name: str) -> list[Callable[..., str]]:
    """Return a specialist's two tools; each gives about 1,500 tokens of records."""

    def search(query: str) -> str:
        return script.now.records[0]

    def history(query: str) -> str:
        return script.now.records[1]

    search.__name__, search.__doc__ = f"search_{name}", f"Search the {name} register for current records."
    history.__name__, history.__doc__ = f"history_{name}", f"Read the history of the {name} register."
    return [search, history]


def prompt_of(name: str) -> str:
    """Return a specialist's system prompt."""
    return f"You are the {name} office of a city service desk. {SPECIALISTS[name]} Use your tools, then report what you found."
