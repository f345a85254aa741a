"""The estimate against exact counts of two vocabularies, and its laws."""

import random
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.text import clip
from contracts.tokens import estimate
from tests.contracts.corpus import ENGLISH, ODDITIES, SCRIPTS, machine_made

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # how the package opens its own data files on 3.11 and 3.12
    import bpe_openai

    VOCABULARIES = [bpe_openai.get_encoding(name) for name in ("o200k_base", "cl100k_base")]
CORPUS = {**SCRIPTS, **ODDITIES, **machine_made(), **{f"english {n}": text for n, text in enumerate(ENGLISH)}}
# Text that no alphabet makes likely: letters of one word come from everywhere, and the estimate still may not fall below.
ANY_TEXT = st.text(max_size=80) | st.text(alphabet="aA0 \n\r\t.é中가\u200d😀-'", max_size=60) | st.sampled_from(sorted(CORPUS.values()))


def exact(text: str) -> list[int]:
    return [len(vocabulary.encode_ordinary(text)) for vocabulary in VOCABULARIES]


@pytest.mark.parametrize("name", CORPUS)
def test_the_estimate_is_at_least_the_exact_count(name: str) -> None:
    assert estimate(CORPUS[name]) >= max(exact(CORPUS[name]))


def test_the_corpus_covers_thirty_scripts_and_languages() -> None:
    assert len(SCRIPTS) >= 30


def test_random_unicode_is_not_underestimated() -> None:
    rng = random.Random(7)
    for _ in range(300):
        text = "".join(chr(rng.choice((rng.randrange(0x20, 0xD800), rng.randrange(0xE000, 0x110000)))) for _ in range(60))
        assert estimate(text) >= max(exact(text))


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_at_most_one_and_a_half_times_the_exact_count(text: str) -> None:
    assert estimate(text) <= 1.5 * min(exact(text))


def test_english_is_close_on_average() -> None:
    ratios = [estimate(text) / min(exact(text)) for text in ENGLISH]
    assert sum(ratios) / len(ratios) <= 1.25


@given(ANY_TEXT, ANY_TEXT)
def test_joining_two_lines_adds_at_most_one_token(a: str, b: str) -> None:
    assert estimate(a + "\n" + b) <= estimate(a) + estimate(b) + 1


@given(ANY_TEXT)
def test_bytes_are_the_cap_that_no_script_escapes(text: str) -> None:
    assert estimate(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_nothing_costs_nothing() -> None:
    assert estimate("") == 0


@given(ANY_TEXT, st.integers(0, 60), st.integers(0, 200))
def test_clip_ends_within_both_limits(text: str, tokens: int, size: int) -> None:
    cut = clip(text, tokens=tokens, bytes=size)
    assert estimate(cut) <= tokens
    assert len(cut.encode("utf-8", "replace")) <= size
