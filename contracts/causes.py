"""Say which field of a contract was refused and why, without repeating what was in it."""

import re
from typing import get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

# Types of our own PydanticCustomErrors; one not listed here is told as "refused by the contract's own check".
_OURS = frozenset({"text_too_long", "text_empty", "content_free", "no_question", "facts_too_long"})
# These messages quote the value, a key or an author's own words.
_QUOTING = frozenset({"value_error", "assertion_error", "union_tag_invalid", "invalid_key", "get_attribute_error", "iteration_error", "mapping_type"})
_TELLING = (frozenset(get_args(ErrorType)) | _OURS) - _QUOTING
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_FREE = "result"
"""The one part of an event whose keys anybody may choose."""


def cause_of(error: ValidationError, at_most: int = 1) -> str:
    """Return 'field: cause' for the first errors; names of unknown keys and refused values are left out."""
    return "; ".join(f"{_field(item)}: {_reason(item)}" for item in _errors(error)[:at_most])


def field_of(error: ValidationError) -> str:
    """Return the dotted path of the first refused field."""
    return _field(_errors(error)[0])


def _errors(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False, include_input=False, include_context=False)


def _field(item: ErrorDetails) -> str:
    path = [str(part) for part in item["loc"][:4]]
    if item["type"] in ("extra_forbidden", "invalid_key"):
        path = [*path[: len(item["loc"]) - 1][:3], "unknown key"]
    if _FREE in path:
        path = path[: path.index(_FREE) + 1]
    return ".".join(part if _NAME.fullmatch(part) or part.isdigit() or part == "unknown key" else "…" for part in path) or "return"


def _reason(item: ErrorDetails) -> str:
    return item["msg"][:120] if item["type"] in _TELLING else "refused by the contract's own check"
