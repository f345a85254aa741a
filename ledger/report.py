"""The run report: a case in figures, as plain values that turn into JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from ledger.slope import Slope

JSON = dict[str, Any]
REFUSED_REPEATS = ("repeat", "cycle", "no_progress")
"""The guard's names for work that was done before."""


@dataclass(frozen=True, slots=True)
class Row:
    """One decision."""

    n: int
    hop: int
    """Hops made once it was carried out."""
    moves: tuple[str, ...]
    """Specialists it dispatched, or `ask` or `finish`; empty when it was refused without a readable choice."""
    verdict: str
    verdicts: tuple[str, ...]
    tokens_in: int
    """Summed over attempts."""
    tokens_cached: int
    tokens_out: int
    tokens_source: str
    attempts: int
    prompt_tokens: int
    """Estimated tokens of the prompt, schema included."""
    bound: int
    """Worst case of the prompt at this point, from the contracts alone."""
    difficulty: int
    latency_ms: int
    work_ms: int
    """The slowest specialist that it dispatched."""

    @property
    def per_attempt(self) -> float:
        """Tokens-in of one attempt, so that a re-ask does not look like growth."""
        return self.tokens_in / max(1, self.attempts)


@dataclass(frozen=True, slots=True)
class Fill:
    """How much of its contract's caps one specialist uses, in estimated tokens of headline, outcome and facts together."""

    specialist: str
    returns: int
    mean: float
    most: int
    cap: int

    @property
    def share(self) -> float:
        """Mean as a part of the cap."""
        return self.mean / self.cap


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of right decisions among labelled ones, in the earlier and the later half."""

    early: float
    late: float
    labelled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The run report."""

    case: str
    status: str
    decisions: tuple[Row, ...]
    budget: int
    slope: Slope | None
    """Of tokens-in per attempt."""
    difficulty_slope: Slope | None
    hops: int
    steps: int
    repeats_justified: int
    repeats_unjustified: int
    """Carried out although nothing was new."""
    repeats_refused: int
    """Stopped by the guard."""
    verdicts: dict[str, int]
    """How often the guard said what, re-asks included."""
    compactions: tuple[int, ...]
    """The decisions just before which older steps were archived."""
    contracts: tuple[Fill, ...]
    """Fullest first."""
    outcomes: tuple[tuple[int, str, str], ...]
    """Step, specialist and text, for the alarm on outcomes that speak to the resident."""
    stored_bytes: int
    stored_tokens: int
    router_tokens: int
    """Tokens in and out of all decisions."""
    router_tokens_in: int
    all_tokens: int
    router_ms: int
    busy_ms: int
    """Time that somebody worked: decisions, the slowest step of each dispatch, intake and answer; no waiting for people."""
    accuracy: Accuracy | None
    missing: str | None
    """Handle of an archived stretch that was not given; decisions up to it are not in these figures."""

    @property
    def token_share(self) -> float:
        """The router's part of all tokens."""
        return self.router_tokens / self.all_tokens if self.all_tokens else 0.0

    @property
    def time_share(self) -> float:
        """The router's part of the time that somebody worked."""
        return self.router_ms / self.busy_ms if self.busy_ms else 0.0

    def as_json(self) -> JSON:
        """Return everything but the texts as plain JSON."""
        plain = asdict(self)
        del plain["outcomes"]
        return plain | {"token_share": round(self.token_share, 4), "time_share": round(self.time_share, 4)}
