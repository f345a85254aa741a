"""Load the stretches that compaction archived, following their chain."""

import json
from typing import Any

from ledger.replay import STRETCH, chain
from store.errors import StoreError
from store.protocol import RANGE, ArtifactStore

JSON = dict[str, Any]


async def load_archives(store: ArtifactStore, ledger: JSON) -> tuple[dict[str, JSON], list[str]]:
    """Return the archived stretches by handle, and the handle at which the chain broke, if it did."""
    found: dict[str, JSON] = {}
    while (alias := chain(ledger, found)[1]) and alias not in found:
        try:
            stretch = await load_json(store, ledger["case"], alias)
        except (StoreError, ValueError):
            break
        if not (isinstance(stretch, dict) and stretch.keys() >= STRETCH):
            break
        found[alias] = stretch
    return found, [alias] if alias else []


async def load_json(store: ArtifactStore, case: str, alias: str) -> Any:
    """Return a stored JSON document, read whole; raises as the store does, or ValueError."""
    handle = await store.stat(case, alias, verify=True)
    return json.loads(b"".join([await store.read(case, alias, at, RANGE) for at in range(0, handle.bytes, RANGE)]))
