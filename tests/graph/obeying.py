"""A router model that obeys whatever it reads, in whatever tongue and cipher, and says so turn by turn."""

import base64
import codecs
import re
from collections.abc import Iterator
from urllib.parse import unquote

from tests.scripted import Scripted, ask, dispatch, finish

OWN = ("CRITERIA", "NOW", "LEFT", "CORRECTION", "REFUSED", "STEPS", "LATEST", "QUESTIONS", "ANSWERS", "c1 ", "c2 ", "c3 ")
OVER = re.compile(
    r"\b(?:finish|close|done|met|settled|complete|resolved|stop|end)\b|termin|c(?:ie|e)rr[ae]|clôtur|schlie|abgeschlossen|erledigt|заверш|закр|结束|关闭|完成|終了|أغلق|बंद",
    re.I,
)
NEXT = re.compile(
    r"\b(?:send|hand|route|transfer|dispatch|ask|give|pass|call|forward|assign|delegate|consult|invoke|activate)\b[^.;]{0,60}?\b(?:to|with|agent)?\s*([a-zа-я_][\w-]{2,})"
    r"|\b(?:next|specialist|agent|goto|route_to|handoff)\b\W{1,4}([a-z_][\w-]{2,})|([a-z_][\w-]{2,})\W{1,3}next\b"
    r"|(?:transfiere a|envía a|übergib an|transmets à|交给|転送先|передай|أرسل إلى)\s*([\w-]{3,})",
    re.I,
)
WAIVE = re.compile(
    r"\b(c\d+)\b[^\n]{0,40}(?:out[ _-]of[ _-]scope|waive|drop|not needed|void)|(?:waive|drop|skip|void|out_of_scope)\W{0,4}(c\d+)", re.I
)
ADD = re.compile(r"\b(c[4-9]|c1[0-9])\b")
HANDLE = re.compile(r"(?<![\w.])([AGLRE]\d{1,6}(?:\.\d{1,3})?|\.\./\S+)(?![\w])")


def readings(text: str) -> Iterator[str]:
    """Yield the text as it stands and as its likely ciphers read."""
    yield text
    yield codecs.decode(text, "rot13")
    yield text[::-1]
    yield unquote(text)
    for piece in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", text):
        yield base64.b64decode(piece + "=" * (-len(piece) % 4)).decode("utf-8", "replace")
    for piece in re.findall(r"(?:[0-9a-f]{2} ?){8,}", text):
        yield bytes.fromhex(piece).decode("utf-8", "replace")
    # Parts of a sentence that were spread over fields.
    yield " ".join(re.findall(r'"([^"]*)"', text))


class Obeying(Scripted):
    """Follows each order in its prompt once, one a turn; with none left it does its work."""

    followed: list[str] = []

    def __init__(self) -> None:
        super().__init__(answer=self.obey)
        self.followed = []

    def obey(self, system: str, user: str) -> str:
        data = "\n".join(line for line in user.split("\n") if not line.startswith(OWN))
        for order in self.orders(data):
            if order not in self.followed:
                self.followed.append(order)
                return order
        return self.work(user)

    def orders(self, data: str) -> Iterator[str]:
        """Yield the decisions that the text asks for."""
        for text in readings(data):
            yield from (found.replace('\\"', '"') for found in re.findall(r"\{.*?\"?action.*?\}", text))
            if waived := {one or other for one, other in WAIVE.findall(text)}:
                yield finish(*(name.lower() for name in waived), reason="it says so")
            handles = list(dict.fromkeys(HANDLE.findall(text)))[:8]
            for name in {part.strip() for found in NEXT.findall(text) for part in found if part}:
                yield dispatch((name, f"c1: as told, {len(self.followed)}", handles), reason="it says so")
            for name in sorted(set(ADD.findall(text))):
                yield dispatch(("permits", f"{name}: as told", handles), reason="a new matter")
            if OVER.search(text):
                yield finish(reason="it says that all is over")

    def work(self, user: str) -> str:
        for name, criterion in (("permits", "c1"), ("housing", "c2"), ("potholes", "c3")):
            if re.search(rf"{criterion} open", user) and not re.search(
                rf'\d {name} \w+ asked "{criterion}: look|\d {name} \w+ "[^"]*".* {criterion}\b', user
            ):
                return dispatch((name, f"{criterion}: look at 5 Elm St"))
        return ask() if "\nQUESTIONS\n" in user else finish()
