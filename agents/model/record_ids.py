"""Record ids in a text for the resident: each is checked by code, however it is written."""

import re
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase

RECORD_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{1,6}[-/_]?\d{3,}|[A-Za-z]{1,6}-?(?!(?:19|20)\d\d(?!\d))\d{4,})(?:[-/]\d{1,6})*(?![A-Za-z0-9]|_[A-Z])|(?<!\d)\d{6,}"
)
"""What a record id looks like: letters and at least three digits, or at least six digits; years, house numbers and names of settings do not."""
_GROUPED = re.compile(r"(?<!\d)(?!(?:(?:19|20)\d\d\D){2})\d{1,5}([^\S\n]|[.,/_'’‐-―-])\d{1,5}(?:\1\d{1,5})*(?!\d)")
_LEAST = 10
"""Digits of a number in groups that are checked like a record id; dates and sums of money have fewer."""
REMOVED = "[record number removed]"
"""What stands in the place of a record id that nothing stored holds."""


def unknown_ids(text: str, known: str) -> list[str]:
    """Return the record ids in `text` that stand nowhere in `known`, in order; how a number is grouped makes it no other."""
    held = _ids(known)
    allowed = {_plain(name) for name in [*held, *(re.sub(r"(?<=\d)[-/].*", "", name) for name in held)]}
    digits = re.sub(r"(?<=\d)[^\w\n]{1,2}(?=\d)", "", known)
    return [
        name
        for name, plain in ((name, _plain(name)) for name in _ids(text))
        if not {plain, plain.lstrip(ascii_uppercase)} & allowed and not (_GROUPED.fullmatch(name) and plain in digits)
    ]


def _ids(text: str) -> list[str]:
    grouped = (found[0] for found in _GROUPED.finditer(text) if len(_plain(found[0])) >= _LEAST)
    return list(dict.fromkeys([*RECORD_ID.findall(text), *grouped]))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", name)).upper()


def without_ids(text: str, ids: Sequence[str]) -> str:
    """Return the text without these record ids, and with a note that says so."""
    if not ids:
        return text
    unknown = frozenset(ids)
    for pattern in (_GROUPED, RECORD_ID):
        text = pattern.sub(lambda found: REMOVED if found[0] in unknown else found[0], text)
    return f"{text}\n\n{len(ids)} record number(s) that no stored artifact holds were removed from this text."
