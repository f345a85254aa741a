"""Text of artifacts in pieces: never a split character, never above the budget, nothing lost between pieces."""

import asyncio
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts import estimate
from store import ArtifactNotFound, Excerpt, MemoryStore, preview, read_text
from store.conformance import new_case, put, refused
from store.text import is_text

LONG = ["x" * 5000, "1\n" * 2000, "字" * 2000, "a b " * 900]
TEXTS = st.text(max_size=400) | st.text(alphabet="aé中😀 \n\u200d\u0301ก0", max_size=900) | st.sampled_from(LONG)
BUDGETS = st.tuples(st.integers(0, 400), st.integers(0, 2000))


def run(text: str | bytes, start: int, tokens: int, size: int, **more: str) -> Excerpt:
    async def work() -> Excerpt:
        store = MemoryStore()
        await put(store, "case", text, **more)
        return await read_text(store, "case", "A1", start, max_tokens=tokens, max_bytes=size)

    return asyncio.run(work())


def within(text: str, tokens: int, size: int) -> bool:
    return estimate(text) <= tokens and len(text.encode()) <= size


@given(TEXTS, st.integers(-3, 6000), BUDGETS)
@example("x" * 400_000, 0, (1500, 16384))
@example("a\n" * 50_000, 0, (1500, 16384))
@settings(deadline=None, max_examples=300)
def test_any_offset_stays_inside_the_budget_and_splits_no_character(text: str, start: int, budget: tuple[int, int]) -> None:
    body = text.replace("\0", "").encode("utf-8", "replace")
    found = run(body, start, *budget)
    assert within(found.text, *budget)
    assert 0 <= found.start <= found.end <= found.total == len(body)
    piece = body[found.start : found.end].decode()
    shown = found.text.rpartition("\n[cut: ")[0] if found.end < found.total else found.text
    if found.end > found.start:
        assert shown == piece or shown == piece.removeprefix("\ufeff")
    if found.end < found.total and found.text not in ("", "…"):
        assert found.text.endswith(f"[cut: bytes {found.start} to {found.end} of {found.total}, continue at {found.end}]")


@given(TEXTS, st.sampled_from(["utf-8", "utf-16", "utf-16-be"]), st.integers(60, 400))
@settings(deadline=None, max_examples=100)
def test_reading_on_from_each_end_gives_the_whole_text(text: str, encoding: str, tokens: int) -> None:
    text = text.replace("\0", "").replace("\ufeff", "").encode("utf-8", "replace").decode()
    body = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)

    async def whole() -> str:
        store, start, pieces = MemoryStore(), 0, []
        await put(store, "case", body)
        while start < len(body):
            found = await read_text(store, "case", "A1", start, max_tokens=tokens, max_bytes=10**6)
            assert found.start == start < found.end
            pieces.append(found.text.rpartition("\n[cut: ")[0] if found.end < found.total else found.text)
            start = found.end
        return "".join(pieces)

    assert asyncio.run(whole()) == text


@given(TEXTS, BUDGETS)
@example("\x800:0:\x80\x80\U00010000", (13, 24))
@settings(deadline=None, max_examples=200)
def test_a_preview_shows_head_and_tail_inside_the_budget(text: str, budget: tuple[int, int]) -> None:
    async def work() -> str:
        store = MemoryStore()
        await put(store, "case", text)
        return await preview(store, "case", "A1", max_tokens=budget[0], max_bytes=budget[1])

    body, shown = text.encode("utf-8", "replace").replace(b"\0", "\ufffd".encode()).decode().removeprefix("\ufeff"), asyncio.run(work())
    assert within(shown, *budget)
    if within(body, *budget):
        assert shown == body
    elif shown not in ("", "…"):
        head, mark, tail = shown.rpartition(" bytes left out]\n")
        head, _, left = head.rpartition("\n[")
        assert mark and body.startswith(head) and body.endswith(tail)
        if "\0" not in text and not text.startswith("\ufeff"):
            assert int(left) == len(body.encode()) - len(head.encode()) - len(tail.encode())


@pytest.mark.parametrize("text", ["x" * 400_000, "a\n" * 50_000, "字" * 130_000, "word " * 80_000], ids=["line", "lines", "script", "words"])
def test_a_budget_is_used_well(text: str) -> None:
    found = run(text, 0, 1500, 16384)
    assert within(found.text, 1500, 16384)
    assert estimate(found.text) > 1350 or len(found.text.encode()) > 14_700


def test_what_is_not_text_is_named_not_shown() -> None:
    assert run(b"%PDF\0\1", 0, 100, 1000, media_type="application/pdf").text == "[application/pdf, 6 bytes: not text]"
    assert run("abc", 7, 100, 1000).text == "[nothing at 7: the text ends at byte 3]"
    assert run("", 0, 100, 1000).text == ""
    assert all(map(is_text, ("text/csv", "application/json", "application/geo+json", "image/svg+xml")))
    assert not any(map(is_text, ("image/png", "application/zip", "text")))


def test_damaged_text_is_readable_and_holds_no_nul() -> None:
    assert run(b"a\xffb\0c\xe4\xb8", 0, 100, 1000).text == "a\ufffdb\ufffdc\ufffd"
    assert run("größe 文字".encode("utf-16"), 0, 100, 1000).text == "größe 文字"
    assert run("größe 文字".encode("utf-16"), 5, 100, 1000).text == "öße 文字"


async def test_unknown_names_are_not_found() -> None:
    await refused(read_text(MemoryStore(), new_case(), "A1"))
    with pytest.raises(ArtifactNotFound):
        await preview(MemoryStore(), new_case(), "../x")


async def test_the_cost_follows_the_budget_not_the_body() -> None:
    store = MemoryStore()
    await put(store, "case", b"word " * 10_000_000)
    tracemalloc.start()
    await read_text(store, "case", "A1", 25_000_000)
    await preview(store, "case", "A1")
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()
