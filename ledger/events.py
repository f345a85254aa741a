"""The events of a case, versioned and JSON-plain: every change of a ledger is one of these."""

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, TypeAdapter

from contracts.decision import ASK, REASON, Action
from contracts.handles import Alias, CaseId, Digest
from contracts.registry import Contract
from contracts.returns import CAUSE, MAX_ARTIFACTS, MAX_CRITERIA, Closed, CriterionId
from contracts.text import Capped
from ledger.criteria import EACH_OWNER

VERSION = 1
MAX_GOAL = 100_000
MAX_OPEN_QUESTIONS = 12
"""The prompt has room for all of them."""
MAX_OWNERS = 8
CRITERION = Capped(tokens=24, bytes=120)
ANSWER = Capped(tokens=56, bytes=240, empty=True)
RAW = Capped(tokens=600, bytes=600, empty=True)
LINE = Capped(tokens=40, bytes=160, empty=True)
ROSTER_LINE = Capped(tokens=40, bytes=240)

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Seal = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
QuestionId = Annotated[str, StringConstraints(pattern=r"^q[1-9][0-9]{0,5}(\.[1-9])?$")]
_DAY, _TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"


def _real(instant: str) -> str:
    dt.datetime.fromisoformat(instant)
    return instant


Instant = Annotated[str, StringConstraints(pattern=f"^{_DAY}T{_TIME}$"), AfterValidator(_real)]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,31}$")]
Count = Annotated[int, Field(ge=0, le=10**12)]
Number = Annotated[int, Field(ge=1, le=999_999)]
Verbatim = StringConstraints(pattern=r"^[^\x00]*$")
"""Text that is kept as it came; NUL alone is refused, because databases cannot keep it."""


class Limits(Closed):
    """Budgets of one case. Tokens are estimated tokens; 0 means no limit where it is allowed."""

    budget: int = Field(default=1500, ge=256, le=1_000_000, description="Most tokens of a router prompt, schema included; compaction keeps it.")
    max_hops: int = Field(default=40, ge=1, le=100_000, description="Most dispatches and asks of one case.")
    max_parallel: int = Field(default=4, ge=1, le=8, description="Most specialists dispatched at once.")
    max_tokens: int = Field(default=0, ge=0, le=10**12, description="Most tokens of the whole case, router and specialists; 0 for no limit.")
    max_seconds: float = Field(default=0, ge=0, le=10**9, description="Most wall time of the case in seconds; 0 for no limit.")
    stall: int = Field(default=4, ge=2, le=64, description="Steps in a row without anything new after which the case stops.")
    patience: int = Field(default=2, ge=1, le=16, description="Refused decisions in a row after which the case stops.")
    retries: int = Field(default=1, ge=0, le=8, description="How often a failed ask may be dispatched again unchanged.")


class RosterLine(Closed):
    """One specialist as the router sees it."""

    name: Name
    description: Annotated[str, ROSTER_LINE]
    after: tuple[Name, ...] | None = None


def roster_of(contracts: Iterable[Contract]) -> tuple[RosterLine, ...]:
    """Return the roster lines of these specialists."""
    return tuple(RosterLine(name=item.name, description=item.description, after=item.after) for item in contracts)


class Setup(Closed):
    """What was fixed when the case was opened, so that its prompts can be rebuilt from the ledger alone."""

    roster: tuple[RosterLine, ...] = Field(min_length=1, max_length=64)
    limits: Limits = Limits()
    rules: Annotated[str, Verbatim, Field(max_length=2000)]


class NewCriterion(Closed):
    """One completion criterion; `owners` are the specialists that must each bring evidence, none means any.

    `candidates` are specialists that its text is for by code's own match: while there are any, no router may call it out of scope.
    """

    text: Annotated[str, CRITERION]
    owners: tuple[Name, ...] = Field(default=(), max_length=MAX_OWNERS)
    source: Literal["caller", "proposed"] = "caller"
    candidates: tuple[Name, ...] = Field(default=(), max_length=8)


class Sent(Closed):
    """A dispatch as the record keeps it: cut instead of refused, and also one that names nobody known."""

    specialist: Annotated[str, Capped(tokens=64, bytes=64, empty=True)]
    ask: Annotated[str, ASK]
    handles: tuple[Alias, ...] = Field(default=(), max_length=8)


