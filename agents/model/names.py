"""Which specialist a piece of text spells: the whole text or nothing, in plain letters or not at all."""

import re
from collections.abc import Mapping, Sequence

from agents.model.faults import Fault
from contracts.handles import ALIAS
from contracts.registry import FINISH, SELF

_LEFT = " \t\r\n*`\"'“”‘’#>()[].,;:"
_RIGHT = _LEFT + "!"
_FENCE = re.compile(r"^\s*~~~\w*\s*\n|\n\s*~~~\s*$")
_UNTICKED = re.compile(r"\[\s*\]|\(\s+\)")
_LABEL = r"(?:next|rout(?:e|ing)|dispatch|send|decision|choice|choose|specialist|agent|worker|name|answer|final|select(?:ed)?|step|to|is|the|action)"
_PREFIX = re.compile(rf"^(?:{_LABEL}[ _]*)*\s*(?::|=|->|=>)\s*|^(?:transfer|hand_?off|delegate|route|dispatch|call|send)_(?:back_)?to_", re.I)
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""A terminal code, as for a colour."""


class Unreadable(Exception):
    """Carries a named fault out of the reading of one reply."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(fault)
        self.fault = fault
        self.detail = detail[:160]


def bare(text: str) -> str:
    """Return `text` without terminal codes, markdown, label, prefix and punctuation around it; nothing of an unticked box."""
    text = _FENCE.sub("", ANSI.sub("", text[:400]).replace("\\_", "_"))
    if _UNTICKED.search(text):
        return ""
    text = text.lstrip(_LEFT).rstrip(_RIGHT)
    text = _PREFIX.sub("", text).lstrip(_LEFT).rstrip(_RIGHT)
    return text[1:-1] if re.fullmatch(r"_[^_].*[^_]_", text) else text


def is_finish(text: object) -> bool:
    """Say whether `text` is a spelling of finish."""
    return isinstance(text, str) and bare(text).lower().strip("_") in FINISH


def specialist_of(text: object, roster: Sequence[str]) -> str:
    """Return the specialist that `text` is a spelling of.

    Raises:
        Unreadable: It is empty, the router itself, or no spelling, or one of several names; look-alike characters match nothing.
    """
    if not isinstance(text, str) or not text.strip():
        raise Unreadable(Fault.NO_CHOICE, "no specialist is named")
    if text in roster:
        return text
    name = bare(text)
    matches = [known for known in roster if _key(known) == _key(name)] if name.isascii() else []
    if len(matches) == 1:
        return matches[0]
    raise Unreadable(Fault.AMBIGUOUS if matches else Fault.SELF_ROUTE if _key(name) in SELF else Fault.UNKNOWN_SPECIALIST, text)


def meant(item: object, roster: Sequence[str]) -> str:
    """Return the specialist or the finish that `item` names, or nothing."""
    item = item.get("specialist") if isinstance(item, Mapping) else item
    try:
        return "finish" if is_finish(item) else specialist_of(item, roster)
    except Unreadable:
        return ""


def names_in(text: str, roster: Sequence[str]) -> set[str]:
    """Return the names in `roster` that stand in `text` as words, whatever their case and separators."""
    spellings = {name: r"[\s_-]*".join(map(re.escape, _key(name).split("_"))) for name in roster}
    return {name for name, spelling in spellings.items() if re.search(rf"(?<![^\W_]){spelling}(?![^\W_])", text, re.I)}


def words_of(value: object) -> list[str]:
    """Return the words in a text or list, without those that mean none."""
    items = re.split(r"[\s,;]+", value[:400]) if isinstance(value, str) else value if isinstance(value, list) else []
    words = [item.strip(" \"'[]().") for item in items if isinstance(item, str)]
    return [word for word in words if word and word.lower() not in ("none", "null", "n/a")]


def aliases_of(found: Mapping[str, object]) -> tuple[str, ...]:
    """Return the handles that `found` lists.

    Raises:
        Unreadable: One of them is no handle.
    """
    names = tuple(dict.fromkeys(name.upper() for name in words_of(found.get("handles"))))
    if wrong := next((name for name in names if not re.fullmatch(ALIAS, name)), None):
        raise Unreadable(Fault.CONTRADICTION, f"no such handle in this case: {wrong[:20]}")
    return names[:8]


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.lower()).strip("_")
