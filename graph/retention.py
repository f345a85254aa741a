"""Which cases a thread or a ledger file refers to, and how their bodies go when it goes."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from graph.archives import load_json
from graph.files import load
from store.errors import StoreError, StoreUnavailable
from store.protocol import ArtifactStore

JSON = dict[str, Any]


async def forget(store: ArtifactStore, checkpointer: BaseCheckpointSaver[Any], thread_id: str) -> list[str]:
    """Delete a thread and the bodies of every case it ever held, and nothing else; return the ids of the cases.

    The thread goes last, so that a deletion that was cut short can be repeated. A copy of the thread loses the bodies too.

    Raises:
        StoreUnavailable: The store does not answer; the thread is still there.
    """
    cases = await cases_of_thread(store, checkpointer, thread_id)
    for case in cases:
        await store.delete_case(case)
    await checkpointer.adelete_thread(thread_id)
    return cases


async def cases_of_thread(store: ArtifactStore, checkpointer: BaseCheckpointSaver[Any], thread_id: str | None) -> list[str]:
    """Return the cases that any checkpoint of a thread holds, with those before them, oldest first; None means all threads."""
    ledgers: dict[str, JSON] = {}
    async for saved in checkpointer.alist({"configurable": {"thread_id": thread_id}} if thread_id else None):
        ledger = saved.checkpoint["channel_values"].get("ledger")
        if isinstance(ledger, dict) and ledger.get("case"):
            ledgers.setdefault(str(ledger["case"]), ledger)
    return await cases_of(store, ledgers.values())


async def cases_of_files(store: ArtifactStore, folder: Path) -> list[str]:
    """Return the cases that the ledger files of a folder refer to; a file that cannot be read raises, because it may refer to any."""
    paths = await asyncio.to_thread(lambda: sorted(folder.glob("*.json")))
    return await cases_of(store, [(await asyncio.to_thread(load, path)).ledger for path in paths])


async def cases_of(store: ArtifactStore, ledgers: Iterable[JSON]) -> list[str]:
    """Return the cases of ledgers and the chains of earlier cases behind them, oldest first; a chain ends where its body is lost.

    Raises:
        StoreUnavailable: The store does not answer, so that a chain may be longer than it seems.
    """
    found: dict[str, None] = {}
    for ledger in ledgers:
        current: Any = ledger
        while isinstance(current, dict) and current.get("case") and current["case"] not in found:
            found[str(current["case"])] = None
            current = await _earlier(store, current)
    return list(reversed(found))


async def _earlier(store: ArtifactStore, ledger: JSON) -> Any:
    if not ledger.get("earlier"):
        return None
    try:
        return (await load_json(store, ledger["case"], ledger["earlier"]["handle"]))["ledger"]
    except StoreUnavailable:
        raise
    except (StoreError, ValueError, TypeError, KeyError):
        return None
