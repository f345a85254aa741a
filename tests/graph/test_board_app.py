"""The board's routes: what they show, what they refuse, and under which headers."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agents.registry import SPECIALISTS
from graph.board import app as board
from graph.board.pages import policy
from graph.board.threads import ServerError, Thread
from graph.desk import desk_of
from graph.files import LedgerFile
from store import MemoryStore
from tests.graph.instrumented import run
from tests.hostile import HOSTILE
from tests.scripted import Scripted, finish, four

ID = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
ASK = f"/board/{ID}/decisions/2/ask"
OWN = {"X-Desk-Board": "1"}


class Server:
    """A stand-in for the server's threads; notes with which credentials it was asked."""

    seen: list[tuple[str, dict[str, str]]] = []
    thread: Thread

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.seen.append((url, headers))

    async def recent(self, limit: int = 50) -> list[Thread]:
        broken = Thread(ID.replace("3", "4"), "idle", {"ledger": {"version": 99}})
        return [self.thread, broken]

    async def one(self, thread_id: str) -> Thread:
        if thread_id != ID:
            raise ServerError("the server answered 404", 404)
        return self.thread


@pytest.fixture
async def file(store: MemoryStore) -> LedgerFile:
    file, _ = await run(5, store=store)
    return file


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
async def page(monkeypatch: pytest.MonkeyPatch, store: MemoryStore, file: LedgerFile) -> AsyncIterator[httpx.AsyncClient]:
    Server.seen, Server.thread = [], Thread(ID, "idle", {"ledger": file.ledger, "artifacts": file.artifacts})
    monkeypatch.setattr(board, "Threads", Server)
    monkeypatch.setattr(board, "_desk", desk_of(four(), given_store=store, given_model=Scripted(finish())))
    transport = httpx.ASGITransport(board.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://desk.example:8123") as client:
        yield client


async def test_the_list_links_to_runs_and_shows_broken_ones(page: httpx.AsyncClient, file: LedgerFile) -> None:
    reply = await page.get("/board/")
    assert reply.status_code == 200
    assert f'href="{ID}"' in reply.text and file.ledger["goal"][:40] in reply.text
    assert "upgrade the desk" in reply.text
    assert (await page.get("/board")).headers["location"] == "board/"


@pytest.mark.parametrize("path", ["/board/", f"/board/{ID}", f"/board/{ID}/artifacts/A1", f"/board/{ID}/artifacts/A1/body"])
async def test_every_reply_is_safe_to_open(page: httpx.AsyncClient, path: str) -> None:
    reply = await page.get(path)
    assert reply.status_code == 200
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"
    if reply.headers["content-type"].startswith("text/html"):
        assert reply.headers["content-security-policy"] == policy()
        assert "default-src 'none'" in policy() and "unsafe" not in policy() and "frame-ancestors 'none'" in policy()


async def test_a_run_shows_its_answer_and_ticks(page: httpx.AsyncClient, file: LedgerFile) -> None:
    text = (await page.get(f"/board/{ID}")).text
    assert text.count("✓ ") >= file.ledger["counts"]["decisions"]
    assert 'class="answer"' in text


async def test_a_page_that_follows_gets_nothing_until_something_is_new(page: httpx.AsyncClient) -> None:
    text = (await page.get(f"/board/{ID}")).text
    digest = text.split('data-digest="')[1].split('"')[0]
    assert (await page.get(f"/board/{ID}", headers={"X-Desk-Digest": digest})).status_code == 204
    assert (await page.get(f"/board/{ID}", headers={"X-Desk-Digest": "older"})).status_code == 200


async def test_the_server_is_where_the_request_came_in_whatever_the_host_header_says(
    page: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await page.get("/board/", headers={"Host": "evil.example", "Authorization": "Bearer t"})
    assert Server.seen[-1] == ("http://desk.example:8123", {"authorization": "Bearer t"})
    monkeypatch.setenv("DESK_SERVER_URL", "http://api.internal:1")
    monkeypatch.setattr("graph.board.app._desk", desk_of(SPECIALISTS))
    await page.get("/board/")
    assert Server.seen[-1] == ("http://api.internal:1", {})


async def test_bodies_are_attachments_and_previews_are_bounded(page: httpx.AsyncClient, store: MemoryStore, file: LedgerFile) -> None:
    for index, text in enumerate(HOSTILE):
        await store.put(file.ledger["case"], text, stem=f"A{100 + index}", media_type="text/html", kind="note", description="d", producer="permits")
        whole = await page.get(f"/board/{ID}/artifacts/A{100 + index}/body")
        assert whole.content == text.encode()
        assert whole.headers["content-disposition"].startswith("attachment;") and whole.headers["content-type"] == "application/octet-stream"
        part = await page.get(f"/board/{ID}/artifacts/A{100 + index}")
        assert part.headers["content-type"] == "application/json" and len(part.content) < 9000


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/board/{ID}/artifacts/A99", 404),
        (f"/board/{ID}/artifacts/..%2f..%2fetc", 404),
        (f"/board/{ID}/artifacts/Z1", 404),
        ("/board/not-a-thread", 404),
        ("/board/a/b/c", 404),
        (f"/board/{ID.replace('3', '5')}", 404),
        ("/docs", 404),
        ("/openapi.json", 404),
    ],
)
async def test_what_is_not_there_is_not_found(page: httpx.AsyncClient, path: str, status: int) -> None:
    assert (await page.get(path)).status_code == status


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("/board/not-a-thread", "./"),
        (f"/board/{ID.replace('3', '5')}", "./"),
        (f"/board/{ID}/artifacts/A99/body", "../../../"),
        ("/board/a/b/c", "../../"),
    ],
)
async def test_a_browser_gets_a_page_with_a_way_back(page: httpx.AsyncClient, path: str, home: str) -> None:
    reply = await page.get(path, headers={"Accept": "text/html,*/*"})
    assert reply.status_code == 404 and reply.headers["content-type"].startswith("text/html")
    assert f'<a href="{home}">All runs</a>' in reply.text and "No run yet" not in reply.text
    assert (await page.get(path)).json()["detail"], "other clients get JSON"


