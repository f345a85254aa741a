"""What stands in a complaint without being one: orders to the desk, quoted complaints of others, look-alikes of the ledger and of replies."""

import re
from collections.abc import Sequence
from functools import lru_cache

_MARKUP = re.compile(r"</?\w[^<>]{0,80}>|[\[{][^\[\]{}]*[\]}]|```+|^[^\w\n]*[\]}]", re.M)
DEEPEST = 4
"""Brackets in brackets that are taken out."""
_HEADINGS = re.compile(r"\b(?:GOAL|CRITERIA|STEPS|NOW|QUESTIONS|ANSWERS|LATEST|REFUSED|LEFT \d+ hops|SYSTEM|FINISH)\b")
_QUOTED = "[\"'“”’][^\"'“”’]*[\"'“”’]"
_CLOSED = re.compile(
    r"\b(?:mark|set|treat|consider|call|close|say)\b(?:\s+(?:it|this|that|all|everything|the|my|cases?|criteri\w+|as|is|are))*"
    r"\s+(?:done|met|closed|finished|completed?|resolved|settled|out of scope)\b",
    re.I,
)
_OTHERS = re.compile(
    r"(\b(?:neighbou?rs?|friends?|(?:some|any)(?:body|one)(?: else)?|another|others?|vecin[oa]s?)\b[^.!?\"“”]{0,60}?"
    r"(?<=[\s:,])[\"“”'])([^\"“”]*?)(?:[\"“”]|'(?=\W|$)|$)",
    re.I,
)
_VERBS = "dispatch send forward route assign refer call use consult choose pick ask tell order alert notify involve contact invoke escalate"
_LINKS = "this it that me us everything the my case complaint only both all straight over on to just new at once not please"
_OFFICES = "desk office department dept division team specialist agent crew people staff bureau matter"


def silenced(text: str, names: Sequence[str]) -> str:
    """Return `text` at its own length, with dots for what is no complaint; `names` are the specialists that an order may name."""
    for pattern in (_HEADINGS, *[_MARKUP] * DEEPEST, _CLOSED, *_orders(tuple(names))):
        text = pattern.sub(lambda found: "." * len(found[0]), text)
    return _OTHERS.sub(lambda found: found[1] + "." * (len(found[0]) - len(found[1])), text)


@lru_cache(maxsize=16)
def _orders(names: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    if not names:
        return ()
    name = rf"(?:{'|'.join(map(re.escape, names))})"
    verb, link, office = (rf"(?:{'|'.join(words.split())})" for words in (_VERBS, _LINKS, _OFFICES))
    patterns = (
        rf"\bc[1-9]\d?\s+(?:{name}(?:\+{name})*|any|open|met|unsettled|out_of_scope)\b(?:\s+{_QUOTED})?",
        rf"\b\d+\s+{name}\s+(?:pending|done|partial|blocked|failed|rejected)\b(?:\s+{_QUOTED})?(?:\s+[Ac]\d+)*",
        rf"\b{verb}[\s:]+(?:{link}\s+)*{name}\b(?:\s*(?:,|\band\b|\bor\b|&|\by\b)+\s*(?:the\s+)?{name}\b)*",
        rf"\b{name}\s+(?:{office}s?|said|says|told|claims?|answered|replied|promised)\b",
        rf"\b{office}s?\s+(?:(?:called|named|is)\s+)?['\"“”]?{name}\b",
    )
    return tuple(re.compile(pattern, re.I) for pattern in patterns)
