"""A text cut into clauses of comparable terms: what matching and proposing look at."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

MOST = 8_000
"""Characters of a text that are read; what a complaint is about stands at its head."""

_KINDS = "st str street av ave avenue rd road dr drive blvd boulevard ln lane ct court pl place ter terr terrace sq square pkwy pkway parkway hwy"
_KIND = rf"(?:{'|'.join((_KINDS + ' cir circle way row park wharf path').split())})"
_BETWEEN = "on in at the of for by to and or from near my our this that is are with off along between feet inches hours days weeks months years am pm"
_PLAIN = rf"(?!(?:{'|'.join(_BETWEEN.split())})\b)"
_NUMBERED = re.compile(rf"\b\d{{1,5}}[a-z]?(?:\s?-\s?\d{{1,5}}[a-z]?)?\s+(?:{_PLAIN}[a-z][\w.']*\s+){{1,4}}?{_KIND}\b", re.I)
_STREET = re.compile(rf"\b(?:(?i:{_PLAIN})[A-Z][\w']+\s+){{1,2}}(?i:{_KIND})\b")
_CROSSING = re.compile(rf"{_STREET.pattern}(?:\s+(?:and|&|at)\s+{_STREET.pattern})?")
_ON_STREET = re.compile(
    rf"\b(?:on|at|near|along|of)\s+((?:{_PLAIN}(?!(?:an?|the|your|his|her|their|one)\b)[a-z][\w']+\s+){{1,2}}(?:{'|'.join(_KINDS.split())}))\b", re.I
)
_TIMES = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas"
_BEFORE = r"\b(?:[Aa]t|[Ii]n|[Oo]n|[Nn]ear|[Bb]y|[Bb]ehind|[Oo]utside)\s+(?:the\s+)?|\b\d{1,5}[a-z]?\s+"
_ELSEWHERE = re.compile(rf"(?:{_BEFORE})(?!{_TIMES}|[AP]M\b)[A-Z][\w']+")
_HOUSE = re.compile(
    r"(?<!flat )(?<!unit )(?<!apartment )(?:\b(?:number|no\.|n[uú]mero)\s*|#)(\d{1,4}[a-z]?)\b(?=\W*$|[,.;?!]|\s+(?:too|also|and|has|is))", re.I
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SPELT = re.compile(r"\b(?:[a-z][ -]){3,}[a-z]\b")
_STRONG = re.compile(r"[.;!?|\n\r\u2028\u2029:()\"“”]+|,\s*(?:and|but|plus|also)\b", re.I)
_WEAK = re.compile(r",|\s[-–—]+\s|\b(?:and|but|also|while|plus|meanwhile|because|then|y|e|et)\b", re.I)
_LIST = re.compile(r",|[&/+]|\b(?:and|plus|y|e|et)\b", re.I)
_NOT = frozenset("no not never without cannot dont doesnt didnt isnt arent wasnt hasnt havent wont cant sin sem sans".split())
_ARTICLES = frozenset(("a", "an", "any", "the"))

SPANISH = frozenset(
    """
    al alguien aqui cada como con cuando cuanto de del desde donde el ella ellos en es ese esa esta estan este esto fue ha hace hay hoy ir la las le
    lo los mas me mi mis mucha mucho muy no nos nuestra nuestro nunca o para pero por porque que quien se ser si sobre su sus tambien tengo tiene
    toda todas todo todos una unas unos y ya yo
    """.split()
)
ENGLISH = frozenset(
    """
    a about above across after again ago all almost along already also always am an and another any anymore anyone anything are area around as
    ask asked at away back be because become been before behind being below between boston both but by call called came can case city close come
    comes complain complaining complaint concern concerned continue could day days did directly do does doing done down during each either else
    end even ever every everyone everything everywhere few file find first for found friday from front full further gave get gets getting give
    given go goes going gone got had happen happened happening has have having he hello help her here hers hi him his hour how however huge i if
    in into is issue it its just keep keeps kept know last later least leave left less let like location long look looking looks lot make makes
    making many matter may me might minute monday month more morning most much must my near need needed needs new next now of off office often
    on once one ongoing only onto open opened or order other our ours out over past people person photo picture place plan please possible post
    problem put ran rather re ready really reason recent regard report reported reporting request require resolve right run s said same saturday
    saw say says second see seem seen send sent serious several she should show side since sir situation so some someone something somewhere
    soon specific start started still stop such sunday sure t take taken talk tell than thank thanks that the their them then there these they
    thing things think third this those though three through throughout thursday time times to today told tomorrow too took totally toward tried
    try trying tuesday turn two under until up upon us use used using very wait want was way we wednesday week well went were what when where
    whether which while who whole whose why will with within work would year yes yesterday yet you your
    """.split()
)
STOP = ENGLISH | SPANISH
"""Words that say nothing about who should look at a complaint."""


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


def addresses(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the numbered street addresses in `text` as (start, end, address), in order."""
    return tuple((found.start(), found.end(), found.group()) for found in _NUMBERED.finditer(text[:MOST]))


