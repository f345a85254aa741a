"""A text for the resident is data: what a client would fetch or open on its own is taken out, unless stored artifacts hold that very address."""

import re

# Each pattern takes time in proportion to the text: bounded schemes, and nothing that is given back once it was taken.
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{0,30}://|www\.|mailto:|javascript:|data:(?=\w+/))[^\s<>\"'`\]]+", re.I)
_ADDRESS = r"[^()\s<>]*+(?:\([^()\s<>]*+\)[^()\s<>]*+)*+"
_TARGET = rf"\(\s*+<?({_ADDRESS})>?(?:\s++(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?+\s*+\)"
_IMAGE = re.compile(rf"!\[([^\[\]]*+)\](?:{_TARGET}|\[[^\[\]]*+\])")
_LINK = re.compile(rf"\[([^\[\]]*+)\]{_TARGET}")
_REFERENCE = re.compile(r"^[ \t>]{0,8}\[[^\[\]\n]+\]:[ \t]*+<?(\S+?)>?(?:[ \t].*)?$\n?", re.M)
_TAG = re.compile(r"</?[a-z][a-z0-9-]*+(?:[\s/](?=[^<>=]*+=)[^<>]*+|[\s/]*+)(?:>|$)|<!--.*?(?:-->|$)", re.I | re.S)
_END = ".,;:!?)*_。，；：！？）"
REMOVED = "[link removed]"
"""What stands in the place of an address."""
DEEPEST = 4
"""Tags in tags and links in links that are taken out one by one; deeper ones lose their marks."""


def defused(text: str, known: str) -> str:
    """Return `text` without pictures, tags and addresses that stand nowhere in `known`; words stay readable, and so do links that are known."""
    held = {found.rstrip(_END) for found in _URL.findall(known)}

    def linked(found: re.Match[str]) -> str:
        return found[0] if found[2].rstrip(_END) in held else found[1]

    def bare(found: re.Match[str]) -> str:
        address = found[0].rstrip(_END)
        return found[0] if address in held else f"{REMOVED}{found[0][len(address) :]}"

    def once(text: str) -> str:
        text = _REFERENCE.sub(lambda found: found[0] if found[1] in held else "", _TAG.sub("", text))
        return _LINK.sub(linked, _IMAGE.sub(lambda found: found[1], text))

    for _ in range(DEEPEST):
        if (bare_text := once(text)) == text:
            return _URL.sub(bare, text)
        text = bare_text
    return _URL.sub(bare, re.sub(r"[<\[\]]", "", text))
