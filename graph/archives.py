"""Load the stretches that compaction archived, following their chain."""

import json
from typing import Any

from store.errors import StoreError
from store.protocol import ArtifactStore

JSON = dict[str, Any]


async def load_archives(store: ArtifactStore, ledger: JSON) -> tuple[dict[str, JSON], list[str]]:
    """Return the archived stretches by handle, and the handle at which the chain broke, if it did."""
    found: dict[str, JSON] = {}
    alias = ledger["archive"][-1]["handle"] if ledger["archive"] else None
    while alias:
        try:
            size = (await store.stat(ledger["case"], alias)).bytes
            found[alias] = json.loads(await store.read(ledger["case"], alias, 0, size))
        except (StoreError, ValueError):
            return found, [alias]
        alias = found[alias]["previous"]
    return found, []
