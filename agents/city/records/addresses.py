"""Street addresses as people and city files write them: house-number ranges, suffixes, spellings, intersections, free text."""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_SPELLINGS = """st street str|ave av avenue aven|rd road|pl place|sq square|ter te terrace terr|ct court crt|dr drive|hwy hw hy highway
|pkwy pw parkway|blvd bl boulevard|park pk|plz pz plaza|way wy|cir ci cr circle cirt|row ro|ln lane|whf wh wharf|aly alley|psge passage"""
TYPES = {word: words[0] for words in (group.split() for group in _SPELLINGS.split("|")) for word in words}
_LONG_TYPES = [word for word in TYPES if len(word) > 4]
DIRECTIONS = {"e": "e", "east": "e", "w": "w", "west": "w", "n": "n", "north": "n", "s": "s", "south": "s"}
_ORDINALS = "1st first 2nd second 3rd third 4th fourth 5th fifth 6th sixth 7th seventh 8th eighth 9th ninth 10th tenth".split()
ORDINALS = dict(zip(_ORDINALS[::2], _ORDINALS[1::2], strict=True))

_NUMBER = r"(\d{1,5})(?!(?:st|nd|rd|th|am|pm|ft)\b)([A-Za-z]{0,2})(?:\s?-\s*(\d{1,5})?([A-Za-z]{0,2}))?(?![\w:%]|\.\d)"
NUMBER = re.compile(rf"(?<![\w.:#$/-]){_NUMBER}", re.I)
_WORD = re.compile(r"\s*([A-Za-z][A-Za-z']*|\d{1,2}(?:st|nd|rd|th)\b)(\.(?=\s*[A-Za-z,]|$))?", re.I)
_JOIN = re.compile(r"\s*(?:,\s*and|,|&|\band\b|\bor\b|/)\s*", re.I)
_CUE = re.compile(r"\b(at|of|on|in|to|from|between|outside|behind|near|beside|for|is|along|down|by|opposite|address:?)\s*$", re.I)
_CROSSING = re.compile(r"^\s*(?:&|and|at|@|/|corner of|near)\s*$", re.I)
_UNIT = re.compile(r"\b(unit|apt|apartment|suite|floor|room|ward|district|case|permit|lot)\.?\s*$", re.I)
_PLAIN = {ord("–"): "-", ord("—"): "-", ord("½"): " ", ord("’"): "'"}
_STOP = frozenset("the a an my our your his her of on in at to and or is are was were for with from by that this no one".split())


@dataclass(frozen=True, slots=True)
class Address:
    """What an address says. `streets` are the street names on file that it may mean; empty when the street is unknown."""

    text: str
    streets: tuple[str, ...]
    low: int | None = None
    high: int | None = None
    suffix: str = ""
    cross: tuple[str, ...] = ()


@lru_cache(maxsize=8_192)
def street_key(name: str) -> str:
    """Return a street name in one spelling: 'SPRING GARDEN Street' and 'Spring Garden St.' are 'spring garden st'."""
    words = re.sub(r"[.'`]", "", name.casefold()).replace(",", " ").split()
    words = [ORDINALS.get(word, word) for word in words]
    if len(words) > 1:
        words[-1] = TYPES.get(words[-1], words[-1])
        if words[0] in DIRECTIONS and words[1] not in TYPES:
            words[0] = DIRECTIONS[words[0]]
        first = 1 if words[0] in DIRECTIONS.values() and len(words) > 2 else 0
        words[first] = {"saint": "st", "mount": "mt"}.get(words[first], words[first])
    return " ".join(words)


def split(address: str) -> tuple[int | None, int | None, str, str, str]:
    """Split an address of a city file into low number, high number, suffix, street key and cross street key."""
    text = " ".join(address.split())
    if text.upper().startswith("INTERSECTION"):
        first, _, second = text[len("INTERSECTION") :].partition("&")
        one, two = sorted((street_key(first), street_key(second)))
        return None, None, "", one, two
    match = re.match(_NUMBER, text, re.I)
    if not match:
        return None, None, "", street_key(text.strip(" -")), ""
    return *numbers(match), street_key(text[match.end() :].strip(" -")), ""


def numbers(match: re.Match[str]) -> tuple[int, int, str]:
    """Return low number, high number and suffix of a matched house number; '130-130B' is 130, 130, '-b'."""
    low, first, high, last = int(match[1]), match[2] or "", match[3], match[4] or ""
    top = int(high) if high else low
    suffix = f"{first}-{last}" if last else first
    return min(low, top), max(low, top), suffix.lower()


