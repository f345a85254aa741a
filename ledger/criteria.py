"""Which evidence closes which criterion: code decides, from steps and handles, whatever a text claims."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

ANY = "*"
MAX_EVIDENCE = 4
"""Most aliases of a criterion without owners."""
EACH_OWNER = 2
"""Most aliases of each owner: none of them loses its first one to another."""
_ID = "c[1-9][0-9]?"
_LIST = rf"{_ID}(?:(?:[\s,&/+]|\band\b)+{_ID})*\b"
_HEAD = re.compile(rf"[^\w#]*(?:(?:work on|for)\s+)?({_LIST})", re.I)
"""The ids that an ask begins with, in whatever case."""
_LABEL = re.compile(rf"[;.\n]\s*({_LIST})\s*:")
_NAMED = re.compile(rf"(?<![\w#])(?<!apt )(?<!apt\. )(?<!unit )(?<!flat )(?<!suite )(?<!room )({_ID})\b")
"""Criterion ids as the prompt shows them; an apartment C2 or a unit c2 is none."""
_LEFT_OUT = (
    r"(?:not|no|nor|never|without|except|but|besides|than|instead|leave|skip|ignore|omit|exclud\w+|only|later|until|unless|belongs?|stays?|\w+n't)"
)
_UNCLEAR = re.compile(rf"\b{_LEFT_OUT}\b(?:\W+\w+){{0,2}}\W+{_ID}\b|\b{_ID}\W+(?:\w+\W+)?{_LEFT_OUT}\b", re.I)
"""A word beside an id that may leave it out: which criteria such an ask is for is not guessed."""


def named(ask: str) -> frozenset[str]:
    """Return the criterion ids that an ask means."""
    return _named(ask)[0]


@lru_cache(maxsize=256)
def _named(ask: str) -> tuple[frozenset[str], bool]:
    """Return the ids that an ask begins with and those that label its parts, else all that it names; and whether it leaves open which."""
    ask = unicodedata.normalize("NFKC", ask)
    if head := _HEAD.match(ask):
        labels = [head[1].lower(), *_LABEL.findall(ask[head.end() :])]
        return frozenset(name for label in labels for name in re.findall(_ID, label)), False
    found = frozenset(_NAMED.findall(ask))
    unclear = bool(found and _UNCLEAR.search(ask))
    return frozenset() if unclear else found, unclear


def labelled(ids: Iterable[str], said: Iterable[str]) -> str:
    """Return an ask for these criteria in these words; an id-like word among them, such as a resident's door c2, is none."""
    words = re.sub(r"\bc(?=\d)", "C", "; ".join(said))
    return f"{', '.join(ids)}: {words}"


def unnamed(criteria: list[dict[str, Any]], specialist: str, ask: str) -> list[str]:
    """Return the criteria that an ask has to choose from and names none of: several are unfinished and nobody's own, or it leaves open which."""
    if _named(ask)[1]:
        return [item["id"] for item in criteria]
    if named(ask) & {item["id"] for item in criteria} or _unfinished(criteria, specialist):
        return []
    free = _unfinished(criteria)
    return free if len(free) > 1 else []


def targets(criteria: list[dict[str, Any]], specialist: str, ask: str) -> list[str]:
    """Return the criteria that an ask works for: those it names, else its specialist's own unfinished ones, else the only one left."""
    if _named(ask)[1]:
        return []
    if chosen := named(ask) & {item["id"] for item in criteria}:
        return [item["id"] for item in criteria if item["id"] in chosen and (not item["owners"] or specialist in item["owners"])]
    if own := _unfinished(criteria, specialist):
        return own
    free = _unfinished(criteria)
    return free if len(free) == 1 else []


def _unfinished(criteria: list[dict[str, Any]], owner: str | None = None) -> list[str]:
    """Return the criteria that are not met yet and belong to an owner, or to nobody."""
    mine = [item for item in criteria if (owner in item["owners"] if owner else not item["owners"])]
    return [item["id"] for item in mine if item["status"] in ("open", "unsettled")]


def alias_order(alias: str) -> tuple[int, int, str]:
    """Sort key that puts A2 before A10 and A3 before A3.2."""
    number, _, part = alias[1:].partition(".")
    return int(number), int(part or 1), alias[0]


def with_step(criterion: dict[str, Any], step: dict[str, Any], waiting: bool) -> dict[str, Any]:
    """Return the criterion after one returned step; the result does not depend on the order of steps.

    `waiting` says that the step's own question still waits for a person, so that it has not failed yet.
    """
    key = step["specialist"] if criterion["owners"] else ANY
    settled_by, tried = criterion["settled_by"], criterion["tried"]
    # What was handed to a step somebody else found, and perhaps on another matter.
    brought = {alias for alias in step["artifacts"] if alias[0] == "A" and alias_order(alias)[0] == step["n"]}
    claimed = criterion["id"] in step["settles"]
    if step["status"] == "done" and claimed and brought:
        most = EACH_OWNER if criterion["owners"] else MAX_EVIDENCE
        settled_by = {**settled_by, key: sorted({*settled_by.get(key, ()), *brought}, key=alias_order)[:most]}
    elif not waiting:
        tried = {**tried, key: max(step["n"], tried.get(key, 0))}
    return with_status({**criterion, "settled_by": settled_by, "tried": tried, "evidence": evidence_of(settled_by)})


def evidence_of(settled_by: dict[str, list[str]]) -> list[str]:
    """Return the aliases of all who settled a criterion, in order."""
    return sorted({alias for aliases in settled_by.values() for alias in aliases}, key=alias_order)


def with_status(criterion: dict[str, Any]) -> dict[str, Any]:
    """Derive a criterion's status from who settled it and who tried."""
    if criterion["status"] == "out_of_scope":
        return criterion
    needed = criterion["owners"] or [ANY]
    missing = [name for name in needed if name not in criterion["settled_by"]]
    if not missing:
        return {**criterion, "status": "met", "step": None}
    if all(name in criterion["tried"] for name in missing):
        return {**criterion, "status": "unsettled", "step": max(criterion["tried"][name] for name in missing)}
    return {**criterion, "status": "open", "step": None}
