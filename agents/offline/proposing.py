"""Criteria for a goal that came without any: from the goal and the registry alone, no model."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.offline.asides import silenced
from agents.offline.clauses import addresses, clauses, words
from agents.offline.following import meant
from agents.offline.matching import Described, Match, foreign, match
from contracts.returns import MAX_CRITERIA
from ledger.events import CRITERION

_ADDED = re.compile(r"(?:also|besides|plus|another thing|tambi[eé]n|adem[aá]s)\b", re.I)
_BESIDES = re.compile(r",\s*(?:and|plus|also|y|e)\W*$|[.;!?\n]\s*(?:and|also|plus|besides|y|tambi[eé]n|adem[aá]s)\W*$", re.I)
_SUBJECT = re.compile(r"(?:my|our|the|an?|there|some\w+|mi|nuestr[oa]|hay|el|la|una?)\b", re.I)
"""A clause that is added and has a subject of its own is a matter of its own."""
_SENTENCE = re.compile(r"[^.;!?\n]+[.;!?\n]*")
_EDGES = " \t\r\n.,;:!?-–—"
_AND = re.compile(r"^(?:and|but|also|plus|y|e|et)\b|\b(?:and|but|at|in|on|of|by|for|to|is|has|from|near|y|e|en|de|del|em|na|no|au|a|à)$", re.I)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing to settle, and by whom."""

    text: str
    """Within the cap of a criterion."""
    owners: tuple[str, ...]
    """Best first; empty when no specialist covers it."""


def propose(goal: str, specialists: Iterable[Described], *, before: Sequence[str] = ()) -> tuple[Proposal, ...]:
    """Return at most 12 criteria: one per matched specialist, or one per address when the goal names several, and one for what is for nobody.

    Args:
        goal: What the resident wrote.
        specialists: Whoever is registered.
        before: Who worked on the case before on this thread; whom a follow-up means that names nobody itself.
    """
    known = tuple(specialists)
    parts = _by_address(goal, addresses(goal))
    if len(parts) > 1:
        return _per_address(goal, parts, known)
    names = meant(goal, known, before)
    lines = _lines(goal, [item for item in match(goal, known) if item.name in names], known)
    lines = lines or {(goal,): tuple(names)}
    return tuple(Proposal(CRITERION.cut("; ".join(told)) or "the complaint", owners) for told, owners in list(lines.items())[:MAX_CRITERIA])


def _lines(text: str, found: Sequence[Match], known: Sequence[Described]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return clauses -> owners, in the order of the text; what is plainly for nobody stands alone, what says nothing known with what it follows."""
    if not found:
        return {}
    owners: dict[tuple[str, ...], tuple[str, ...]] = {}
    for item in found:
        owners[item.clauses] = (*owners.get(item.clauses, ()), item.name)
    lines = {told: list(told) for told in owners}
    last = next(iter(owners))
    for clause in clauses(text, silenced(text, [item.name for item in known])):
        if mine := next((told for told in owners if clause.text in told), None):
            last = mine
        elif foreign(clause.text, known) or _is_added(text, clause.text):
            owners[clause.text,] = ()
            lines[clause.text,] = [clause.text]
        else:
            lines[last].append(clause.text)
    order = sorted(owners, key=lambda told: _place(text, told))
    return {tuple(lines[told]): owners[told] for told in order}


def _is_added(text: str, clause: str) -> bool:
    line = " ".join(text.split())
    return bool(_ADDED.match(clause) or _SUBJECT.match(clause) and _BESIDES.search(line[: line.find(clause)]))


def _per_address(goal: str, parts: dict[str, str], known: Sequence[Described]) -> tuple[Proposal, ...]:
    whole, proposals, strange = match(goal, known), [], []
    for address, said in parts.items():
        lines = _lines(said, match(said, known), known) or {(said,): () if words(_tidy(said, parts)) else tuple(item.name for item in whole)}
        owners = tuple(dict.fromkeys(name for named in lines.values() for name in named))
        told = [_tidy(clause, parts) for clauses, named in lines.items() if named or not owners for clause in clauses]
        what = "; ".join(dict.fromkeys(filter(None, told))) or _tidy(goal, parts)
        proposals.append(Proposal(CRITERION.cut(f"{address}: {what}"), owners))
        strange += [Proposal(CRITERION.cut(f"{address}: {'; '.join(clauses)}"), ()) for clauses, named in lines.items() if owners and not named]
    if len(proposals) > MAX_CRITERIA:
        rest = list(parts)[MAX_CRITERIA - 1 :]
        owners = tuple(dict.fromkeys(name for item in proposals[MAX_CRITERIA - 1 :] for name in item.owners))
        proposals[MAX_CRITERIA - 1 :] = [Proposal(CRITERION.cut(f"{len(rest)} more: {', '.join(rest)}"), owners)]
    return tuple([*proposals, *strange][:MAX_CRITERIA])


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


def _place(text: str, told: Sequence[str]) -> int:
    return " ".join(text.split()).find(told[0]) if told else len(text)
