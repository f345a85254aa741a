"""Danger to life in a complaint: one sentence that says whom to call, before any record is looked up."""

import re

from agents.offline.words import folded

_DANGERS: dict[str, tuple[str, ...]] = {
    "If a carbon monoxide alarm sounds or people feel ill, go outside into fresh air at once and call 911.": (
        r"(?:carbon monoxide|\bco\b)[^.!?]{0,30}(?:going off|goes off|went off|sounding|beep|ringing|leak|poison|\bhigh\b)",
        r"monoxido|monoxyde|一氧化碳",
    ),
    "If you smell gas, leave at once, touch no switch, and from outside call 911 and your gas company's emergency line.": (
        r"(?:smell|odou?r|stink|reek)[^.!?]{0,20}\bgas\b(?! station)",
        r"\bgas\b[^.!?]{0,12}(?:smell|leak|odou?r|hiss)",
        r"\bleak\w*[^.!?]{0,10}\bgas\b",
        r"(?:hit|broke|cut|burst|ruptured)[^.!?]{0,16}gas (?:pipe|line|main)",
        r"\b(?:olor|huele|fuga|escape|cheiro|vazamento|odeur|fuite|sant)\b[^.!?]{0,6}\b(?:gas|gaz)\b",
        r"煤气|瓦斯|ro ri khi|mui gas",
    ),
    "Stay well away from fallen or sparking wires, do not touch anything they touch, and call 911 now.": (
        r"(?:downed|fallen|live|sparking|hanging) (?:\w+ )?(?:wire|power ?line|cable)",
        r"(?:wires?|power ?lines?)[^.!?]{0,24}(?:\bdown\b|\bfell\b|spark)",
        r"cables? (?:caido|suelto)",
    ),
    "If anything is burning or smoking, get everybody out and call 911 now.": (
        r"\bon fire\b|\b(?:is|are) burning\b|\bflames\b",
        r"\bsmoke (?:is |was )?(?:coming|pouring|filling|rising)",
        r"\bfire (?:in|at|inside|has)\b|\bthere(?: is|'s| s) a fire\b",
        r"\b(?:incendio|fuego|incendie|au feu|dife|pegando fogo|chay nha)\b|火灾|着火|起火",
    ),
    "If anything has collapsed or may fall, keep everybody away and call 911 now.": (
        r"\b(?:is|are|has|have|just|about to|may|might|could|will|partly|partially)\b[^.!?]{0,16}\bcollaps",
        r"\b(?:wall|roof|ceiling|building|porch|floor|facade)s?\b[^.!?]{0,20}\bcollaps",
        r"\bceiling (?:fell|came down)|\bbricks? (?:is|are|keep) falling",
        r"\b(?:derrumb|desab|effondr)",
    ),
    "If somebody is hurt, trapped or in danger, call 911 now.": (
        r"\b(?:trapped|unconscious|not breathing|can(?: |')?t breathe|overdose|electrocuted|drowning|bleeding|suicid|atrapad)",
    ),
}
_DENIED = re.compile(r"\b(?:no|not|never|without|isn'?t|wasn'?t|aren'?t|sin|nao|pas de|no longer|used to)\b[^.!?,;]{0,24}$")
_PAST = re.compile(
    r"\b(?:were|was|came|worked|working|crew|permit)\b[^.!?]{0,50}\bfor (?:an? |the )?(?:emergency )?$"
    r"|\blast (?:year|month|winter|summer)\b[^.!?]{0,20}$"
)
_OTHERWISE = re.compile(
    r"^[^.!?]{0,30}\b(?:detectors?|escapes?|hydrants?|hazards?|lanes?|company|department|station|years? ago|last (?:year|month|winter|summer))\b"
)


def urgent(text: str) -> str | None:
    """Return one sentence that tells whom to call when `text` tells of danger to life, else None.

    Small on purpose: English, and the plainest words of Spanish, Portuguese, French, Haitian Creole, Vietnamese and Chinese.
    """
    plain = folded(text.replace("’", "'"))
    for sentence, patterns in _DANGERS.items():
        for found in (found for pattern in patterns for found in re.finditer(pattern, plain)):
            before, after = plain[max(0, found.start() - 80) : found.start()], plain[found.end() : found.end() + 60]
            if not (_DENIED.search(before) or _PAST.search(before) or _OTHERWISE.search(after)):
                return sentence
    return None
