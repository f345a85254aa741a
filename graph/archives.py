"""Load the stretches that compaction archived, following their chain."""

import json
from typing import Any

from store.errors import StoreError
from store.protocol import RANGE, ArtifactStore

JSON = dict[str, Any]


async def load_archives(store: ArtifactStore, ledger: JSON) -> tuple[dict[str, JSON], list[str]]:
    """Return the archived stretches by handle, and the handle at which the chain broke, if it did."""
    found: dict[str, JSON] = {}
    alias = ledger["archive"][-1]["handle"] if ledger["archive"] else None
    while alias:
        try:
            found[alias] = await load_json(store, ledger["case"], alias)
        except (StoreError, ValueError):
            return found, [alias]
        alias = found[alias]["previous"]
    return found, []


async def load_json(store: ArtifactStore, case: str, alias: str) -> Any:
    """Return a stored JSON document, read whole; raises as the store does, or ValueError."""
    handle = await store.stat(case, alias, verify=True)
    return json.loads(b"".join([await store.read(case, alias, at, RANGE) for at in range(0, handle.bytes, RANGE)]))
