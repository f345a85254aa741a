"""A router under evaluation: every call counted, and an endpoint that is gone ends the run instead of scoring as wrong."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel

from agents.model.calls import Cost
from agents.model.endpoint import Endpoint, Reply
from agents.model.faults import Fault
from agents.model.settings import OFFLINE, ModelChoice, ModelSettings, loaded
from agents.model.stated import Reading
from agents.offline.routing import OfflineRouter
from agents.registry import SPECIALISTS
from ledger import Prompt, judge
from tests.evals.cases import Case

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")
GONE = frozenset({Fault.AUTH, Fault.QUOTA, Fault.UNAVAILABLE, Fault.RATE_LIMIT})
"""Faults that the next call would meet too; the call itself has been retried already."""
ANSWERED = frozenset({Fault.WINDOW_EXCEEDED, Fault.CONTENT_FILTER, Fault.REFUSAL})
"""Faults with which an endpoint shows that it is alive."""
PATIENCE = 3
"""Calls in a row without any reply after which an endpoint counts as gone."""


class EndpointLost(RuntimeError):
    """The endpoint does not answer any more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a router said to one prompt."""

    action: str = ""
    """Empty when the reply was no decision."""
    names: frozenset[str] = frozenset()
    waived: frozenset[str] = frozenset()
    """Criteria called out of scope."""
    fault: str = ""
    verdict: str = ""
    """What the desk's guard says of it."""
    tokens: int = 0
    prompt_tokens: int = 0
    """Estimated, so that prompts that do not fit have a size too."""


class Watched(Endpoint):
    """The endpoint under evaluation."""

    def __init__(self, choice: ModelChoice, chat: BaseChatModel | None = None) -> None:
        super().__init__(choice, chat)
        self.spent = Cost()
        self._unanswered = 0

    async def call(self, system: str, user: str, *, schema: dict[str, Any] | None = None, name: str = "decision") -> Reply:
        """Send as `Endpoint` does.

        Raises:
            EndpointLost: It is gone for good, or did not answer several times in a row.
        """
        reply = await super().call(system, user, schema=schema, name=name)
        self.spent += reply.spent
        silent = reply.message is None and reply.fault not in ANSWERED
        self._unanswered = self._unanswered + 1 if silent else 0
        if reply.fault in GONE or self._unanswered >= PATIENCE:
            raise EndpointLost(reply.cause)
        return reply


def endpoint_of(name: str | None) -> Watched:
    """Return the configured router, or the model called `name`; without any, the offline router.

    Raises:
        SettingsError: A setting is refused.
    """
    settings = loaded(ModelSettings)
    choice = (settings.model_copy(update={"router_model": name}) if name else settings).router()
    return Watched(choice) if choice else Watched(ModelChoice(model=OFFLINE), OfflineRouter(specialists=SPECIALISTS))


async def ask(router: Watched, case: Case, prompt: Prompt) -> Outcome:
    """Put one prompt to the router once, without the desk's corrective re-ask."""
    reply, reading = await router.decide(prompt.system, prompt.user, case.roster)
    spent = reply.spent.tokens_in
    if reading.fault is not None or reading.action is None:
        return Outcome(fault=str(reading.fault), verdict=str(reading.fault), tokens=spent, prompt_tokens=prompt.tokens)
    return Outcome(
        action=str(reading.action),
        names=frozenset(item.specialist for item in reading.dispatch),
        waived=frozenset(reading.out_of_scope),
        verdict=_verdict(case, reading),
        tokens=spent,
        prompt_tokens=prompt.tokens,
    )


def _verdict(case: Case, reading: Reading) -> str:
    return judge(case.ledger, reading.decision(lambda name: f"c2: work on it, {name}")).code


async def gather(jobs: Mapping[K, Callable[[], Awaitable[R]]], done: dict[K, R], parallel: int, tick: Callable[[], object]) -> None:
    """Do the jobs, a few at a time and in order, and put each result into `done` at once, so that a broken run keeps what it has."""
    gate = asyncio.Semaphore(parallel)

    async def one(key: K, job: Callable[[], Awaitable[R]]) -> None:
        async with gate:
            done[key] = await job()
        tick()

    async with asyncio.TaskGroup() as group:
        for key, job in jobs.items():
            group.create_task(one(key, job))
