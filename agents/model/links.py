"""A text for the resident is data: what a client would fetch or open on its own is taken out, unless stored artifacts hold that very address."""

import re

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|javascript:|data:(?=\w+/))[^\s<>\"'`\]]+", re.I)
_TARGET = r"\(\s*<?([^()\s<>]*(?:\([^()\s<>]*\)[^()\s<>]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
_IMAGE = re.compile(rf"!\[([^\[\]]*)\](?:{_TARGET}|\[[^\[\]]*\])")
_LINK = re.compile(rf"\[([^\[\]]*)\]{_TARGET}")
_REFERENCE = re.compile(r"^[ \t>]{0,8}\[[^\[\]\n]+\]:[ \t]*<?(\S+?)>?(?:[ \t].*)?$\n?", re.M)
_TAG = re.compile(r"</?[a-z][a-z0-9-]*(?:[\s/][^<>]*=[^<>]*)?[\s/]*(?:>|$)|<!--.*?(?:-->|$)", re.I | re.S)
_END = ".,;:!?)*_。，；：！？）"
REMOVED = "[link removed]"
"""What stands in the place of an address."""


def defused(text: str, known: str) -> str:
    """Return `text` without pictures, tags and addresses that stand nowhere in `known`; words stay readable, and so do links that are known."""
    held = {found.rstrip(_END) for found in _URL.findall(known)}

    def linked(found: re.Match[str]) -> str:
        return found[0] if found[2].rstrip(_END) in held else found[1]

    def bare(found: re.Match[str]) -> str:
        address = found[0].rstrip(_END)
        return found[0] if address in held else f"{REMOVED}{found[0][len(address) :]}"

    text = _REFERENCE.sub(lambda found: found[0] if found[1] in held else "", _TAG.sub("", text))
    text = _LINK.sub(linked, _IMAGE.sub(lambda found: found[1], text))
    return _URL.sub(bare, text)
