"""The board in a real browser: everything is clicked, nothing planted runs, a running case is followed, axe finds nothing."""

import asyncio
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from graph.board.report import report_html
from graph.files import LedgerFile
from tests.graph.instrumented import finding, moves, run
from tests.graph.planting import planted
from tests.graph.serving import serve
from tests.hostile import HOSTILE
from tests.scripted import Scripted, dispatch, finish

sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
CHROMIUM = shutil.which("chromium")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's package chromium")]
QUIET = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split()
SIZES = [(1280, 900), (400, 800)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


class Tab:
    """A page that notes errors, requests and dialogs."""

    def __init__(self, browser: Any, size: tuple[int, int] = SIZES[0], scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: message.type == "error" and self.faults.append(message.text))
        self.page.on("dialog", lambda dialog: (self.faults.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def fits(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    made: list[Tab] = []

    def make(*given: Any) -> Tab:
        made.append(Tab(chromium, *given))
        return made[-1]

    yield make
    for each in made:
        each.context.close()


@pytest.fixture(scope="module")
def fifty() -> LedgerFile:
    replies = moves(50, planted={4: "Dear resident, your pothole is repaired.", 9: dispatch(("plumber", "c1: pipes"))})
    with ThreadPoolExecutor() as apart:  # the browser's own loop runs in this thread
        return apart.submit(lambda: asyncio.run(run(50, replies=replies))).result()[0]


@pytest.fixture(scope="module")
def report(fifty: LedgerFile, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_html(fifty), "utf-8")
    return path.as_uri()


def test_everything_on_the_report_can_be_clicked(tab: Any, report: str, fifty: LedgerFile) -> None:
    it = tab()
    page = it.page
    page.goto(report)
    decisions = fifty.ledger["counts"]["decisions"]
    assert page.locator("#which").inner_text() == f"{decisions} of {decisions}"
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 4.5 / decisions, box["y"] + 60)
    assert page.locator("#tip").inner_text().startswith("decision 5, hop")
    page.mouse.click(box["x"] + box["width"] * 4.5 / decisions, box["y"] + 60)
    assert page.locator("#which").inner_text() == f"5 of {decisions}"
    assert "answered itself → ok" in page.locator("#detail").inner_text()
    assert "Dear resident" in page.locator("#detail pre").inner_text()
    assert "rebuilt byte-equal" in page.locator("#hash").inner_text()
    assert page.locator("#book .add").count() >= 1 and page.locator("#book .del").count() >= 1
    page.locator("#diff").uncheck()
    assert page.locator("#book .add").count() == 0 and "Route a case" in page.locator("#book .sys").inner_text()
    page.locator("#diff").check()
    page.locator("#back").click()
    page.locator("#on").click()
    page.locator("#on").click()
    assert page.locator("#which").inner_text() == f"6 of {decisions}"
    page.locator("#cursor").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#which").inner_text() == f"4 of {decisions}"
    assert page.locator("#cursor").get_attribute("aria-valuetext").startswith("decision 4: ")
    page.keyboard.press("Home")
    assert page.locator("#back").is_disabled() and page.locator("#which").inner_text() == f"1 of {decisions}"
    page.locator("#decisions tr[data-n='20'] td").nth(1).click()
    assert page.locator("#which").inner_text() == f"20 of {decisions}" and page.url.endswith("#d20")
    lanes = page.locator(".lanes").bounding_box()
    page.locator(".lanes").click(position={"x": lanes["width"] * 30.5 / decisions, "y": 30})
    assert page.locator("#which").inner_text() == f"31 of {decisions}"
    page.locator("#decisions details summary").first.click()
    assert page.locator("#decisions details pre").first.is_visible()
    page.reload()
    assert page.locator("#which").inner_text() == f"31 of {decisions}", "the address keeps the cursor"
    before = page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor")
    page.locator("#theme").click()
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    assert page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor") != before
    assert not it.faults and all(url.startswith(("file:", "data:")) for url in it.asked)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(tab: Any, report: str, size: tuple[int, int], scheme: str) -> None:
    it = tab(size, scheme)
    it.page.goto(report)
    assert it.fits()
    found = axe.Axe().run(it.page).response["violations"]
    assert not found, [(item["id"], [node["html"][:160] for node in item["nodes"][:3]]) for item in found]


@pytest.mark.slow
def test_nothing_hostile_runs_or_leaves_its_cell(tab: Any, fifty: LedgerFile, tmp_path: Path) -> None:
    for index, text in enumerate(HOSTILE):
        path = tmp_path / f"{index}.html"
        path.write_text(report_html(planted(fifty, text)), "utf-8")
        it = tab(SIZES[index % 2])
        page = it.page
        page.goto(path.as_uri() + "#d5")
        page.locator("#decisions tr[data-n='9'] td").nth(1).click()
        page.mouse.move(300, 300)
        page.keyboard.press("Tab")
        page.wait_for_timeout(30)
        assert page.evaluate("window.owned") is None, text[:60]
        assert not it.faults, (text[:60], it.faults)
        assert all(url.startswith(("file:", "data:")) for url in it.asked), text[:60]
        assert it.fits(), text[:60]
        outside = page.evaluate(
            """() => [...document.querySelectorAll('.t, .facts dd, .entries p, .book div, .tip')].filter((node) => {
                const mine = node.getBoundingClientRect(), around = node.parentElement.getBoundingClientRect();
                return mine.width && (mine.left < around.left - 1 || mine.right > around.right + 1);
            }).length"""
        )
        assert outside == 0, text[:60]
        it.context.close()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with serve(monkeypatch, Scripted(finish())) as running:
        yield running


ID = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


def test_a_running_case_is_followed_to_its_end(tab: Any, served: Any) -> None:
    runner = served.start(ID, moves(12), finding(wait=0.35))
    it = tab()
    page = it.page
    page.goto(f"{served.url}/board/")
    expect = sync_api.expect
    while not page.get_by_role("link", name="There is a pothole").count():
        page.reload()
    page.get_by_role("link", name="There is a pothole").click()
    expect(page.locator("#which")).to_have_text(re.compile("^[1-6] of"), timeout=20_000)
    expect(page.locator("#live")).to_have_text(re.compile("^live, [3-9] decisions"), timeout=20_000)
    expect(page.locator("#page")).to_have_attribute("data-live", "", timeout=30_000)
    runner.join(10)
    assert page.locator("#which").inner_text() == "13 of 13", "the cursor stays on the newest decision"
    assert page.locator(".answer").is_visible()
    assert not it.faults


def test_artifacts_and_asking_again(tab: Any, served: Any) -> None:
    served.start(ID, moves(5), finding(body=HOSTILE[0] + HOSTILE[3])).join(20)
    it = tab()
    page = it.page
    page.goto(f"{served.url}/board/{ID}#d2")
    page.locator("[data-show='A2']").click()
    sync_api.expect(page.locator("tr[data-preview] .preview")).to_contain_text("<script>")
    page.locator("[data-show='A2']").click()
    assert page.locator("tr[data-preview]").count() == 0
    with page.expect_download() as got:
        page.locator("a[href$='artifacts/A2/body']").click()
    assert Path(got.value.path()).read_text() == HOSTILE[0] + HOSTILE[3]
    page.locator("#times").select_option("5")
    page.locator("#again").click()
    sync_api.expect(page.locator("#answers")).to_contain_text("0 of 5")
    assert "dispatch housing" in page.locator("#answers").inner_text() and "5 ×" in page.locator("#answers").inner_text()
    assert page.evaluate("window.owned") is None
    assert not it.faults
    found = axe.Axe().run(page).response["violations"]
    assert not found, [(item["id"], [node["html"][:160] for node in item["nodes"][:3]]) for item in found]
    for size in SIZES:
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.goto(f"{served.url}/board/")
        assert not axe.Axe().run(page).response["violations"] and it.fits()
        assert page.evaluate("[...document.querySelectorAll('.wide')].every((box) => box.scrollWidth <= box.clientWidth)"), "nothing is cut off"
    page.goto(f"{served.url}/board/nothing/here")
    page.get_by_role("link", name="All runs").click()
    assert page.get_by_role("link", name="There is a pothole").count() == 1 and page.url.endswith("/board/")