class Spent(Closed):
    """What a specialist used."""

    tokens_in: Count = 0
    tokens_out: Count = 0
    tokens_source: Literal["none", "estimated", "reported"] = "none"
    calls: Count = 0
    ms: Count = 0


class Event(Closed):
    """Base of all events; `case` keeps events of another case out."""

    case: CaseId


class Opened(Event):
    """A goal came in; `follows` is the case that stood in this ledger before, so that an old `opened` cannot come back."""

    type: Literal["opened"] = "opened"
    version: Literal[1] = 1
    at: Instant
    goal: Annotated[str, Verbatim, Field(min_length=1, max_length=MAX_GOAL)]
    goal_handle: Alias | None = None
    criteria: tuple[NewCriterion, ...] = Field(min_length=1, max_length=MAX_CRITERIA)
    setup: Setup
    earlier: Alias | None = None
    follows: CaseId | None = None
    spent: Spent = Spent()


class Decided(Event):
    """The router spoke: what it chose, what the guard said, what it cost."""

    type: Literal["decided"] = "decided"
    n: Number
    at: Instant
    action: Action | None
    reason: Annotated[str, REASON] = ""
    dispatch: tuple[Sent, ...] = Field(default=(), max_length=8)
    out_of_scope: tuple[CriterionId, ...] = Field(default=(), max_length=MAX_CRITERIA)
    verdict: Word
    verdicts: tuple[Word, ...] = Field(default=(), max_length=8)
    detail: Annotated[str, LINE] = ""
    justified: Annotated[str, LINE] = ""
    raw: Annotated[str, RAW] = ""
    tokens_in: Count = 0
    tokens_out: Count = 0
    tokens_cached: Count = 0
    tokens_source: Literal["estimated", "reported"] = "estimated"
    latency_ms: Count = 0
    attempts: Count = 1
    model: Annotated[str, LINE] = ""
    method: Annotated[str, LINE] = ""
    prompt_sha256: Digest
    prompt_tokens: Count = 0
    difficulty: Count = 0


class Returned(Event):
    """A specialist handed something back: `result` is judged by its contract; without one, `cause` says why."""

    type: Literal["returned"] = "returned"
    step: Number
    specialist: Name
    result: JsonValue = None
    cause: Annotated[str, CAUSE] | Literal[""] = ""
    seals: tuple[tuple[Alias, Seal], ...] = Field(default=(), max_length=MAX_ARTIFACTS)
    """Aliases and seals of the handles that came with it."""
    spent: Spent = Spent()


class Asked(Event):
    """Open questions were put to people."""

    type: Literal["asked"] = "asked"
    questions: tuple[QuestionId, ...] = Field(min_length=1, max_length=MAX_OPEN_QUESTIONS)


class Answered(Event):
    """A person answered, or nobody did (`lapsed`)."""

    type: Literal["answered"] = "answered"
    question: QuestionId
    text: Annotated[str, ANSWER] = ""
    handle: Alias | None = None
    lapsed: bool = False


class Compacted(Event):
    """Older steps and decisions went whole to the store under `handle`, just before decision `before`."""

    type: Literal["compacted"] = "compacted"
    upto_step: Number
    upto_decision: Number
    before: Number
    handle: Annotated[Alias, StringConstraints(pattern=r"^L")]


class Stopped(Event):
    """The run will end before its criteria are settled; the answer says why."""

    type: Literal["stopped"] = "stopped"
    reason: Annotated[str, LINE]


class Finished(Event):
    """The case is closed; `missing` names evidence that could not be read any more."""

    type: Literal["closed"] = "closed"
    at: Instant
    status: Literal["done", "stopped"]
    reason: Annotated[str, LINE] = ""
    answer: Alias | None = None
    missing: tuple[Alias, ...] = Field(default=(), max_length=MAX_CRITERIA * MAX_OWNERS * EACH_OWNER)
    spent: Spent = Spent()


AnyEvent = Annotated[
    Opened | Decided | Returned | Asked | Answered | Compacted | Stopped | Finished,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[Any] = TypeAdapter(AnyEvent)


def plain(event: Event) -> dict[str, Any]:
    """Return the event as the plain JSON that state carries."""
    return event.model_dump(mode="json")
