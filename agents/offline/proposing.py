"""Criteria for a goal that came without any: from the goal and the registry alone, no model."""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.offline.clauses import addresses, unplaced
from agents.offline.following import meant
from agents.offline.matching import Described, Match, heard, match
from agents.offline.words import words
from contracts.returns import MAX_CRITERIA
from ledger.events import CRITERION

_ADDED = re.compile(r"(?:also|besides|plus|another thing|tambi[eé]n|adem[aá]s)\b", re.I)
_BESIDES = re.compile(r",\s*(?:and|plus|also|y|e)\W*$|[.;!?\n]\s*(?:and|also|plus|besides|y|tambi[eé]n|adem[aá]s)\W*$", re.I)
_SUBJECT = re.compile(r"(?:my|our|the|an?|there|some\w+|mi|nuestr[oa]|hay|el|la|una?)\b", re.I)
"""A clause that is added and has a subject of its own is a matter of its own."""
_SENTENCE = re.compile(r"[^.;!?\n]+[.;!?\n]*")
_EDGES = " \t\r\n.,;:!?-–—"
_FIRST = frozenset(("", *"and but also plus y e et".split()))
_LAST = frozenset(("", *"and but at in on of by for to is has from near y e en de del em na no au a à".split()))
"""Words that a heading loses where it starts or ends with them."""


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
    head, parts = _by_address(goal, addresses(goal))
    if len(parts) > 1:
        return _per_address(goal, head, parts, known)
    names = meant(goal, known, before)
    lines = _lines(goal, [item for item in match(goal, known) if item.name in names], known) or {(goal,): tuple(names)}
    return _fitting([_proposal("; ".join(dict.fromkeys(told)), owners) for told, owners in lines.items()])


def _proposal(text: str, owners: tuple[str, ...]) -> Proposal:
    return Proposal(CRITERION.cut(text) or "the complaint", owners)


def _fitting(proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return at most 12: of more, those for somebody first, and the last of each kind as one."""
    if len(proposals) <= MAX_CRITERIA:
        return tuple(proposals)
    owned, strange = [item for item in proposals if item.owners], [item for item in proposals if not item.owners]
    owned = _joined(owned, MAX_CRITERIA - bool(strange))
    return (*owned, *_joined(strange, MAX_CRITERIA - len(owned)))


def _joined(proposals: list[Proposal], most: int) -> list[Proposal]:
    if len(proposals) <= most:
        return proposals
    rest = proposals[most - 1 :]
    owners = tuple(dict.fromkeys(name for item in rest for name in item.owners))
    return [*proposals[: most - 1], _proposal(f"{len(rest)} more: {'; '.join(item.text for item in rest)}", owners)]


def _lines(text: str, found: Sequence[Match], known: Sequence[Described]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return clauses -> owners, in the order of the text; what is plainly for nobody stands alone, what says nothing known with what it follows."""
    if not found:
        return {}
    owners: dict[tuple[str, ...], tuple[str, ...]] = {}
    for item in found:
        owners[item.clauses] = (*owners.get(item.clauses, ()), item.name)
    lines = {told: list(told) for told in owners}
    holds = {clause: told for told in reversed(owners) for clause in told}
    starts: dict[str, int] = {}
    last = next(iter(owners))
    for said in heard(text, known):
        starts.setdefault(said.text, said.at)
        if mine := holds.get(said.text):
            last = mine
        elif said.foreign or _is_added(text, said.text, said.at):
            owners[said.text,] = ()
            lines[said.text,] = [said.text]
        else:
            lines[last].append(said.text)
    order = sorted(owners, key=lambda told: starts.get(told[0], 0) if told else len(text))
    return {tuple(lines[told]): owners[told] for told in order}


def _is_added(text: str, clause: str, at: int) -> bool:
    return bool(_ADDED.match(clause) or _SUBJECT.match(clause) and _BESIDES.search(" ".join(text[max(0, at - 40) : at].split())))


def _per_address(goal: str, head: str, parts: dict[str, str], known: Sequence[Described]) -> tuple[Proposal, ...]:
    proposals, strange = [], []
    shown = list(parts)[: MAX_CRITERIA if len(parts) <= MAX_CRITERIA else MAX_CRITERIA - 1]
    for address in shown:
        said = parts[address]
        lines = _lines(said, match(said, known), known) or {(said,): () if words(unplaced(said)) else _names(goal, known)}
        owners = tuple(dict.fromkeys(name for named in lines.values() for name in named))
        told = [_tidy(clause) for clauses, named in lines.items() if named or not owners for clause in clauses]
        what = "; ".join(dict.fromkeys(filter(None, told))) or _tidy(goal)
        proposals.append(_proposal(f"{address}: {what}", owners))
        strange += [_proposal(f"{address}: {'; '.join(clauses)}", ()) for clauses, named in lines.items() if owners and not named]
    if rest := list(parts)[len(shown) :]:
        owners = _names("\n".join(parts[address] for address in rest), known) or _names(goal, known)
        proposals.append(_proposal(f"{len(rest)} more: {', '.join(rest)}", owners))
    named = {name for item in proposals for name in item.owners}
    before = [_proposal("; ".join(item.clauses), (item.name,)) for item in match(head, known) if item.name not in named]
    return _fitting([*before, *proposals, *strange])


def _names(text: str, known: Sequence[Described]) -> tuple[str, ...]:
    return tuple(item.name for item in match(text, known))


def _by_address(goal: str, found: Sequence[tuple[int, int, str]]) -> tuple[str, dict[str, str]]:
    """Return the text before the first address, and address -> the part about it; sentences without one belong to the address before."""
    names: dict[str, str] = {}
    for _, _, address in found:
        names.setdefault(_key(address), " ".join(address.split()))
    parts: dict[str, list[str]] = {name: [] for name in names.values()}
    current, left, head = "", deque(found), 0
    for sentence in _SENTENCE.finditer(goal):
        here = []
        while left and left[0][0] < sentence.end():
            here.append(left.popleft())
        for start, end, address in _pieces(goal, sentence.start(), sentence.end(), here):
            current = names[_key(address)] if address else current
            if current:
                parts[current].append(goal[start:end])
            else:
                head = end
    return goal[:head], {address: " ".join(said) + " " for address, said in parts.items()}


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


def _tidy(text: str) -> str:
    """Return `text` without its addresses and the little words that led to them."""
    said = re.sub(r"(?:\s*[,;]\s*)+", ", ", " ".join(unplaced(text).split())).strip(_EDGES).split()
    bare = [word.strip(_EDGES).casefold() for word in said]
    first, last = 0, len(said)
    while first < last and bare[first] in _FIRST:
        first += 1
    while first < last and bare[last - 1] in _LAST:
        last -= 1
    return " ".join(said[first:last]).strip(_EDGES)