class Streets:
    """The street names on file, found also without type ('Spring Garden') or direction ('Fourth St')."""

    def __init__(self, names: Iterable[str]) -> None:
        """Index the names."""
        self._exact: dict[str, str] = {}
        self._short: dict[str, set[str]] = {}
        for name in names:
            self._exact[name.replace(" ", "")] = name
            words = name.split()
            untyped = words[:-1] if len(words) > 1 and words[-1] in TYPES.values() else words
            undirected = words[1:] if len(words) > 2 and words[0] in DIRECTIONS.values() else words
            for form in (untyped, undirected):
                if form != words:
                    self._short.setdefault("".join(form), set()).add(name)

    def exact(self, name: str) -> tuple[str, ...]:
        """Return the street of exactly this name, spaces and spelling of the type aside."""
        found = self._exact.get(street_key(name).replace(" ", ""))
        return (found,) if found else ()

    def short(self, name: str) -> tuple[str, ...]:
        """Return the streets whose name without type or direction this is."""
        return tuple(sorted(self._short.get(street_key(name).replace(" ", ""), ())))

    def similar(self, name: str) -> tuple[str, ...]:
        """Return up to three names on file that look like this one."""
        close = difflib.get_close_matches(street_key(name).replace(" ", ""), self._exact, n=3, cutoff=0.75)
        return tuple(self._exact[key] for key in close)


def addresses_in(text: str, streets: Streets) -> tuple[Address, ...]:
    """Find the addresses that a free text names, numbered ones first, each once; then streets and intersections."""
    numbered, taken = [], []
    text = text.translate(_PLAIN)
    position = 0
    while match := NUMBER.search(text, position):
        if _UNIT.search(text[max(0, match.start() - 12) : match.start()]):
            position = match.end()
            continue
        run, end = [match], match.end()
        while (join := _JOIN.match(text, end)) and (more := re.compile(_NUMBER, re.I).match(text, join.end())):
            run.append(more)
            end = more.end()
        position = end
        if name := _street_after(text, match.start(), end, streets):
            words, found, stop = name
            numbered += [Address(f"{item[0].strip()} {words}", found, *numbers(item)) for item in run]
            taken.append((match.start(), stop))
            position = stop
    return tuple(dict.fromkeys([*numbered, *_streets_in(text, streets, taken)]))


def _words(text: str, start: int, most: int = 5) -> list[tuple[str, int]]:
    """Return up to `most` words that follow `start` with only spaces between, each with its end."""
    found: list[tuple[str, int]] = []
    while len(found) < most and (match := _WORD.match(text, start)):
        found.append((match[1], match.end()))
        start = match.end()
        if match[2] and match[1].casefold() not in TYPES and match[1].casefold() not in DIRECTIONS:
            break
    return found


def _street_after(text: str, start: int, end: int, streets: Streets) -> tuple[str, tuple[str, ...], int] | None:
    """Return words, known streets and end of the street name that follows a house number, if one does."""
    words = _words(text, end)
    cued = bool(_CUE.search(text[max(0, start - 12) : start]))
    for count in range(len(words), 0, -1):
        name, stop = " ".join([*(word for word, _ in words[: count - 1]), _spelled(words[count - 1][0])]), words[count - 1][1]
        if found := streets.exact(name):
            return name, found, stop
        sure = name.rpartition(" ")[2].casefold() in TYPES or cued or not re.match(r"\s*(?!(?:and|or)\s+\d)\w", text[stop:])
        if sure and (found := streets.short(name)):
            return name, found, stop
    if words and (len(words[0][0]) == 1 or words[0][0].casefold() == "the"):
        later = _street_after(text, start, words[0][1], streets)
        return later if later and later[1] else None
    for count, (word, stop) in enumerate(words[:4], 1):
        if word.casefold() in _STOP:
            return None
        if count > 1 and word.casefold() in TYPES and (words[0][0][0].isupper() or cued):
            return " ".join(word for word, _ in words[:count]), (), stop
    return None


@lru_cache(maxsize=8_192)
def _spelled(word: str) -> str:
    """Return the street type that a misspelt long word means ('Steet'), else the word."""
    close = difflib.get_close_matches(word.casefold(), _LONG_TYPES, n=1, cutoff=0.8) if len(word) > 3 else []
    return close[0] if close else word


def _streets_in(text: str, streets: Streets, taken: list[tuple[int, int]]) -> Iterator[Address]:
    """Yield streets named without a number, and intersections, outside the spans already taken."""
    found: list[tuple[int, int, str, tuple[str, ...]]] = []
    position = 0
    for start in (match.start() for match in re.finditer(r"(?<![\w'])[A-Za-z]", text)):
        if start < position or any(low <= start < high for low, high in taken):
            continue
        words = _words(text, start)
        for count in range(len(words), 0, -1):
            name, stop = " ".join(word for word, _ in words[:count]), words[count - 1][1]
            capital = all(word[0].isupper() or word[0].isdigit() for word, _ in words[:count])
            known = streets.exact(name) if count > 1 or capital and len(name) > 5 else ()
            cued = _CUE.search(text[max(0, start - 12) : start]) or (found and _CROSSING.match(text[found[-1][1] : start]))
            if not known and capital and (count > 1 or len(name) > 3 and cued):
                known = streets.short(name)
            if known:
                found.append((start, stop, name, known))
                position = stop
                break
    index = 0
    while index < len(found):
        start, stop, name, known = found[index]
        before = text[max(0, start - 12) : start].rstrip().casefold()
        index += 1
        if before.endswith(("between", "from")) and index > 1:
            index += 1
        elif index < len(found) and _CROSSING.match(text[stop : found[index][0]]):
            yield Address(text[start : found[index][1]], known, cross=found[index][3])
            index += 1
        else:
            yield Address(name, known)
