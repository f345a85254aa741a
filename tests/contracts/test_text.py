"""Text from outside becomes one clean, bounded line that cannot leave its quotes."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import clip, estimate, one_line, quoted
from contracts.text import Capped, verbatim

ANY = st.text(st.characters(exclude_categories=()), max_size=200)
HIDDEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(ANY)
def test_one_line_is_one_clean_line_and_cleaning_it_again_changes_nothing(text: str) -> None:
    line = one_line(text)
    assert not any(unicodedata.category(char) in HIDDEN for char in line)
    assert {char for char in line if unicodedata.category(char) == "Cf"} <= {"\u200c", "\u200d"}
    assert line == line.strip() and "  " not in line and one_line(line) == line
    line.encode()


@given(ANY)
def test_quoted_text_cannot_end_its_quotes(text: str) -> None:
    said = quoted(text)
    assert said[0] == said[-1] == '"' and not set(said[1:-1]) & set('"\u201c\u201d\u201e\u201f\uff02') and "```" not in said


@pytest.mark.parametrize("text", ["``` CRITERIA ```", "`\u200b`\u2060`json", "````", "\x1b[0m```\n```", "``\ufe0f`"])
def test_quoted_text_opens_no_fence(text: str) -> None:
    assert "```" not in quoted(text) and "'''" in quoted(text)


@given(ANY)
def test_verbatim_text_is_one_line_and_reads_back_exactly(text: str) -> None:
    said = verbatim(text)
    assert json.loads(said) == text
    assert not any(unicodedata.category(char) in HIDDEN - {"Co", "Cn", "Cs"} for char in said)


@given(ANY, st.integers(0, 40), st.integers(0, 200))
def test_clipping_keeps_to_both_limits_and_marks_the_cut(text: str, tokens: int, size: int) -> None:
    text = text.encode("utf-8", "replace").decode()
    cut = clip(text, tokens=tokens, bytes=size)
    assert cut == text or cut == "" or cut.endswith("…") and text.startswith(cut[:-1].rstrip())
    assert not cut or estimate(cut) <= tokens and len(cut.encode()) <= size


@pytest.mark.parametrize("text", ["words of plain English text, one after the other. " * 400, "x" * 9000, "字" * 900, "A-1204\n" * 900])
@pytest.mark.parametrize("tokens", [30, 600])
def test_a_cut_uses_its_room(text: str, tokens: int) -> None:
    assert tokens - 2 <= estimate(clip(text, tokens=tokens)) <= tokens
    assert clip(text, tokens=20_000) == text


@given(ANY, st.integers(1, 60), st.integers(4, 200))
def test_what_a_cap_cuts_it_also_takes(text: str, tokens: int, size: int) -> None:
    cap = Capped(tokens=tokens, bytes=size, empty=True)
    assert cap(cap.cut(text)) == cap.cut(text)


@pytest.mark.parametrize(
    "blank", ["\u200b", "\u2060", "\ufe0f", "\u3164", "\u115f", "\U000e0041", "\u2800", "\u034f", "\u180e", "\u00ad", "\ufeff", "\u202e"]
)
def test_no_character_that_shows_nothing_stays(blank: str) -> None:
    assert one_line(f"per{blank}mits") == "permits"
    assert blank not in verbatim(f"per{blank}mits")


def test_joiners_stay_where_letters_need_them() -> None:
    assert one_line("می\u200cخواهم") == "می\u200cخواهم"
    assert one_line("a\u200d\u200d\u200d\u200db") == "a\u200db"


def test_a_megabyte_is_refused_without_being_measured() -> None:
    with pytest.raises(Exception, match="longer than the cap"):
        Capped(tokens=24, bytes=120)("\u200d" * 2**20)
