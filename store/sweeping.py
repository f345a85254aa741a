"""Remove what no ledger refers to any more."""

from collections.abc import Awaitable, Callable, Collection

from store.protocol import ArtifactStore

DAY = 86400.0


async def sweep(store: ArtifactStore, referred: Callable[[], Awaitable[Collection[str]]], *, idle: float = DAY, dry: bool = False) -> list[str]:
    """Delete the cases that no ledger refers to and that were idle for `idle` seconds; return their ids.

    Args:
        store: The store to sweep.
        referred: Names the cases of all ledgers; asked after the store, so that a case opened meanwhile is safe.
        idle: Grace for cases whose ledger is not saved yet.
        dry: Only name the cases.
    """
    found = await store.cases(idle)
    kept = set(await referred())
    gone = [case for case in found if case not in kept]
    for case in () if dry else gone:
        await store.delete_case(case)
    return gone
