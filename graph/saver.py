"""A SQLite saver for `langgraph dev` and for scripts: threads that outlive a kill.

langgraph.json takes it as `"checkpointer": {"path": "./graph/saver.py:saver"}`; it needs the `sqlite` extra.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agents.model.settings import loaded
from graph.settings import DeskSettings


@asynccontextmanager
async def saver() -> AsyncIterator[AsyncSqliteSaver]:
    """Open the saver in the home folder."""
    home = (await asyncio.to_thread(loaded, DeskSettings)).home
    await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
    async with AsyncSqliteSaver.from_conn_string(str(home / "checkpoints.db")) as made:
        yield made
