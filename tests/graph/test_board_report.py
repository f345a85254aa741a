"""The static report: whole, small, quick, and deaf to whatever texts say."""

import asyncio
import html
import json
import re
import time
from html.parser import HTMLParser

import pytest

from graph.board.pages import policy
from graph.board.report import report_html
from graph.board.view import page_of
from graph.files import LedgerFile
from ledger import rebuild
from ledger.figures import figures
from tests.graph.instrumented import moves, run
from tests.graph.planting import planted
from tests.hostile import HOSTILE
from tests.ledger.metered import healthy
from tests.scripted import dispatch


class Structure(HTMLParser):
    """Elements and attribute names in order, the values of attributes that can act, and the text."""

    ACTING = ("href", "src", "action", "http-equiv", "content", "download")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, ...]] = []
        self.values: list[str | None] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, *(name for name, _ in attrs)))
        self.values += [value for name, value in attrs if name in self.ACTING]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def fifty() -> LedgerFile:
    file, _ = asyncio.run(run(50, replies=moves(50, planted={4: "Dear resident, done.", 9: dispatch(("plumber", "c1: pipes"))})))
    return file


@pytest.fixture(scope="module")
def benign(fifty: LedgerFile) -> Structure:
    return Structure(report_html(planted(fifty, "x")))


@pytest.mark.parametrize("text", HOSTILE, ids=range(30))
def test_hostile_text_adds_no_element_and_no_attribute(fifty: LedgerFile, benign: Structure, text: str) -> None:
    page = Structure(report_html(planted(fifty, text)))
    like = Structure(report_html(planted(fifty, "x" * len(text)))) if len(text) > 2000 else benign
    assert (page.elements == like.elements, page.values == like.values) == (True, True)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", "".join(page.text))


def test_it_fetches_nothing_and_is_small(fifty: LedgerFile) -> None:
    page = html.unescape(report_html(fifty))
    assert len(report_html(fifty).encode()) < 300_000
    assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", page)
    assert "connect-src 'none'" in page and "unsafe" not in policy(static=True)
    assert "fetch" not in policy() and "script-src 'sha256-" in policy()


def test_its_figures_are_the_reports(fifty: LedgerFile) -> None:
    report = figures(fifty.ledger, fifty.artifacts, fifty.archives)
    text = re.sub(r"\s+", " ", " ".join(Structure(report_html(fifty)).text))
    assert f"{report.decisions[0].tokens_in:,} → {report.decisions[-1].tokens_in:,}" in text
    assert f"{report.slope.per_decision:+.1f}" in text
    assert f"of {report.all_tokens:,} tokens" in text
    assert f"the router read {report.router_tokens_in:,}" in text
    for row in report.decisions:
        assert f" {row.tokens_in} " in text


def test_the_embedded_prompts_are_those_that_were_sent(fifty: LedgerFile) -> None:
    data = json.loads(str(page_of(fifty).data))
    lines: list[str] = []
    for index, (kept, more) in enumerate(data["prompts"]):
        lines = [*lines[:kept], *more]
        assert "\n".join(lines) == rebuild(fifty.ledger, fifty.artifacts, index + 1, fifty.archives).prompt.user
    assert all(item["same"] for item in data["decisions"])


def test_an_altered_record_loses_its_tick(fifty: LedgerFile) -> None:
    data = json.loads(str(page_of(planted(fifty, "x")).data))
    assert not any(item["same"] for item in data["decisions"])


def test_a_missing_stretch_is_said_and_the_rest_is_shown(fifty: LedgerFile) -> None:
    page = report_html(LedgerFile(fifty.ledger, fifty.artifacts, {}, ""))
    handle = fifty.ledger["archive"][-1]["handle"]
    assert f"The archived stretch {handle} is missing" in page


def test_a_thousand_hops_take_less_than_a_second() -> None:
    case = healthy(1000)
    file = LedgerFile(case.ledger, case.artifacts, case.archives, "")
    report_html(file)
    began = time.process_time()
    page = report_html(file)
    spent = time.process_time() - began
    assert spent < 1.0, f"{spent:.2f} s"
    assert page.count("<tr data-n=") == 1001
    paths = dict(re.findall(r'<path class="(trace|bound|hard|stem)" d="([^"]*)"', page.replace('d="M0 6H22"', "")))
    assert paths["trace"].count("H") == paths["bound"].count("H") == 1001 and paths["trace"].endswith("H10010")
    assert paths["stem"].count("M") == 1000
    assert len(page) < 6_000_000


def test_a_case_without_a_decision_has_a_page() -> None:
    case = healthy(0)
    assert "<h1" in report_html(LedgerFile(case.ledger, {}, {}, ""))
