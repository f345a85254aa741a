"""The words of a text, made comparable: folded to plain letters, without small words and endings, those that are denied marked."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SPELT = re.compile(r"\b(?:[a-z][ -]){3,}[a-z]\b")
_LONG_FOLDED = re.compile("[\ufdfa\ufdfb]")
"""One character each that folding would make a whole phrase of."""
LONGEST = 64
"""Letters of a word that are compared."""
State = tuple[int, bool, int]
START: State = (0, False, 0)
"""How a text is read on: words that are denied, whether a denial came just now, words that are dropped."""
NOT = frozenset("no not never without cannot dont doesnt didnt isnt arent wasnt hasnt havent wont cant sin sem sans".split())
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


def words(text: str) -> list[str]:
    """Return the stemmed content words of `text`, in order, those that it denies marked with `!`."""
    return content(tokens(text))[0]


def content(said: Iterable[str], state: State = START) -> tuple[list[str], State]:
    """Return the stemmed content words among tokens, and the state in which a text that goes on from them is read."""
    out: list[str] = []
    denied, bare, dropped = state
    for token in said:
        if token in NOT or token.endswith(("n't", "n’t")):
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
            out.append("!" * (denied > 0) + stem(token[:LONGEST]))
            denied, bare = denied - 1, False
    return out, (denied, bare, dropped)


def tokens(text: str) -> list[str]:
    """Return the words of `text`, folded to plain lower-case letters; a word that is spelt out is one."""
    return _WORD.findall(_SPELT.sub(lambda found: re.sub(r"\W", "", found[0]), folded(text)))


def folded(text: str) -> str:
    """Return `text` in lower case and without marks on its letters."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", _LONG_FOLDED.sub(" ", text.casefold()))
    return "".join(char for char in apart if not unicodedata.combining(char))


@lru_cache(maxsize=4096)
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
