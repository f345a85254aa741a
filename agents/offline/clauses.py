"""A text cut into clauses of comparable terms: what matching and proposing look at."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.offline.words import NOT, START, content, tokens, words

_KINDS = "st str street av ave avenue rd road dr drive blvd boulevard ln lane ct court pl place ter terr terrace sq square pkwy pkway parkway hwy"
_KIND = rf"(?:{'|'.join((_KINDS + ' cir circle way row park wharf path').split())})"
_BETWEEN = "on in at the of for by to and or from near my our this that is are with off along between feet inches hours days weeks months years am pm"
_PLAIN = rf"(?!(?:{'|'.join(_BETWEEN.split())})\b)"
_NUMBERED = re.compile(rf"\b\d{{1,5}}[a-z]?(?:\s?-\s?\d{{1,5}}[a-z]?)?\s+(?:{_PLAIN}[a-z][\w.']{{0,40}}\s+){{1,4}}?{_KIND}\b", re.I)
_STREET = re.compile(rf"\b(?:(?i:{_PLAIN})[A-Z][\w']{{1,40}}\s+){{1,2}}(?i:{_KIND})\b")
_CROSSING = re.compile(rf"{_STREET.pattern}(?:\s+(?:and|&|at)\s+{_STREET.pattern})?")
_ON_STREET = re.compile(
    rf"\b(?:on|at|near|along|of)\s+((?:{_PLAIN}(?!(?:an?|the|your|his|her|their|one)\b)[a-z][\w']{{1,40}}\s+){{1,2}}(?:{'|'.join(_KINDS.split())}))\b",
    re.I,
)
_TIMES = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas"
_BEFORE = r"\b(?:[Aa]t|[Ii]n|[Oo]n|[Nn]ear|[Bb]y|[Bb]ehind|[Oo]utside)\s+(?:the\s+)?|\b\d{1,5}[a-z]?\s+"
_ELSEWHERE = re.compile(rf"(?:{_BEFORE})(?!{_TIMES}|[AP]M\b)[A-Z][\w']+")
_HOUSE = re.compile(
    r"(?<!flat )(?<!unit )(?<!apartment )(?:\b(?:number|no\.|n[uú]mero)\s*|#)(\d{1,4}[a-z]?)\b(?=\W*$|[,.;?!]|\s+(?:too|also|and|has|is))", re.I
)
_STRONG = re.compile(r"[.;!?|\n\r\u2028\u2029:()\"“”]+|,\s*(?:and|but|plus|also)\b", re.I)
_WEAK = re.compile(r",|\s[-–—]+\s|\b(?:and|but|also|while|plus|meanwhile|because|then|y|e|et)\b", re.I)
_LIST = re.compile(r",|[&/+]|\b(?:and|plus|y|e|et)\b", re.I)


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a text says."""

    text: str
    """The clause as it was written."""
    terms: frozenset[str]
    """Stemmed words, neighbours joined (`catchbasin`), pairs within reach (`crack sidewalk`); `!` marks what is denied."""
    whole: frozenset[str]
    """Those of the terms that stand for all of a short clause."""
    parts: tuple[frozenset[str], ...] = ()
    """The terms of each of the things that it lists."""
    at: int = 0
    """Where it starts in the text."""


@lru_cache(maxsize=32)
def addresses(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the numbered street addresses in `text` as (start, end, address), in order."""
    return tuple((found.start(), found.end(), found.group()) for found in _NUMBERED.finditer(text))


def unplaced(text: str) -> str:
    """Return `text` at its own length without its numbered addresses."""
    return _NUMBERED.sub(_blank, text)


def places(text: str) -> tuple[str, ...]:
    """Return the places that `text` names, each once and as it is first written: numbered addresses, else streets and crossings."""
    found = [address for _, _, address in addresses(text)] or [item.group() for item in _CROSSING.finditer(text)]
    found = found or [item[1] for item in _ON_STREET.finditer(text)]
    once: dict[str, str] = {}
    for place in found:
        once.setdefault(place_key(place), " ".join(place.split()))
    return tuple(once.values())


def place_key(place: str) -> str:
    """Return what a place is told apart by: St and Street are the same place."""
    return " ".join(place.casefold().split()[:-1])


def is_elsewhere(text: str) -> bool:
    """Say whether `text` names a place of its own, also one that is no street."""
    return bool(places(text) or _ELSEWHERE.search(text))


def moved(place: str, text: str) -> str:
    """Return `place` at the house number that `text` gives alone, as "same at number 12" does."""
    found = _HOUSE.search(text)
    return re.sub(r"^\d+\w?(?:\s?-\s?\d+\w?)?", found[1], place) if found else place


def clauses(text: str, heard: str = "") -> tuple[Clause, ...]:
    """Cut `text` at sentence ends, commas and conjunctions into clauses that say something; `heard` is the same text with parts silenced."""
    blank = _STREET.sub(_blank, unplaced(heard or text))
    found = []
    for start, end in _spans(blank):
        if said := words(blank[start:end]):
            pieces = _LIST.split(blank[start:end])
            listed = [part for piece in pieces if (part := words(piece))] if len(pieces) > 1 else []
            parts = tuple(_terms(part)[0] for part in listed) if len(listed) > 1 else ()
            found.append(Clause(" ".join(text[start:end].split()).strip(" ,-¿¡"), *_terms(said), parts, start))
    return tuple(found)


def _terms(found: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    terms = set(found)
    for at, left in enumerate(found):
        for apart, right in enumerate(found[at + 1 : at + 6]):
            if apart == 0:
                terms.add(left + right.lstrip("!"))
            terms.add(" ".join(sorted((left, right))))
    if len(found) > 4:
        return frozenset(terms), frozenset()
    all_of_it = "=" + " ".join(sorted(set(found)))
    spanning = terms - set(found) if len(found) == 2 else set(found) if len(found) == 1 else set()
    return frozenset(terms | {all_of_it}), frozenset(spanning | {all_of_it})


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between strong boundaries, cut at weak ones where both sides hold at least two words."""
    start = 0
    for strong in [*_STRONG.finditer(text), None]:
        end = strong.start() if strong else len(text)
        if joints := list(_WEAK.finditer(text, start, end)):
            edges = zip([start, *(item.end() for item in joints)], [*(item.start() for item in joints), end], strict=True)
            for at in _cuts([text[left:right] for left, right in edges]):
                yield start, joints[at].start()
                start = joints[at].end()
        yield start, end
        start = strong.end() if strong else end


def _cuts(pieces: Sequence[str]) -> Iterator[int]:
    """Yield after which pieces to cut; each is read once, however many there are."""
    said = [tokens(piece) for piece in pieces]
    denies = [bool(NOT & set(piece.casefold().split())) for piece in pieces]
    last, after, denied = len(pieces) - 1, 0, False
    while last > 0 and after + denied < 2:
        after, denied = after + len(content(said[last])[0]), denied or denies[last]
        last -= 1
    if after + denied < 2:
        return
    before, denied, state = 0, False, START
    for at in range(last + 1):
        found, state = content(said[at], state)
        before, denied = before + len(found), denied or denies[at]
        if before + denied > 1:
            yield at
            before, denied, state = 0, False, START


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
