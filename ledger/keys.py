"""Short keys that tell when an ask, or what came of it, is the same as before."""

import re
from typing import Any

from ledger.seal import hash_of

JSON = dict[str, Any]
_TIMES = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    r"|\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[ap]\.?m\b)?|\b1[5-9]\d{8}(?:\d{3})?\b|\b\d+(?:[.,]\d+)? ?(?:ms|s|secs?|seconds|min|minutes|hours)\b"
)


def ask_key(specialist: str, ask: str) -> str:
    """Return a short key that is equal for asks that differ only in case, spacing or punctuation."""
    words = "".join(char if char.isalnum() else " " for char in ask.casefold()).split()
    return hash_of([specialist, words])[:8]


def echo_key(step: JSON) -> str:
    """Return a short key of what a step said for which criteria, dates and times apart: equal keys mean nothing new."""
    said = _TIMES.sub("#", f"{step['outcome'] or step['cause']}".casefold())
    words = "".join(char if char.isalnum() or char == "#" else " " for char in said).split()
    return hash_of([step["specialist"], step["criteria"], step["status"], words])[:8]
