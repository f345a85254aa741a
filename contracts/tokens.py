"""An offline token estimate: at least the exact count on the tested corpus, close to it on English.

Pieces follow the pre-tokenizer of OpenAI's vocabularies and cost tenths of a token; no piece costs more than its UTF-8 bytes. `_PAIRS` says
how much an ASCII letter pair (a space is a word's edge) adds to its word: 0 where English words keep it inside one token, up to 9 where
they do not, so that Finnish, ids and base64 cost more than English of the same length. The table is a linear programme's fit: least
surplus on English under "not below the exact count" on 60 Latin-script languages, ids, base64, URLs and code. The other
constants: the most tokens that letters of a range take in running text; `_EVERYDAY` tells common ideographs and syllables from rare ones by
the lead bytes of two national charsets. All were measured with bpe-openai, the larger count of o200k and cl100k each time;
tests/contracts/test_tokens.py holds the result on a corpus of its own.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from operator import add

# One token in both vocabularies, and common enough in English for the shortcut to pay.
_COMMON = frozenset(
    """
    the of and to in is was for on that with as are it be by at this from have not or an but had has they you were which there their been
    would when who will more if no out so what up about into than them can only other time some could these may then do any my now such like
    our over me after most also made must before between those where through because under while each still again being during without same
    should does here both against however since until never another every work week street need please says said your how why first last
    next two three year years days day open closed case number report reported record records permit permits request requests building
    property owner resident residents inspection inspector complaint complaints issued found violation violations address water trash city
    housing office department question answer evidence status search follow service information available date following state using system
    used call called read write file files page list name text line message model current process data change changes support error field
    value section example instead already always enough able around across right left down off back away good new old long high large small
    many much few less several own person people public night morning road sidewalk light noise food fire car parking pothole window kitchen
    floor door apartment landlord tenant
    """.split()
)
_LETTERS = " abcdefghijklmnopqrstuvwxyz"
_ROWS = """
000000010006000003000040074
3a000a40a378048a0a030a1441a
12a8a7a8a00800a1aa44a08a86a
01a5a0aa16a004a05a0600aaa2a
0a8a00a0a08805a0aa6260a8aaa
0080000aaa2a400500000a0000a
20aaa21aa0aa07a0aa8aa0aa40a
0a60a4a712aa2a354a6a34aaaaa
600aa4aa50aaa0a0aa1a88aaa0a
83000807aaaa81000a850a0a0aa
a1aaa4aa68a7aaa8aaa0aaaaaa7
0aa880aaa5aa7a0a0aa5aa8aaa6
03041028a1a50aa0a8a0104aa0a
1077a16aa0aa20530aa0a76aaa7
16a00540a1a02a80a8800a0aaaa
a0000518a26120000a0a800033a
00a870aa60aa07a10a0000aaa0a
6aaaaaaaaaaa7aaaaa7aa0aaaaa
1151500650aa30005aa00108a07
03a1a00202aa6a00057000a0a4a
04a0801800aa22a00a1013aaa08
a24060aaa0aa04050a0008aa87a
60a180a7a0a880aaaaaa7aaaaaa
058aa0a801aa2a00aa00aaaaaa6
06a080aa60a7aaaa0aaa0aaaaa4
0aaaa4aaa26aaaaa1aa27aa8807
7aaaa78aaaa85aa7aaaaa6aaa7a
""".splitlines()[1:]
_PAIRS = {a + b: int(cost, 16) for a, row in zip(_LETTERS, _ROWS, strict=True) for b, cost in zip(_LETTERS, row, strict=True)}
_CAPITAL = 2
SHORT = 600
"""Most characters of a text whose estimate is kept at hand for long, as a line of the ledger."""
_LONG = 20_000
_NEXT_MARK = 8
_PIECE = re.compile(
    r"'(?:[stmd]|re|ve|ll)(?![A-Za-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[!-/:-@\[-`{-~]+"
    r"|\n+|(?:\r\n)+|\t+(?=\t)| +(?= )| (?![!-/:-~])|[\x00-\x1f\x7f]|[^\x00-\x7f]"
)
_RANGES = (
    (re.compile("[\u0410-\u044f\u0621-\u063a\u0641-\u064a\u2013\u2014\u2018\u2019\u201c\u201d\u2026]"), 10),
    (re.compile("[\u03ac-\u03ce\u05d0-\u05ea]"), 14),
    (re.compile("[\u0900-\u0aff\u0b80-\u0e7f\u1780-\u17ff\u3041-\u30ff]"), 20),
)
_EVERYDAY = (("gb2312", 0xD7), ("euc_kr", 0xC8))
_EVERYDAY_COST = 22


def estimate(text: str) -> int:
    """Return an estimate of the tokens in `text` that errs high; joining two lines adds at most one."""
    return _line(text) if len(text) <= SHORT else _text(text) if len(text) <= _LONG else _count(text)


def fitting(text: str, tokens: int, tail: str) -> int:
    """Return how many characters of `text` fit into `tokens` with `tail` after them, trailing spaces aside: one pass, then the edge alone."""
    low, high, left = _edge(text, 10 * tokens - _tenths(tail))
    room = left + _tenths(tail)
    return largest(low, high, lambda end: _tenths(text[low:end].rstrip() + tail) <= room)


def _edge(text: str, room: int) -> tuple[int, int, int]:
    """Return the span of the first piece that breaks the room, in tenths of a token, and what is left of it before that piece."""
    for piece in _PIECE.finditer(text):
        cost = _costs[piece[0]]
        if cost > room:
            return *piece.span(), room
        room -= cost
    return len(text), len(text), room


def largest(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `high` that fits; `low` is known to."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _tenths(text: str) -> int:
    return sum(map(_costs.__getitem__, _PIECE.findall(text)))


def _count(text: str) -> int:
    return -(-_tenths(text) // 10)


def _measure(piece: str) -> int:
    size, first = len(piece), piece[0]
    if not piece.isascii():
        return _cost_of(first)
    if first.isalpha():
        word = piece.lower()
        capitals = _CAPITAL * (size - 1) if size > 1 and piece.isupper() else 0
        if word in _COMMON and not capitals:
            return 10
        return min(10 * size, 10 + capitals + sum(map(_PAIRS.__getitem__, map(add, " " + word, word + " "))))
    if first.isdigit():
        return 10 * -(-size // 3)
    if first.isspace():
        return 10 * (1 + size // 8)
    if size > 1 and piece[1].isalpha():
        return 10
    return 10 + _NEXT_MARK * (size - 1)


def _cost_of(char: str) -> int:
    """Return what a non-ASCII character costs: ten for each UTF-8 byte where no smaller figure is known."""
    for letters, cost in _RANGES:
        if letters.match(char):
            return cost
    for charset, last in _EVERYDAY:
        code = char.encode(charset, "ignore")
        if len(code) == 2 and 0xB0 <= code[0] <= last:
            return _EVERYDAY_COST
    return 10 * len(char.encode("utf-8", "surrogatepass"))


class _Costs(dict[str, int]):
    """What each piece costs, in tenths of a token; a dictionary, because estimates look up a thousand words in a tenth of a millisecond."""

    def __missing__(self, piece: str) -> int:
        cost = _measure(piece)
        if len(piece) < 24:
            if len(self) >= 8192:
                self.clear()
            self[piece] = cost
        return cost


_costs = _Costs()
# A ledger's lines are weighed again at every hop.
_line = lru_cache(maxsize=4096)(_count)
# A conversation is sent again with every call, longer by two messages.
_text = lru_cache(maxsize=256)(_count)
