"""Text from outside, made safe once: one line, no invisible characters, capped in bytes and tokens."""

import json
import re
import unicodedata
from typing import Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from contracts.tokens import SHORT, estimate, fitting

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_SPACES = re.compile(r"\s+")
# Letters never need these: format characters (bidi, zero width, tags), surrogates, private use, unassigned.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Marks and letters that show nothing, so that text could hide in them: selectors, fillers, blanks.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_QUOTES = str.maketrans(dict.fromkeys('"\u201c\u201d\u201e\u201f\uff02', "'"))
_SHOWN_AS_ESCAPE = re.compile(
    r"[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_JOINERS = "\u200c\u200d"  # Indic and Persian spelling and emoji use them between two visible characters


def one_line(text: str) -> str:
    """Return `text` on one line, without control, invisible and terminal characters."""
    if text.isascii() and text.isprintable():
        return _SPACES.sub(" ", text).strip()
    visible = []
    for char in _BLANK.sub("", _ANSI.sub("", text)):
        if char.isspace():
            visible.append(" ")
        elif unicodedata.category(char) not in _HIDDEN or (char in _JOINERS and visible and visible[-1] not in _JOINERS):
            visible.append(char)
    return _SPACES.sub(" ", "".join(visible)).strip(_JOINERS + " ")


def quoted(text: str) -> str:
    """Return `text` as prompt data: between double quotes that it cannot close, with fences and headings defused."""
    return '"' + one_line(text).translate(_QUOTES).replace("```", "'''") + '"'


def verbatim(text: str) -> str:
    """Return text as one JSON string that shows every invisible character as an escape and can be read back exactly."""
    return _SHOWN_AS_ESCAPE.sub(_escaped, json.dumps(text, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def clip(text: str, *, tokens: int, bytes: int | None = None) -> str:
    """Cut `text` to at most `tokens` estimated tokens and `bytes` UTF-8 bytes, with a visible mark where it was cut."""
    size = len(text.encode("utf-8", "replace"))
    limit = size if bytes is None else bytes
    if size <= limit and len(text) <= SHORT and estimate(text) <= tokens:
        return text
    most = text[: _MOST_PER_TOKEN * tokens].encode("utf-8", "replace")[: max(0, limit - len(_MARK.encode()))].decode("utf-8", "ignore")
    end = fitting(most, tokens, _MARK)
    if size <= limit and len(text) - end <= _MOST_PER_TOKEN and estimate(text) <= tokens:
        return text
    return most[:end].rstrip() + _MARK if end else ""


_MARK = "…"
_MOST_PER_TOKEN = 16
"""No text of more characters than this for each token is estimated to fit: the longest cheap run is one of spaces."""


class Capped:
    """A string field that is cleaned to one line and refused above `tokens` estimated tokens or `bytes` UTF-8 bytes."""

    def __init__(self, *, tokens: int, bytes: int, empty: bool = False) -> None:
        """Set the caps; `empty` says that nothing at all is fine too."""
        self.tokens = tokens
        self.bytes = bytes
        self.empty = empty

    def __call__(self, value: Any) -> Any:
        """Clean and check one value, as pydantic's validator."""
        if not isinstance(value, str):
            return value
        if len(value) > 64 * self.bytes:
            raise PydanticCustomError("text_too_long", "longer than the cap of {bytes} bytes", {"bytes": self.bytes})
        line = one_line(value)
        size, count = len(line.encode()), estimate(line)
        if not line and not self.empty:
            raise PydanticCustomError("text_empty", "is empty")
        if size > self.bytes or count > self.tokens:
            raise PydanticCustomError(
                "text_too_long",
                "has {size} bytes and about {count} tokens, the cap is {bytes} bytes and {tokens} tokens",
                {"size": size, "count": count, "bytes": self.bytes, "tokens": self.tokens},
            )
        return line

    def cut(self, text: str) -> str:
        """Return `text` cleaned and cut to this cap, for code that writes the field itself."""
        return clip(one_line(text[: 64 * self.bytes]), tokens=self.tokens, bytes=self.bytes)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Let pydantic use it as an annotation."""
        return BeforeValidator(self).__get_pydantic_core_schema__(source, handler)
