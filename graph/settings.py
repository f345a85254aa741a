"""Settings of the desk besides its models: where run data lies, which store, which budgets."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from agents.model.settings import Url, refusals
from contracts import Contract, SettingsError
from ledger import RULES, Limits, Setup
from ledger.events import roster_of
from ledger.render import worst_case
from store.opening import open_store
from store.protocol import ArtifactStore
from store.sweeping import DAY


def _redis_url(value: str) -> str:
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must start with redis://, rediss:// or unix://")
    return value


def _function(value: str) -> str:
    if not re.fullmatch(r"[\w.]+:[\w.]+", value):
        raise ValueError("must name a function as module:function")
    return value


RedisUrl = Annotated[str, AfterValidator(_redis_url)]
Function = Annotated[str, AfterValidator(_function)]


def _limit(name: str, variable: str, description: str, **other: Any) -> Any:
    """Return a setting with the default and the bounds of that limit of a case."""
    limit = Limits.model_fields[name]
    bounds = {key: getattr(item, key) for item in limit.metadata for key in ("ge", "le") if hasattr(item, key)}
    return Field(**{"default": limit.default, **bounds, **other}, validation_alias=variable, description=description)


def limits_of(values: Mapping[str, Any]) -> Limits:
    """Return the limits of a case.

    Raises:
        SettingsError: One of them is out of its bounds.
    """
    try:
        return Limits.model_validate(values)
    except ValidationError as error:
        raise SettingsError(refusals(error)) from None


class DeskSettings(BaseSettings):
    """Desk settings from the environment and `.env`; an empty value counts as unset."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True)

    home: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        Path(".desk"), validation_alias="DESK_HOME", description="Folder of run data: records, artifacts, ledgers."
    )
    redis_url: RedisUrl | None = Field(
        None,
        validation_alias="REDIS_URL",
        description="Keeps artifacts in Redis or Valkey; unset means a SQLite file in the home folder.",
        repr=False,
    )
    own_store: Function | None = Field(
        None,
        validation_alias="DESK_STORE",
        description="A store of your own in place of both, as module:function; the function takes nothing and returns it.",
    )
    shared: bool = Field(
        False, validation_alias="DESK_SHARED", description="Several hosts share the work: artifacts must lie in Redis, not in a file of one host."
    )
    store_timeout: float = Field(
        5.0, gt=0, le=600, validation_alias="DESK_STORE_TIMEOUT", description="Seconds that one operation of the store may take."
    )
    retention: float = Field(
        30.0,
        gt=0,
        le=36_500,
        validation_alias="DESK_RETENTION",
        description="Days that a case's artifacts stay after its last activity: Redis drops them then, a SQLite file when it is swept.",
    )
    budget: int | None = _limit(
        "budget", "DESK_BUDGET", "Most tokens of a router prompt; unset means 1500, or what the roster needs if that is more.", default=None
    )
    max_hops: int = _limit("max_hops", "DESK_MAX_HOPS", "Most dispatches and questions of one case.")
    max_parallel: int = _limit("max_parallel", "DESK_MAX_PARALLEL", "Most specialists at once.")
    case_tokens: int = _limit("max_tokens", "DESK_CASE_TOKENS", "Most tokens of one case in all; 0 for no limit.")
    case_seconds: float = _limit("max_seconds", "DESK_CASE_SECONDS", "Most seconds of one case; 0 for no limit.")
    server_url: Url | None = Field(
        None, validation_alias="DESK_SERVER_URL", description="Where the board finds the server; unset means where its own page was asked for."
    )
    specialist_timeout: float = Field(
        300.0, gt=0, le=86_400, validation_alias="DESK_SPECIALIST_TIMEOUT", description="Seconds that one step may take."
    )

    def store_url(self, home: Path) -> str:
        """Return where artifacts are kept.

        Raises:
            SettingsError: Several hosts share work, and the artifacts would lie on one of them.
        """
        if self.own_store:
            return f"python:{self.own_store}"
        if self.shared and not self.redis_url:
            raise SettingsError("DESK_SHARED is set, but a SQLite file is seen by one host only: set REDIS_URL to a Redis that all hosts reach")
        return self.redis_url or str(home / "artifacts.db")

    def store(self, home: Path) -> ArtifactStore:
        """Open the artifact store; nothing is connected before its first operation. Raises as `store_url` and `open_store` do."""
        url = self.store_url(home)
        try:
            return open_store(url, timeout=self.store_timeout, ttl=max(1, round(self.retention * DAY)))
        except SettingsError as error:
            raise SettingsError(f"{'DESK_STORE' if self.own_store else 'REDIS_URL' if self.redis_url else 'DESK_HOME'}: {error}") from error.__cause__

    def limits(self, specialists: Sequence[Contract]) -> Limits:
        """Return the limits of a case; without a configured budget, the default one or the least that holds this roster.

        Raises:
            SettingsError: The configured budget holds no prompt of this roster, or no budget does.
        """
        base = {"max_hops": self.max_hops, "max_parallel": self.max_parallel, "max_tokens": self.case_tokens, "max_seconds": self.case_seconds}
        limits = limits_of(base)
        least = worst_case(Setup(roster=roster_of(specialists), limits=limits, rules=RULES)).least
        if self.budget and self.budget < least:
            raise SettingsError(
                f"DESK_BUDGET is {self.budget}, this roster needs at least {least}: raise it, or unset it; python -m graph bound adds it up"
            )
        return limits_of(base | {"budget": self.budget or max(limits.budget, least)})
