"""Criteria for a goal that came without any: from the goal and the registry alone, no model."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.offline.clauses import addresses as find_addresses
from agents.offline.clauses import words
from agents.offline.matching import Described, Match, foreign, match
from ledger.events import CRITERION, MAX_CRITERIA

Addresses = Callable[[str], tuple[tuple[int, int, str], ...]]
HINT = 0.8
"""Score from which a follow-up that adds something names whom it is for; "and the sidewalk there?" says one word of it."""
_MORE = re.compile(r"\W*(?:and|also|what about|how about)\b", re.I)
_SENTENCE = re.compile(r"[^.;!?\n]+[.;!?\n]*")
_EDGES = " \t\r\n.,;:!?-–—"
_AND = re.compile(r"^(?:and|but|also|plus)\b|\b(?:and|but|at|in|on|of|by|for|to|is|has|from|near)$", re.I)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing to settle, and by whom."""

    text: str
    """Within the cap of a criterion."""
    owners: tuple[str, ...]
    """Best first; empty when no specialist covers it."""


def propose(goal: str, specialists: Iterable[Described], earlier: str = "", addresses: Addresses = find_addresses) -> tuple[Proposal, ...]:
    """Return at most 12 criteria: one per matched specialist, or one per address when the goal names several.

    Args:
        goal: What the resident wrote.
        specialists: Whoever is registered.
        earlier: What the case before on this thread was about; says whom a follow-up means that names nobody itself.
        addresses: Finds street addresses as (start, end, address).
    """
    known = tuple(specialists)
    parts = _by_address(goal, addresses(goal))
    if len(parts) > 1:
        return _per_address(goal, parts, known)
    return _by_specialist(goal, known, earlier)


def _by_specialist(goal: str, known: Sequence[Described], earlier: str) -> tuple[Proposal, ...]:
    found = match(goal, known) or (match(goal, known, least=HINT)[:1] if earlier and _MORE.match(goal) else ())
    if not found and earlier and not foreign(goal, known):
        return (Proposal(CRITERION.cut(goal), tuple(item.name for item in match(earlier, known))),)
    if not found:
        return (Proposal(CRITERION.cut(goal) or "the complaint", ()),)
    texts: dict[str, list[str]] = {}
    for item in sorted(found, key=lambda item: _place(goal, item)):
        texts.setdefault(CRITERION.cut("; ".join(item.clauses)), []).append(item.name)
    return tuple(Proposal(text, tuple(owners)) for text, owners in list(texts.items())[:MAX_CRITERIA])


def _per_address(goal: str, parts: dict[str, str], known: Sequence[Described]) -> tuple[Proposal, ...]:
    whole = match(goal, known)
    proposals = []
    for address, said in parts.items():
        found = match(said, known) or (() if words(_tidy(said, parts)) else whole)
        told = [_tidy(clause, parts) for item in found for clause in item.clauses] or [_tidy(said, parts)]
        what = "; ".join(dict.fromkeys(filter(None, told))) or _tidy(goal, parts)
        proposals.append(Proposal(CRITERION.cut(f"{address}: {what}"), tuple(item.name for item in found)))
    if len(proposals) > MAX_CRITERIA:
        rest = list(parts)[MAX_CRITERIA - 1 :]
        owners = tuple(dict.fromkeys(name for item in proposals[MAX_CRITERIA - 1 :] for name in item.owners))
        proposals[MAX_CRITERIA - 1 :] = [Proposal(CRITERION.cut(f"{len(rest)} more: {', '.join(rest)}"), owners)]
    return tuple(proposals)


def _by_address(goal: str, found: Sequence[tuple[int, int, str]]) -> dict[str, str]:
    """Return address -> the part of the goal that is about it; sentences without one belong to the address before."""
    names: dict[str, str] = {}
    for _, _, address in found:
        names.setdefault(_key(address), " ".join(address.split()))
    parts = dict.fromkeys(names.values(), "")
    current = ""
    for sentence in _SENTENCE.finditer(goal):
        here = [item for item in found if sentence.start() <= item[0] < sentence.end()]
        for start, end, address in _pieces(goal, sentence.start(), sentence.end(), here):
            current = names[_key(address)] if address else current
            if current:
                parts[current] += goal[start:end] + " "
    return parts


def _pieces(goal: str, start: int, end: int, here: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Cut one sentence between its addresses: after each where the matter comes first ("rats at A, mice at B"), else before each."""
    if len(here) < 2:
        return [(start, end, here[0][2] if here else "")]
    if words(goal[start : here[0][0]]):
        edges = [start, *(item[1] for item in here[:-1]), end]
    else:
        edges = [start, *(item[0] for item in here[1:]), end]
    return [(left, right, item[2]) for left, right, item in zip(edges[:-1], edges[1:], here, strict=True)]


def _key(address: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", address.casefold()).strip()


def _tidy(text: str, names: Iterable[str]) -> str:
    """Return `text` without the addresses and the little words that led to them."""
    for address in sorted(names, key=len, reverse=True):
        text = re.sub(re.escape(address).replace(r"\ ", r"\s+"), " ", text, flags=re.I)
    bare = re.sub(r"(?:\s*[,;]\s*)+", ", ", " ".join(text.split())).strip(_EDGES)
    while (shorter := _AND.sub("", bare).strip(_EDGES)) != bare:
        bare = shorter
    return bare


def _place(goal: str, item: Match) -> int:
    return " ".join(goal.split()).find(item.clauses[0]) if item.clauses else len(goal)
