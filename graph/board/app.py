"""The board's web app, served beside the API of `langgraph dev` or another Agent Protocol server.

It reads runs from that server with the caller's own credentials, bodies from the store, and asks a model only on a same-origin POST.
"""

import asyncio
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import FastAPI, Header, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, StreamingResponse

from agents.registry import SPECIALISTS
from contracts import DeskError
from graph.archives import load_archives
from graph.board.charts import spark
from graph.board.pages import policy, render
from graph.board.threads import ServerError, Thread, Threads
from graph.board.view import page_of
from graph.context import Context
from graph.desk import Desk, desk_of
from graph.files import LedgerFile
from graph.replaying import reask
from ledger import checked
from ledger.alarms import alarms
from ledger.figures import figures
from store.errors import ArtifactNotFound, StoreError
from store.protocol import ArtifactStore
from store.text import preview

JSON = dict[str, Any]
MOST_TIMES = 20
"""How often one request may ask a decision again."""
PIECE = 2**18
"""Bytes of a body that are sent at a time."""
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

app = FastAPI(title="Ledger board", docs_url=None, redoc_url=None, openapi_url=None)
_asking = asyncio.Semaphore(1)
_desk = desk_of(SPECIALISTS)


@app.exception_handler(DeskError)
async def refuse(request: Request, error: DeskError) -> Response:
    """Answer with an error's own words; they hold no outside text."""
    status = (
        error.status
        if isinstance(error, ServerError)
        else 404
        if isinstance(error, ArtifactNotFound)
        else 502
        if isinstance(error, StoreError)
        else 422
    )
    if "text/html" in request.headers.get("accept", ""):
        home = "../" * request.url.path.partition("/board/")[2].count("/") or "./"
        return _page(await asyncio.to_thread(render, "runs.html", runs=[], error=str(error), home=home), status)
    return JSONResponse({"detail": str(error)}, status, headers=SAFE)


@app.get("/board")
async def enter() -> Response:
    """Lead to the list; its links are relative, so that a mount prefix does not matter."""
    return RedirectResponse("board/")


@app.get("/board/")
async def runs(request: Request) -> Response:
    """Show the latest runs."""
    store = (await _own_desk()).store
    listed = await asyncio.gather(*(_listed(store, thread) for thread in await (await _threads(request)).recent()))
    return _page(
        await asyncio.to_thread(render, "runs.html", runs=sorted(listed, key=lambda run: str(run["opened"]), reverse=True), error="", home="")
    )


@app.get("/board/{thread:uuid}")
async def run(request: Request, thread: UUID, x_desk_digest: Annotated[str, Header()] = "") -> Response:
    """Show one run; a page that follows a live one sends the digest it shows, and gets nothing when that is still right."""
    found, file = await _file(request, thread)
    live = found.status == "busy"
    status = "waiting" if found.status == "interrupted" else found.status
    page = await asyncio.to_thread(page_of, file, thread=str(thread), status=status, live=live or file.ledger["status"] == "open")
    if x_desk_digest == page.digest:
        return Response(status_code=204, headers=SAFE)
    return _page(await asyncio.to_thread(render, "run.html", page=page))


@app.get("/board/{thread:uuid}/artifacts/{alias}")
async def excerpt(request: Request, thread: UUID, alias: str) -> Response:
    """Return the bounded head and tail of an artifact's text."""
    found = await (await _threads(request)).one(str(thread))
    return JSONResponse({"text": await preview((await _own_desk()).store, checked(found.values["ledger"])["case"], alias)}, headers=SAFE)


@app.get("/board/{thread:uuid}/artifacts/{alias}/body")
async def body(request: Request, thread: UUID, alias: str) -> Response:
    """Return an artifact whole, as an attachment that no browser shows."""
    found = await (await _threads(request)).one(str(thread))
    store, case = (await _own_desk()).store, checked(found.values["ledger"])["case"]
    handle = await store.stat(case, alias)

    async def pieces() -> Any:
        for start in range(0, handle.bytes, PIECE):
            yield await store.read(case, alias, start, PIECE)

    name = {"Content-Disposition": f'attachment; filename="{alias}.bin"', "Content-Length": str(handle.bytes), "Content-Security-Policy": "sandbox"}
    return StreamingResponse(pieces(), media_type="application/octet-stream", headers=SAFE | name)


@app.post("/board/{thread:uuid}/decisions/{n}/ask")
async def ask(
    request: Request, thread: UUID, n: int, times: Annotated[int, Query(ge=1, le=MOST_TIMES)] = 1, x_desk_board: Annotated[str, Header()] = ""
) -> Response:
    """Ask one decision again; it costs tokens, so a page from elsewhere may not trigger it."""
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if not x_desk_board or foreign or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return JSONResponse({"detail": "only the board's own page may ask again"}, 403, headers=SAFE)
    if _asking.locked():
        return JSONResponse({"detail": "another decision is being asked again: wait for it"}, 429, headers=SAFE)
    async with _asking:
        _, file = await _file(request, thread)
        router = (await _own_desk()).router(Context())
        asked = await reask(file, n, times, router)
    return JSONResponse({name: getattr(asked, name) for name in asked.__dataclass_fields__}, headers=SAFE)


@app.get("/board/{page:path}")
async def lost(page: str) -> Response:
    """Answer for every other address under the board."""
    raise ServerError("there is no such page", 404)


async def _file(request: Request, thread: UUID) -> tuple[Thread, LedgerFile]:
    found = await (await _threads(request)).one(str(thread))
    ledger = checked(found.values["ledger"])
    store = (await _own_desk()).store
    archives, _ = await load_archives(store, ledger)
    answer = ""
    if ledger["answer"]:
        try:
            answer = (await store.read(ledger["case"], ledger["answer"])).decode("utf-8", "replace")
        except StoreError:
            answer = ""
    return found, LedgerFile(ledger, found.values.get("artifacts") or {}, archives, answer)


async def _threads(request: Request) -> Threads:
    """Return the server's threads: at the configured address, else where this very request came in; never where its Host header says."""
    host, port = request.scope.get("server") or ("127.0.0.1", 80)
    url = (await _own_desk()).settings.server_url or f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return Threads(url, {name: value for name in ("authorization", "x-api-key", "cookie") if (value := request.headers.get(name))})


async def _own_desk() -> Desk:
    """Return the desk whose store and model the board uses; its settings are read off the event loop."""
    await asyncio.to_thread(lambda: _desk.settings)
    return _desk


async def _listed(store: ArtifactStore, thread: Thread) -> JSON:
    ledger = thread.values["ledger"]
    try:
        archives, _ = await load_archives(store, checked(ledger))
        report = figures(ledger, archives=archives)
    except DeskError as error:
        return {"thread": thread.id, "goal": str(error), "status": "error", "opened": ""} | dict.fromkeys(
            ("hops", "decisions", "first", "last", "alarms", "spark"), ""
        )
    tokens = [row.tokens_in for row in report.decisions]
    return {
        "thread": thread.id,
        "goal": ledger["goal"][:160],
        "status": thread.status if ledger["status"] == "open" else ledger["status"],
        "hops": report.hops,
        "decisions": ledger["counts"]["decisions"],
        "first": tokens[0] if tokens else "",
        "last": tokens[-1] if tokens else "",
        "alarms": len(alarms(report)) or "",
        "spark": spark(tokens),
        "opened": ledger["opened_at"][:19].replace("T", " "),
    }


def _page(text: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(text, status, headers=SAFE | {"Content-Security-Policy": policy(), "X-Frame-Options": "DENY"})
