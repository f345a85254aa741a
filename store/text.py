"""Text of artifacts in bounded pieces: cut between characters, inside the caller's budget, with a visible mark."""

import asyncio
import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from contracts import Handle, estimate
from contracts.tokens import fitting
from store.protocol import RANGE, ArtifactStore

_TEXT = re.compile(r"text/.*|application/(.+\+)?(json|xml|yaml|x-ndjson|javascript|sql)|.+/.+\+(json|xml)")
_PER_TOKEN = 14  # bytes fetched for a token of the budget: few words are longer and still one token
_EDGE = 640  # no mark and margin take the room of more characters
Encoding = Literal["utf-8", "utf-16-le", "utf-16-be"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of an artifact's text."""

    text: str
    """What a prompt may carry, with the mark when something was cut; never above the budget."""
    start: int
    """Byte offset of its first character."""
    end: int
    """Byte offset to continue at; equal to `total` when nothing is left."""
    total: int
    """Size of the body in bytes."""


def is_text(media_type: str) -> bool:
    """Say whether bodies of this media type are read as text."""
    return bool(_TEXT.fullmatch(media_type))


async def read_text(store: ArtifactStore, case: str, alias: str, start: int = 0, *, max_tokens: int = 1500, max_bytes: int = 16384) -> Excerpt:
    """Read text from byte offset `start` on; an offset inside a character moves to the next one.

    The text with its mark has at most `max_tokens` estimated tokens and `max_bytes` UTF-8 bytes. Bytes that are not text,
    and NUL, which databases refuse, become U+FFFD. Raises as `ArtifactStore.read` does.
    """
    handle = await store.stat(case, alias)
    start = max(0, start)
    data = await store.read(case, alias, start, _window(max_tokens, max_bytes)) if is_text(handle.media_type) and start < handle.bytes else b""
    encoding = _encoding(await store.read(case, alias, 0, 2) if start and data else data)
    return _excerpt(handle, data, start, encoding, max_tokens=max_tokens, max_bytes=max_bytes)


def head_of(handle: Handle, body: bytes, *, max_tokens: int, max_bytes: int = 16384) -> Excerpt:
    """Return what `read_text` reads from the start of a body that is at hand."""
    return _excerpt(handle, body[: _window(max_tokens, max_bytes)], 0, _encoding(body), max_tokens=max_tokens, max_bytes=max_bytes)


def _excerpt(handle: Handle, data: bytes, start: int, encoding: Encoding, *, max_tokens: int, max_bytes: int) -> Excerpt:
    """Cut what was read from byte `start` on, so that it fits with its mark."""
    total = handle.bytes
    fits = _budget(max_tokens, max_bytes)
    if not is_text(handle.media_type) or (start and start >= total):
        return Excerpt(_first(_about(handle, start), fits), min(start, total), total, total)
    skip = _skip(data, encoding, start)
    data, start = data[skip:], start + skip

    def shown(size: int) -> tuple[str, int]:
        text, used = _decoded(data[:size], encoding, last=start + size >= total)
        end = start + used
        return text if end >= total else f"{text}\n[cut: bytes {start} to {end} of {total}, continue at {end}]", end

    mark, size = shown(0)[0], len(data)
    text = _decoded(data, encoding, last=start + size >= total)[0][:max_bytes]
    most = fitting(text, max_tokens - 4, mark)
    if len(text) - most > _EDGE or not fits(shown(size)[0]):
        size = _most(min(size, len(text[:most].encode(encoding, "replace")) or size), lambda size: fits(shown(size)[0]))
    text, end = shown(size)
    return Excerpt(text if size or fits(text) else _first("…", fits), start, end, total)


async def preview(store: ArtifactStore, case: str, alias: str, *, max_tokens: int = 400, max_bytes: int = 4096) -> str:
    """Return the whole text where it fits, else its head and its tail with a mark between them, inside the same budget."""
    head = await read_text(store, case, alias, max_tokens=max_tokens, max_bytes=max_bytes)
    if head.end >= head.total:
        return head.text
    encoding = _encoding(await store.read(case, alias, 0, 2))
    window = min(_window(max_tokens, max_bytes), head.total)
    first, last = await store.read(case, alias, 0, window), await store.read(case, alias, head.total - window, window)
    fits = _budget(max_tokens, max_bytes)

    def shown(size: int) -> str:
        begin, used = _decoded(first[:size], encoding, last=False)
        skip = _skip(last[-size:], encoding, head.total - size) if size else 0
        tail = last[-size:][skip:] if size else b""
        return f"{begin}\n[{head.total - used - len(tail)} bytes left out]\n{_decoded(tail, encoding, last=True)[0]}"

    text = shown(await asyncio.to_thread(_most, min(window, head.total // 2), lambda size: fits(shown(size))))
    return text if fits(text) else _first("…", fits)


def _about(handle: Handle, start: int) -> str:
    if not is_text(handle.media_type):
        return f"[{handle.media_type}, {handle.bytes} bytes: not text]"
    return f"[nothing at {start}: the text ends at byte {handle.bytes}]"


def _budget(max_tokens: int, max_bytes: int) -> Callable[[str], bool]:
    return lambda text: len(text.encode("utf-8", "replace")) <= max_bytes and estimate(text) <= max_tokens


def _first(text: str, fits: Callable[[str], bool]) -> str:
    return next((choice for choice in (text, "…") if fits(choice)), "")


def _window(max_tokens: int, max_bytes: int) -> int:
    return max(4, min(2 * max_bytes, _PER_TOKEN * max_tokens, RANGE))  # twice: UTF-16 spends two bytes on a letter


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """Find nearly the largest size up to `limit` that fits; 3 % short at most saves half of the estimates."""
    if fits(limit):
        return limit
    low, high = 0, limit
    while high - low > 1 + high // 32:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _encoding(head: bytes) -> Encoding:
    return "utf-16-le" if head[:2] == codecs.BOM_UTF16_LE else "utf-16-be" if head[:2] == codecs.BOM_UTF16_BE else "utf-8"


def _skip(data: bytes, encoding: Encoding, start: int) -> int:
    """Count the bytes at the front that belong to a character begun before."""
    if start and encoding == "utf-8":
        return next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), len(data[:4]) % 4)
    if not start or encoding == "utf-8":
        return 0
    odd = start % 2
    high = data[odd + 1 : odd + 2] if encoding == "utf-16-le" else data[odd : odd + 1]
    return odd + (2 if high and 0xDC <= high[0] <= 0xDF else 0)


def _decoded(data: bytes, encoding: Encoding, *, last: bool) -> tuple[str, int]:
    """Decode what is whole; return the text and how many bytes it took."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = decoder.decode(data, last)
    return text.replace("\0", "\ufffd").removeprefix("\ufeff"), len(data) - len(decoder.getstate()[0])
