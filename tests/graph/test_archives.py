"""Archived stretches are loaded as far as their chain holds, whatever stands in the store under their names."""

import json
from typing import Any

import pytest

from contracts import Handle
from graph.archives import load_archives
from ledger.figures import figures
from store import MemoryStore
from tests.ledger.metered import healthy

JSON = dict[str, Any]
CASE = healthy(160)
CHAIN = sorted(CASE.archives, key=lambda handle: int(handle[1:]), reverse=True)


class Counted(MemoryStore):
    """Fails a loader that never ends."""

    reads = 0

    async def stat(self, case: str, alias: str, *, verify: bool = False) -> Handle:
        self.reads += 1
        assert self.reads < 100
        return await super().stat(case, alias, verify=verify)


async def loaded(archives: dict[str, Any]) -> tuple[dict[str, JSON], list[str]]:
    store = Counted()
    for handle, body in archives.items():
        await store.put(CASE.ledger["case"], json.dumps(body), stem=handle, kind="ledger", description="a stretch", producer="supervisor")
    return await load_archives(store, CASE.ledger)


async def test_a_whole_chain_is_loaded_latest_first() -> None:
    found, broken = await loaded(CASE.archives)
    assert len(CHAIN) >= 3 and found == CASE.archives and list(found) == CHAIN and broken == []


async def test_a_chain_that_leads_back_into_itself_ends_and_is_named() -> None:
    turned = CASE.archives | {CHAIN[-1]: CASE.archives[CHAIN[-1]] | {"previous": CHAIN[0]}}
    found, broken = await loaded(turned)
    assert list(found) == CHAIN and broken == [CHAIN[0]]
    assert figures(CASE.ledger, CASE.artifacts, found).missing == CHAIN[0]


@pytest.mark.parametrize("lacking", ["previous", "steps", "artifacts", ""])
async def test_a_body_that_is_no_stretch_breaks_the_chain(lacking: str) -> None:
    body = {key: value for key, value in CASE.archives[CHAIN[1]].items() if key != lacking} if lacking else [CHAIN[2]]
    found, broken = await loaded(CASE.archives | {CHAIN[1]: body})
    assert list(found) == CHAIN[:1] and broken == [CHAIN[1]]