async def test_another_cases_artifact_is_not_found(page: httpx.AsyncClient, store: MemoryStore) -> None:
    await store.put("othercase", "secret", stem="A77", kind="note", description="d", producer="permits")
    assert (await page.get(f"/board/{ID}/artifacts/A77")).status_code == 404
    assert (await page.get(f"/board/{ID}/artifacts/A77/body")).status_code == 404


async def test_asking_again_shows_the_match_rate(page: httpx.AsyncClient) -> None:
    reply = (await page.post(f"{ASK}?times=2", headers=OWN | {"Origin": "http://desk.example:8123"})).json()
    assert (reply["asked"], reply["matched"], reply["moves"], reply["same_prompt"]) == (2, 0, {"finish": 2}, True)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        OWN | {"Origin": "http://evil.example"},
        OWN | {"Origin": "null"},
        OWN | {"Origin": "http://desk.example"},
        OWN | {"Sec-Fetch-Site": "cross-site"},
        OWN | {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_a_page_from_elsewhere_cannot_ask_again(page: httpx.AsyncClient, headers: dict[str, str]) -> None:
    assert (await page.post(ASK, headers=headers)).status_code == 403
    assert (await page.get(ASK, headers=OWN)).status_code == 404


@pytest.mark.parametrize(("query", "n", "status"), [("times=0", 2, 422), ("times=21", 2, 422), ("times=x", 2, 422), ("", 999, 422), ("", 0, 422)])
async def test_asking_again_is_bounded(page: httpx.AsyncClient, query: str, n: int, status: int) -> None:
    assert (await page.post(f"/board/{ID}/decisions/{n}/ask?{query}", headers=OWN)).status_code == status


async def test_an_altered_ledger_is_said_and_not_shown(page: httpx.AsyncClient) -> None:
    values: Any = {"ledger": Server.thread.values["ledger"] | {"goal": "<b>forged</b>"}, "artifacts": {}}
    Server.thread = Thread(ID, "idle", values)
    reply = await page.get(f"/board/{ID}", headers={"Accept": "text/html"})
    assert reply.status_code == 422 and "digest" in reply.text and "forged" not in reply.text
