"""What the desk keeps beside a specialist's work: stored again when the backend does not answer, and touched while a case is open."""

import asyncio
import re
from contextlib import suppress
from typing import Any

from contracts import Handle
from store.errors import StoreError, StoreUnavailable
from store.protocol import ArtifactStore

TRIES = 3
"""Tries to store what a case cannot go on without."""
PAUSE = 0.25
"""Seconds before the second try, doubled for the third; each try has the store's own time-out."""


_PLACE = re.compile(r"^((?:Redis|SQLite) store) \S+?(:?)(?= )")


def reason_of(error: StoreError) -> str:
    """Return why a store failed, without where it lies: a long path would push the reason out of a capped line."""
    return _PLACE.sub(r"\1\2", str(error))


async def reach(store: ArtifactStore) -> None:
    """Reach a store before any work, so that one that is not there is one clear error and not a run of failed steps.

    Raises:
        StoreUnavailable: It does not answer.
    """
    await store.list("ready")


async def keep(store: ArtifactStore, case: str, body: bytes | str, **fields: Any) -> Handle:
    """Store what a case cannot go on without, in up to TRIES tries; raises as `put` does."""
    for attempt in range(1, TRIES):
        try:
            return await store.put(case, body, **fields)
        except StoreUnavailable:
            await asyncio.sleep(PAUSE * attempt)
    return await store.put(case, body, **fields)


async def touch(store: ArtifactStore, case: str) -> None:
    """Let nothing of an open case expire; a store that cannot do it now does not hurt the run."""
    with suppress(StoreError):
        await store.touch(case)
