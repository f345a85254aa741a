"""A real HTTP server with the board on it and the few Agent Protocol endpoints that the board may use, over a desk in this process."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from langgraph.checkpoint.memory import InMemorySaver

from graph.board import app as board
from graph.desk import desk_of
from graph.workflow import build
from ledger import Limits
from store import MemoryStore
from tests.graph.instrumented import CRITERIA, GOAL
from tests.scripted import Scripted, four

JSON = dict[str, Any]


class Served:
    """Threads by id, and the store of their artifacts."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.threads: dict[str, JSON] = {}
        self.url = ""

    def start(self, thread: str, replies: list[Any], work: Any, goal: str = GOAL) -> threading.Thread:
        """Run a case in the background and show its state after every superstep."""
        self.threads[thread] = {"thread_id": thread, "status": "busy", "values": {}}

        async def drive() -> None:
            limits = Limits(max_hops=500)
            desk = build(model=Scripted(*replies), store=self.store, specialists=four(work), checkpointer=InMemorySaver(), limits=limits)
            config: Any = {"configurable": {"thread_id": thread}, "recursion_limit": 1000}
            async for values in desk.astream({"goal": goal, "criteria": CRITERIA}, config, stream_mode="values"):
                self.threads[thread]["values"] = values
            self.threads[thread]["status"] = "idle"

        runner = threading.Thread(target=lambda: asyncio.run(drive()), daemon=True)
        runner.start()
        return runner


@contextlib.contextmanager
def serve(monkeypatch: Any, router: Scripted) -> Iterator[Served]:
    """Serve until the block ends."""
    served, api = Served(), FastAPI()

    @api.post("/threads/search")
    async def search() -> list[JSON]:
        return [{key: thread[key] for key in ("thread_id", "status")} for thread in served.threads.values()]

    @api.get("/threads/{thread}")
    async def one(thread: str) -> JSON:
        if thread not in served.threads:
            raise HTTPException(404)
        return {"thread_id": thread, "status": served.threads[thread]["status"]}

    @api.get("/threads/{thread}/state")
    async def state(thread: str) -> JSON:
        if thread not in served.threads:
            raise HTTPException(404)
        return {"values": served.threads[thread]["values"]}

    api.mount("/", board.app)
    monkeypatch.setattr(board, "_desk", desk_of(four(), given_store=served.store, given_model=router))
    server = uvicorn.Server(uvicorn.Config(api, host="127.0.0.1", port=0, log_level="warning", ws="none"))
    runner = threading.Thread(target=server.run, daemon=True)
    runner.start()
    while not server.started:
        time.sleep(0.01)
    served.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield served
    finally:
        server.should_exit = True
        runner.join(10)
