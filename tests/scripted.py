"""Scripted routers and specialists, for tests of everything but models and records."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from agents.specialist import Specialist, Task
from contracts import Facts, Return

JSON = dict[str, Any]


def dispatch(*work: tuple[str, str] | tuple[str, str, list[str]], reason: str = "next") -> str:
    """Return a decision that dispatches (specialist, ask[, handles])."""
    items = [{"specialist": item[0], "ask": item[1], "handles": item[2] if len(item) > 2 else []} for item in work]
    return json.dumps({"reason": reason, "action": "dispatch", "dispatch": items, "out_of_scope": []})


def finish(*out_of_scope: str, reason: str = "all is settled") -> str:
    """Return a decision that finishes."""
    return json.dumps({"reason": reason, "action": "finish", "dispatch": [], "out_of_scope": list(out_of_scope)})


def ask(reason: str = "a person must say") -> str:
    """Return a decision that asks."""
    return json.dumps({"reason": reason, "action": "ask", "dispatch": [], "out_of_scope": []})


class Scripted(BaseChatModel):
    """A chat model that says what it is told: a list of replies, the last one repeated, or a function of the prompt."""

    replies: list[Any] = []
    answer: Callable[[str, str], str] | None = None
    seen: list[list[BaseMessage]] = []

    def __init__(self, *replies: Any, answer: Callable[[str, str], str] | None = None) -> None:
        super().__init__()
        self.replies, self.answer, self.seen = list(replies), answer, []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        self.seen.append(messages)
        system, user = (str(message.content) for message in messages)
        if "choose who works next" not in system:
            said: Any = ""
        elif self.answer is not None:
            said = self.answer(system, user)
        else:
            said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(said, Exception):
            raise said
        message = said if isinstance(said, AIMessage) else AIMessage(said)
        return ChatResult(generations=[ChatGeneration(message=message)])

    @property
    def prompts(self) -> list[str]:
        """The user messages of all routing calls."""
        return [str(messages[1].content) for messages in self.seen if "choose who works next" in str(messages[0].content)]


class Count(Facts):
    """Facts of the scripted specialists."""

    count: int


class Counted(Return):
    """Contract of the scripted specialists."""

    facts: Count


async def work(task: Task) -> Return:
    """Store one artifact and say so."""
    handle = await task.put(f"Record 10100{task.step:04d} about: {task.ask}", kind="note", description=f"Note of step {task.step}")
    return task.returned("done", f"Record 10100{task.step:04d} found", f"Record 10100{task.step:04d} answers the ask.", Count(count=1), [handle])


def specialist(name: str, run: Callable[..., Any] = work, **more: Any) -> Specialist:
    """Return a scripted specialist."""
    return Specialist(name=name, description=more.pop("description", f"everything about {name}"), returns=Counted, run=run, **more)


def four(run: Callable[..., Any] = work) -> Sequence[Specialist]:
    """Return the desk's four names with scripted work."""
    return [specialist(name, run) for name in ("potholes", "permits", "sanitation", "housing")]
