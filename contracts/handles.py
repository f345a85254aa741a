"""Handles: what the router sees of an artifact, while the body stays in the store."""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from contracts.text import Capped

ALIAS = r"^[AGLRE][1-9][0-9]{0,5}(\.[1-9][0-9]{0,2})?$"
CASE = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"

Alias = Annotated[str, StringConstraints(pattern=ALIAS, max_length=12)]
"""Short name of an artifact in its case. The letter says what it is: `A3` an artifact of step 3 (`A3.2` its second),
`G1` a long goal, `L8` the stretch of ledger archived up to step 8, `R1` the written answer, `E1` an earlier case."""

CaseId = Annotated[str, StringConstraints(pattern=CASE)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Kind = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
MediaType = Annotated[str, StringConstraints(pattern=r"^[a-z]+/[a-z0-9.+-]{1,60}$")]

DESCRIPTION = Capped(tokens=24, bytes=120)


class Handle(BaseModel):
    """One stored artifact: enough to route on, nothing of its body."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    alias: Alias = Field(description="Short name in its case, the only form prompts carry.")
    case: CaseId = Field(description="The case that owns it; it is not found from any other.")
    digest: Digest = Field(description="SHA-256 of the body, lower-case hex.")
    bytes: int = Field(ge=0, le=2**53, description="Size of the body in bytes.")
    tokens: int = Field(ge=0, le=2**53, description="Estimated tokens of the body, 0 when it is not text.")
    media_type: MediaType = Field(description="IANA media type, such as text/plain.")
    kind: Kind = Field(description="What it is, in one word of the producer's vocabulary, such as permit_history.")
    description: Annotated[str, DESCRIPTION] = Field(description="One line, written by code, never by a model.")
    producer: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$", description="Specialist or node that stored it.")


def merge_handles(current: Any, update: Any) -> dict[str, Any]:
    """Reduce the `artifacts` channel: add valid handles, drop those mapped to None; total, pure, first one wins.

    The first handle under an alias stays: an alias never changes its content, and order of arrival does not matter
    for different aliases. What is not a handle is left out. A list is applied item by item: a new case sends first
    `{alias: None}` for every old handle, then its own, which may take the same aliases.
    """
    if isinstance(update, (list, tuple)):
        merged = current
        for item in update:
            merged = _merged(merged, item)
        return merged if isinstance(merged, dict) else {}
    return _merged(current, update)


def _merged(current: Any, update: Any) -> dict[str, Any]:
    merged = dict(current) if isinstance(current, dict) else {}
    if not isinstance(update, dict):
        return merged
    for alias, value in update.items():
        if value is None:
            merged.pop(alias, None)
        elif alias not in merged and (plain := _read(value)) and plain["alias"] == alias:
            merged[alias] = plain
    return {alias: merged[alias] for alias in sorted(merged, key=str)}


def _read(value: Any) -> dict[str, Any] | None:
    try:
        return _plain(tuple((value.model_dump() if isinstance(value, Handle) else value).items())).copy()
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


@lru_cache(maxsize=4096)
def _plain(items: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return Handle.model_validate(dict(items)).model_dump(mode="json")
