"""Whom a text is for that goes on from work before it: "and the sidewalk there?", "what about the second one?", "same at number 12"."""

import re
from collections.abc import Sequence

from agents.offline.asides import silenced
from agents.offline.languages import is_read
from agents.offline.matching import Described, foreign, hinted, match
from agents.offline.weights import THRESHOLD

PLAIN = 3 * THRESHOLD
"""Score from which a text names its own matter although it says that the matter is the same."""
_MORE = re.compile(r"\W*(?:and|also|what about|how about|y)\b", re.I)
_GOES_ON = re.compile(
    r"^\W*(?:and|so|but|also|or|then|thanks|thank you|ok|okay|what about|how about|y|entonces|gracias)\b"
    r"|\b(?:its?|it's|they|them|theirs?|this|that|these|those|same|others?|another|either|ones?|second|third|next"
    r"|there\b(?!\s+(?:is|are|was|were|has|have|s)\b|['’])"
    r"|eso|es[ae]s?|est[ae]s?|ahí|allí|mism[oa]s?|otr[oa]s?|también|sigue|todavía)\b",
    re.I,
)
_SAME = re.compile(
    r"\bsame\b(?=\W*$|\s+(?:things?|problems?|issues?|matter|again|here|there|at|for|on|in|with|goes|now|too|story)\b)"
    r"|\b(?:other|second|third|next|first|last|that|this|which) ones?\b|\blo mismo\b|\b(?:el|la) (?:otr[oa]|segund[oa])\b(?=\W*$)",
    re.I,
)


def meant(text: str, known: Sequence[Described], before: Sequence[str], around: str = "") -> list[str]:
    """Return whom `text` is for, best first: by its own words, else by those `around` it, else whom it goes on from.

    Args:
        text: A goal or a criterion.
        known: Whoever is registered.
        before: Who worked last; nobody when nothing came before.
        around: What the text is a part of.
    """
    found = match(text, known)
    if before and _SAME.search(text) and not any(item.score >= PLAIN for item in found):
        return list(before)
    if not found and is_read(text) and not foreign(text, known):
        goes_on = bool(_GOES_ON.search(silenced(text, [item.name for item in known])))
        found = match(around, known) or (() if goes_on and not _MORE.match(text) else hinted(text, known))
        if not found and goes_on:
            return list(before)
    return [item.name for item in found]
