"""Short keys that tell when an ask, or what came of it, is the same as before."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

from contracts.text import one_line
from ledger.criteria import named
from ledger.seal import hash_of

JSON = dict[str, Any]
_TIMES = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    r"|\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[ap]\.?m\b)?|\b1[5-9]\d{8}(?:\d{3})?\b|\b\d+(?:[.,]\d+)? ?(?:ms|s|secs?|seconds|min|minutes|hours)\b"
)
_ASKED_AT = re.compile(
    r"\b(?:(?:as of|asked (?:on|at)) )?\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?\b|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?z?\b"
    r"|\b(?:as of|asked (?:on|at)) (?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d)\b"
)
"""When something was asked; a day or an hour alone may be what it is about."""


_WORDS = re.compile(r"(?:[^\W_]|#)+")


@lru_cache(maxsize=1024)
def ask_key(specialist: str, ask: str) -> str:
    """Return a short key that is equal for asks that differ only in how letters are written, punctuation, a time stamp or the order of ids."""
    said = _ASKED_AT.sub(" ", _folded(ask)).replace("#", " ")
    ids = named(said)
    return hash_of([specialist, [*sorted(ids), *(word for word in _words(said) if word not in ids)]])[:8]


def echo_key(step: JSON) -> str:
    """Return a short key of what a step said for which criteria, dates and times apart: equal keys mean nothing new."""
    return _echo(step["specialist"], tuple(step["criteria"]), step["status"], step["outcome"] or step["cause"])


@lru_cache(maxsize=1024)
def _echo(specialist: str, criteria: tuple[str, ...], status: str, said: str) -> str:
    return hash_of([specialist, criteria, status, _words(_TIMES.sub("#", _folded(said)))])[:8]


def _folded(text: str) -> str:
    """Return text as one reads it: wide, narrow and capital letters alike, nothing invisible in it."""
    if not text.isascii():
        text = one_line(unicodedata.normalize("NFKC", text)).replace("\u200c", "").replace("\u200d", "")
        text = unicodedata.normalize("NFKC", text.casefold())
    return text.lower()


def _words(text: str) -> list[str]:
    if not text.isascii():  # marks belong to their letters: Hindi words may differ in them alone
        text = "".join(char if char.isalnum() or char == "#" or unicodedata.category(char)[0] == "M" else " " for char in text)
        return text.split()
    return _WORDS.findall(text)
