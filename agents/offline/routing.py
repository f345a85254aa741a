"""The offline router: a chat model that reads the rendered prompt and decides by rule, with no key and no network.

Same prompt in, same decision out. Whom a text is for is `agents.offline.matching`'s business; this file decides who goes next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from agents.offline.clauses import addresses
from agents.offline.following import meant
from agents.offline.languages import UNCOVERED, UNREAD, is_read
from agents.offline.matching import Described
from agents.offline.scope import PRECEDENCE
from agents.offline.situation import Criterion, Situation, read
from contracts.decision import ASK, MAX_DISPATCH, REASON, Action, Decision, Dispatch
from contracts.registry import START
from ledger.criteria import labelled


@dataclass(frozen=True, slots=True)
class Unknown:
    """A specialist of the roster that was not given at construction."""

    name: str
    description: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """A criterion that waits for one specialist, at one building."""

    specialist: str
    criterion: Criterion
    building: str
    fresh: bool


class OfflineRouter(BaseChatModel):
    """Routes by rule over the same two messages that a model reads."""

    specialists: tuple[Any, ...] = ()
    precedence: tuple[tuple[str, str], ...] = PRECEDENCE
    """(earlier, later): at the same building the later one waits for what the earlier one finds."""
    parallel: int = 4
    """Most specialists that it dispatches at once."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        told = read(_first(messages, "system"), _first(messages, "human"))
        decision = self.decide(told)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=decision.model_dump_json()))])

    async def _agenerate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: AsyncCallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        return self._generate(messages)

    def decide(self, told: Situation) -> Decision:
        """Return the next decision: work that is open, else questions, else the end."""
        known = self._known(told)
        work = [item for criterion in told.criteria for item in self._work(told, criterion, known)]
        if told.refused:
            work = [item for item in work if item.fresh]
        if ready := self._ready(work, told):
            return self._dispatch(ready, told)
        if told.questions:
            return Decision(reason="only the answers to open questions can move this on", action=Action.ASK, dispatch=(), out_of_scope=())
        uncovered = [item for item in told.criteria if item.status == "open" and not item.owners and not _history(told, item.id)]
        left = any(item.status == "open" for item in told.criteria)
        why = dict.fromkeys(UNCOVERED if is_read(item.text) else UNREAD for item in uncovered)
        reason = "; ".join(why) or ("nobody is left to work on what is open" if left else "no criterion is open")
        return Decision(reason=REASON.cut(reason), action=Action.FINISH, dispatch=(), out_of_scope=tuple(item.id for item in uncovered))

    def _known(self, told: Situation) -> tuple[Described, ...]:
        given = {item.name: item for item in self.specialists}
        return tuple(given.get(name) or Unknown(name, description) for name, description in told.roster.items())

    def _work(self, told: Situation, criterion: Criterion, known: Sequence[Described]) -> list[Work]:
        if criterion.status not in ("open", "unsettled"):
            return []
        named = [name for name in criterion.missing or criterion.owners if name in told.roster]
        owners = named or ([] if criterion.owners else _owners(criterion.text, told, known))
        building = _building(criterion.text) or _building(told.goal)
        return [Work(name, criterion, building, not _history(told, criterion.id, name)) for name in owners if _is_due(told, criterion, name)]

    def _ready(self, work: list[Work], told: Situation) -> list[Work]:
        """Return what can go now: one building at a time, without those that wait for another's finding there."""
        for building in dict.fromkeys(item.building for item in work):
            here = [item for item in work if item.building == building]
            busy = {item.specialist for item in here if item.criterion.owners}
            ready = [item for item in here if not any(later == item.specialist and earlier in busy for earlier, later in self.precedence)]
            if ready := [item for item in ready or here if self._may_follow(item.specialist, told)] or ready:
                return ready
        return []

    def _may_follow(self, name: str, told: Situation) -> bool:
        after = next((getattr(item, "after", None) for item in self.specialists if item.name == name), None)
        return after is None or bool({*after} & {*(told.latest or (START,))})

    def _dispatch(self, ready: list[Work], told: Situation) -> Decision:
        order = list(told.roster)
        names = sorted(dict.fromkeys(item.specialist for item in ready), key=order.index)
        most = 1 if told.refused == "too_many" else min(self.parallel, MAX_DISPATCH)
        chosen = []
        for name in names[:most]:
            mine = [item for item in ready if item.specialist == name]
            chosen.append(Dispatch(specialist=name, ask=_ask(mine), handles=self._handles(mine[0], told)))
        where = f" at {ready[0].building}" if ready[0].building else ""
        reason = REASON.cut(f"open and waiting for nobody: {', '.join(names[:most])}{where}")
        return Decision(reason=reason, action=Action.DISPATCH, dispatch=tuple(chosen), out_of_scope=())

    def _handles(self, item: Work, told: Situation) -> tuple[str, ...]:
        """Hand over what those that go first have found at this building."""
        first = {earlier for earlier, later in self.precedence if later == item.specialist}
        here = {other.id for other in told.criteria if (_building(other.text) or _building(told.goal)) == item.building}
        found = [alias for step in told.steps if step.specialist in first and here & set(step.criteria) for alias in step.artifacts]
        return tuple(dict.fromkeys(found))[-4:]


def _is_due(told: Situation, criterion: Criterion, name: str) -> bool:
    """Say whether a specialist should work on a criterion: for the first time, once more after a failure, or after an answer."""
    past = _history(told, criterion.id, name)
    if not past:
        return criterion.status == "open"
    if past[-1] in ("failed", "rejected"):
        return sum(status in ("failed", "rejected") for status in past) == 1
    if criterion.status != "open" or told.questions:
        return False
    return past[-1] == "blocked" and told.answered is not False or past[-1] == "partial" and bool(told.answered)


def _history(told: Situation, criterion: str, name: str | None = None) -> list[str]:
    return [step.status for step in told.steps if criterion in step.criteria and name in (None, step.specialist)]


def _owners(text: str, told: Situation, known: Sequence[Described]) -> list[str]:
    """Return whom a text without owners is for; the goal speaks for it only where no owner was named at all."""
    return meant(text, known, told.latest, "" if any(item.owners for item in told.criteria) else told.goal)


def _building(text: str) -> str:
    """Return the only address that a text names, or an empty string."""
    found = {address.casefold(): address for _, _, address in addresses(text)}
    return next(iter(found.values())) if len(found) == 1 else ""


def _ask(mine: Sequence[Work]) -> str:
    said = labelled((item.criterion.id for item in mine), dict.fromkeys(item.criterion.text for item in mine))
    where = mine[0].building
    at = f" at {where}" if where and where.casefold() not in said.casefold() else ""
    return ASK.cut(f"{said}{at}")


def _first(messages: Sequence[BaseMessage], kind: str) -> str:
    return next((str(message.text) for message in messages if message.type == kind), "")
