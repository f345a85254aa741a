"""What a specialist is (one frozen value) and what it is given for one piece of work."""

import asyncio
import datetime as dt
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool

from agents.city.records.addresses import split
from agents.offline.clauses import places
from contracts.errors import RegistryError
from contracts.handles import DESCRIPTION, Handle
from contracts.registry import Contract
from contracts.returns import HEADLINE, MAX_ARTIFACTS, MAX_QUESTIONS, OUTCOME, QUESTION, Audience, Facts, Question, Return, Status
from ledger.criteria import named
from store.errors import ArtifactNotFound
from store.protocol import ArtifactStore
from store.text import read_text

Tool = Callable[..., Any] | BaseTool
"""A function with a docstring, or a LangChain tool, such as one from an MCP server."""
_ID = "c[1-9][0-9]?"
_LABEL = re.compile(rf"(^\W*(?:(?:work on|for) )?|[;.]\s*|[(\[])?\b{_ID}\b(?:\s*(?:,|and|&|\+)\s*{_ID}\b)*(\s*[:)\]–—-]+)?\s*", re.I)
STORED: ContextVar[list[tuple[str, bytes | str]] | None] = ContextVar("stored", default=None)
"""What was stored since somebody began to look, as (alias, body)."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One dispatch: what was asked, for which criteria, and the only artifacts that may be read."""

    specialist: Contract
    case: str
    step: int
    ask: str
    """What was asked, in plain words: criterion ids stand apart, in `criteria`."""
    goal: str
    criteria: tuple[tuple[str, str], ...] = ()
    """Criteria this step works for, as (id, text)."""
    handles: tuple[Handle, ...] = ()
    """Artifacts handed over by the dispatch."""
    answers: tuple[tuple[str, str], ...] = ()
    """What the resident answered to this specialist's questions, as (question, answer); no yes among them approves anything."""
    approved: tuple[tuple[str, str], ...] = ()
    """What the approver answered to this specialist's questions, as (question, answer); an answer may be a no."""
    approvals: bool = False
    """Whether a side effect may be offered to an approver; without, there is none."""
    store: ArtifactStore = field(repr=False)
    home: Path
    """Folder of run data; the records database lies in it."""
    today: dt.date

    @property
    def key(self) -> str:
        """Idempotency key of this step: the same for every attempt at it; a new dispatch, such as after an answer, has another."""
        return f"{self.case}/s{self.step}"

    @property
    def place(self) -> str:
        """The one address or street that it is about: of the last answer, else of the ask, its criteria or the goal; empty for none or several."""
        texts = (*(answer for _, answer in reversed(self.answers)), self.ask, "\n".join(text for _, text in self.criteria), self.goal)
        found = next(filter(None, map(places, texts)), ())
        return found[0] if len(found) == 1 else ""

    async def put(self, body: bytes | str, *, kind: str, description: str, media_type: str = "text/plain") -> Handle:
        """Store bulk under this step and return its handle."""
        handle = await self.store.put(
            self.case,
            body,
            stem=f"A{self.step}",
            media_type=media_type,
            kind=kind,
            description=DESCRIPTION.cut(description),
            producer=self.specialist.name,
        )
        if (stored := STORED.get()) is not None:
            stored.append((handle.alias, body))
        return handle

    async def read(self, alias: str, start: int = 0, length: int = 16_384) -> bytes:
        """Read a bounded range of an artifact that was handed over or stored by this step.

        Raises:
            ArtifactNotFound: The artifact belongs to another step or case, or does not exist.
        """
        self._check(alias)
        return await self.store.read(self.case, alias, start, length)

    async def text(self, alias: str, start: int = 0, *, max_tokens: int = 1_500, max_bytes: int = 6_000) -> str:
        """Read a part of such an artifact as text, cut between characters, with a mark that says where to go on; raises as `read` does."""
        self._check(alias)
        return (await read_text(self.store, self.case, alias, start, max_tokens=max_tokens, max_bytes=max_bytes)).text

    def _check(self, alias: str) -> None:
        mine = alias == f"A{self.step}" or alias.startswith(f"A{self.step}.")
        if not mine and all(handle.alias != alias for handle in self.handles):
            raise ArtifactNotFound

    def returned(
        self,
        status: Status | str,
        headline: str,
        outcome: str,
        facts: Facts,
        artifacts: Sequence[Handle | str] = (),
        questions: Sequence[str | Question] = (),
    ) -> Return:
        """Build this specialist's return, cut to its caps; `done` settles the task's criteria."""
        status = Status(status)
        return self.specialist.returns(
            status=status,
            headline=HEADLINE.cut(headline),
            outcome=OUTCOME.cut(outcome),
            facts=facts,
            artifacts=tuple(item.alias if isinstance(item, Handle) else item for item in artifacts)[:MAX_ARTIFACTS],
            settles=tuple(name for name, _ in self.criteria) if status is Status.DONE else (),
            questions=tuple(item if isinstance(item, Question) else Question(text=QUESTION.cut(item), to=Audience.RESIDENT) for item in questions)[
                :MAX_QUESTIONS
            ],
        )


def plain_ask(ask: str, criteria: Sequence[tuple[str, str]]) -> str:
    """Return an ask without the criterion ids that label its parts; one that says nothing else asks for what the criteria say."""
    mine = named(ask) & {name for name, _ in criteria}

    def unlabelled(found: re.Match[str]) -> str:
        is_label = (found[1] is not None or found[2]) and mine & set(re.findall(_ID, found.group().lower()))
        return ((found[1] or "") if (found[1] or "").strip() in (";", ".") else "") if is_label else found.group()

    plain = _LABEL.sub(unlabelled, ask).strip(" ;,")
    return plain if re.search(r"\w", plain) else "; ".join(text for _, text in criteria)


def same_place(one: str, other: str) -> bool:
    """Say whether two texts name one address or street, however each spells it; what follows a comma is passed over, and no text is no place."""
    first, second = (split(text.partition(",")[0]) for text in (one, other))
    return first == second and any(first)


async def awaited(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Call a coroutine function here and any other function in a thread, and await what it hands back."""
    found = work(*given, **named) if inspect.iscoroutinefunction(work) else await asyncio.to_thread(_called, work, *given, **named)
    return await found if inspect.isawaitable(found) else found


def _called(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    try:
        return work(*given, **named)
    except StopIteration as error:  # no thread can hand this one over: whoever waits would wait for ever
        raise LookupError("next() found nothing") from error


def no_tools(task: Task) -> Sequence[Tool]:
    """Give a specialist no tools."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Specialist(Contract):
    """One specialist, whole: roster line, contract, work with and without a model."""

    run: Callable[[Task], Return | Awaitable[Return]]
    """Its work without a model. A plain function runs in a thread, a coroutine on the event loop."""
    prompt: str = ""
    """System prompt of the model-driven run; empty means that `run` is used even when a model is configured."""
    tools: Callable[[Task], Sequence[Tool] | Awaitable[Sequence[Tool]]] = no_tools
    """Tools of the model-driven run, bound to the task; what they return is stored as the step's evidence."""
    examples: tuple[str, ...] = ()
    """Up to ten texts it answers for; for the offline router and evaluations, never in a prompt."""

    def __post_init__(self) -> None:
        """Keep examples few and short; raises RegistryError."""
        if len(self.examples) > 10 or any(len(text) > 300 for text in self.examples):
            raise RegistryError(f"specialist {self.name!r}: at most ten examples of at most 300 characters")
