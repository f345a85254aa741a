"""Which evidence closes which criterion: code decides, from steps and handles, whatever a text claims."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

ANY = "*"
MAX_EVIDENCE = 4
"""Most aliases of a criterion without owners."""
EACH_OWNER = 2
"""Most aliases of each owner: none of them loses its first one to another."""
_NAMED = re.compile(r"(?<![\w#])(?<!apt )(?<!apt\. )(?<!unit )(?<!flat )(?<!suite )(?<!room )c[1-9][0-9]?\b")
"""Criterion ids as the prompt shows them; an apartment C2 or a unit c2 is none."""
_HEAD = re.compile(r"(?:c[1-9][0-9]?(?:\W+and)?\W+)+", re.IGNORECASE)
"""Ids that an ask begins with, in whatever case."""
_DENIED = re.compile(r"\b(?:not|except|without|excluding|ignore|skip)\s+(c[1-9][0-9]?)\b")


@lru_cache(maxsize=256)
def named(ask: str) -> frozenset[str]:
    """Return the criterion ids that an ask means."""
    ask = unicodedata.normalize("NFKC", ask)
    ask = _HEAD.sub(lambda head: head.group().lower(), ask, count=1) if _HEAD.match(ask) else ask
    return frozenset(_NAMED.findall(ask)) - frozenset(_DENIED.findall(ask))


def unnamed(criteria: list[dict[str, Any]], specialist: str, ask: str) -> list[str]:
    """Return the criteria that an ask has to choose from and names none of: several are unfinished and nobody's own."""
    if named(ask) & {item["id"] for item in criteria} or _unfinished(criteria, specialist):
        return []
    free = _unfinished(criteria)
    return free if len(free) > 1 else []


def targets(criteria: list[dict[str, Any]], specialist: str, ask: str) -> list[str]:
    """Return the criteria that an ask works for: those it names, else its specialist's own unfinished ones, else the only one left."""
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
    brought = {alias for alias in step["artifacts"] if alias.startswith("A")}  # not the goal, an earlier case or an answer: nobody found those
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
