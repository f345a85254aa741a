"""Which specialist a piece of text spells: the whole text or nothing, in plain letters or not at all."""

import re
from collections.abc import Sequence

from agents.faults import Fault

_SELF = frozenset("supervisor router desk self me myself you yourself assistant orchestrator".split())
_FINISH = frozenset("finish finished end stop done complete completed final".split())
_EDGES = " \t\r\n*~`\"'“”‘’#>()[].,;:!"
_LABEL = r"(?:next|rout(?:e|ing)|dispatch|send|decision|choice|choose|specialist|agent|worker|name|answer|final|select(?:ed)?|step|to|is|the|action)"
_PREFIX = re.compile(rf"^(?:{_LABEL}[ _]*)*\s*(?::|=|->|=>)\s*|^(?:transfer|hand_?off|delegate|route|dispatch|call|send)_(?:back_)?to_", re.I)
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class Unreadable(Exception):
    """Carries a named fault out of the reading of one reply."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(fault)
        self.fault = fault
        self.detail = detail[:160]


def bare(text: str) -> str:
    """Return `text` without terminal codes, markdown, label, prefix and punctuation around it."""
    text = _ANSI.sub("", text[:400]).replace("\\_", "_").strip(_EDGES)
    text = _PREFIX.sub("", text).strip(_EDGES)
    return text[1:-1] if re.fullmatch(r"_[^_].*[^_]_", text) else text


def is_finish(text: object) -> bool:
    """Say whether `text` is a spelling of finish."""
    return isinstance(text, str) and bare(text).lower().strip("_") in _FINISH


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
    raise Unreadable(Fault.AMBIGUOUS if matches else Fault.SELF_ROUTE if _key(name) in _SELF else Fault.UNKNOWN_SPECIALIST, text)


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.lower()).strip("_")
