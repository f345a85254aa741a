"""The custom stream events of a run: what user interfaces of your own may rely on.

`stream_mode="custom"` yields each as one plain object, `{"event": name, ...}`, with exactly the fields of its record here; a release may add
fields, and none is renamed or removed without a new name. Texts come from models and people: escape them where you show them.
"""

from dataclasses import dataclass
from typing import Any

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """`opened`: a goal came in and its case is open."""

    case: str
    criteria: list[str]
    model: str
    """Name of the router's model; `offline` without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`decision`: the router spoke and the guard judged. Tokens are summed over attempts."""

    case: str
    n: int
    hop: int
    """Hops made once this decision is carried out."""
    action: str | None
    """`dispatch`, `ask`, `finish`, or None when nothing could be read."""
    reason: str
    dispatch: list[JSON]
    """`specialist`, `ask`, `handles`, and for a legal one `step`."""
    verdict: str
    """`ok`, or what the guard or the reading found wrong."""
    detail: str
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    tokens_source: str
    """`reported` by the endpoint, or `estimated`."""
    latency_ms: int
    attempts: int
    difficulty: int
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """`return`: a step came back; `rejected`: its contract refused what came back."""

    case: str
    n: int
    specialist: str
    ask: str
    status: str
    """`done`, `partial`, `blocked`, `failed` or `rejected`."""
    headline: str
    cause: str
    artifacts: list[str]
    spent: JSON
    """`tokens_in`, `tokens_out`, `tokens_source`, `calls`, `ms`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """`compaction`: older steps went whole to the store, because the prompt would have passed its budget."""

    case: str
    upto_step: int
    handle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`answer`: a person answered a question, or nobody did."""

    case: str
    question: str
    lapsed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """`alarm`: the figures say that something is wrong; each once in a run and process."""

    case: str
    code: str
    """Stable name, see `ledger.alarms`."""
    message: str
    decisions: list[int]
    steps: list[int]
    specialist: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """`stopped`: the run ends before everything is settled; the answer follows."""

    case: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """`closed`: the answer is written."""

    case: str
    status: str
    reason: str
    missing: list[str]
    """Handles of evidence that could not be read any more."""


EVENTS: dict[str, type[Any]] = {
    "opened": Opened,
    "decision": Decision,
    "return": Return,
    "rejected": Return,
    "compaction": Compaction,
    "answer": Answer,
    "alarm": Alarm,
    "stopped": Stopped,
    "closed": Closed,
}


def event(kind: str, **given: Any) -> JSON:
    """Return an event as it is streamed; raises TypeError when a field is missing or not documented here."""
    EVENTS[kind](**given)
    return {"event": kind, **given}