def places(text: str) -> tuple[str, ...]:
    """Return the places that `text` names, each once and as it is first written: numbered addresses, else streets and crossings."""
    found = [address for _, _, address in addresses(text)] or [item.group() for item in _CROSSING.finditer(text[:MOST])]
    found = found or [item[1] for item in _ON_STREET.finditer(text[:MOST])]
    once: dict[str, str] = {}
    for place in found:
        once.setdefault(place_key(place), " ".join(place.split()))
    return tuple(once.values())


def place_key(place: str) -> str:
    """Return what a place is told apart by: St and Street are the same place."""
    return " ".join(place.casefold().split()[:-1])


def is_elsewhere(text: str) -> bool:
    """Say whether `text` names a place of its own, also one that is no street."""
    return bool(places(text) or _ELSEWHERE.search(text[:MOST]))


def moved(place: str, text: str) -> str:
    """Return `place` at the house number that `text` gives alone, as "same at number 12" does."""
    found = _HOUSE.search(text[:MOST])
    return re.sub(r"^\d+\w?(?:\s?-\s?\d+\w?)?", found[1], place) if found else place


def clauses(text: str, heard: str = "") -> tuple[Clause, ...]:
    """Cut `text` at sentence ends, commas and conjunctions into clauses that say something; `heard` is the same text with parts silenced."""
    text = text[:MOST]
    blank = _STREET.sub(_blank, _NUMBERED.sub(_blank, heard or text))
    found = []
    for start, end in _spans(blank):
        if said := words(blank[start:end]):
            listed = [part for piece in _LIST.split(blank[start:end]) if (part := words(piece))]
            parts = tuple(_terms(part)[0] for part in listed) if len(listed) > 1 else ()
            found.append(Clause(" ".join(text[start:end].split()).strip(" ,-¿¡"), *_terms(said), parts))
    return tuple(found)


def words(text: str) -> list[str]:
    """Return the stemmed content words of `text`, in order, those that it denies marked with `!`."""
    out: list[str] = []
    denied, bare, dropped = 0, False, 0
    for token in tokens(text):
        if token in _NOT or token.endswith(("n't", "n’t")):
            denied, bare = (3, False) if token in ("no", "without") else (1, True)
        elif bare and token == "about":
            denied, bare, dropped = 0, False, 3
        elif bare and token in _ARTICLES:
            denied, bare = 3, False
        elif denied and token.startswith("stop"):
            denied, bare = 0, False
        elif token.split("'")[0] in STOP or len(token) < 2:
            continue
        elif dropped:
            dropped -= 1
        else:
            out.append("!" * (denied > 0) + stem(token))
            denied, bare = denied - 1, False
    return out


def tokens(text: str) -> list[str]:
    """Return the words of `text`, folded to plain lower-case letters; a word that is spelt out is one."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return _WORD.findall(_SPELT.sub(lambda found: re.sub(r"\W", "", found[0]), plain))


def stem(word: str) -> str:
    """Return `word` without its commonest English endings."""
    word = word.split("'")[0].split("’")[0]
    if len(word) > 3:
        if word.endswith(("ies", "ied")):
            word = word[:-3] + "y"
        elif word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    for ending, least in (("ing", 3), ("ed", 3), ("ly", 4), ("ation", 5), ("ion", 5), ("or", 5), ("ment", 5), ("e", 3)):
        if word.endswith(ending) and len(word) - len(ending) >= least and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-2] if len(word) > 6 and word.endswith("at") else word.removesuffix("e")


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
        for weak in _WEAK.finditer(text, start, end):
            if _says(text[start : weak.start()]) and _says(text[weak.end() : end]):
                yield start, weak.start()
                start = weak.end()
        yield start, end
        start = strong.end() if strong else end


def _says(text: str) -> bool:
    return len(words(text)) + bool(_NOT & set(text.casefold().split())) > 1


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
