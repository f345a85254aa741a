"""Say which field of a contract was refused and why, without repeating what was in it."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_OWN_WORDS = frozenset({"value_error", "assertion_error"})


def cause_of(error: ValidationError, at_most: int = 1) -> str:
    """Return 'field: cause' for the first errors; names of unknown keys and refused values are left out."""
    return "; ".join(f"{_field(item)}: {_reason(item)}" for item in error.errors(include_url=False, include_input=False, include_context=False)[:at_most])


def field_of(error: ValidationError) -> str:
    """Return the dotted path of the first refused field."""
    return _field(error.errors(include_url=False, include_input=False, include_context=False)[0])


def _field(item: ErrorDetails) -> str:
    path = [str(part) for part in item["loc"]]
    if item["type"] == "extra_forbidden":
        path[-1] = "unknown key"
    return ".".join(part[:40] for part in path[:4]) or "return"


def _reason(item: ErrorDetails) -> str:
    if item["type"] in _OWN_WORDS:
        return "refused by the contract's own check"
    return item["msg"][:120]
