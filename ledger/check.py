"""Is this ledger ours, whole and of a version we read? The digest detects changes made round the reducers."""

import hashlib
from collections.abc import Callable
from typing import Any

import orjson

from contracts.errors import LedgerError
from ledger.events import VERSION

MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""From a version to the next one."""


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of a plain value: sorted keys, no spaces, UTF-8.

    Raises:
        TypeError: The value holds something that is not JSON.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest_of(ledger: dict[str, Any]) -> str:
    """Return the SHA-256 of a ledger's canonical content, without its own digest."""
    return hashlib.sha256(canonical({key: value for key, value in ledger.items() if key != "digest"})).hexdigest()


def hash_of(value: Any) -> str:
    """Return 16 hex digits that identify an event's content."""
    return hashlib.sha256(canonical(value)).hexdigest()[:16]


def sealed(ledger: dict[str, Any]) -> dict[str, Any]:
    """Return the ledger with the digest of its content."""
    return {**ledger, "digest": digest_of(ledger)}


def is_sealed(ledger: Any) -> bool:
    """Say whether a ledger's content matches its digest and its version is ours."""
    try:
        return isinstance(ledger, dict) and ledger.get("version") == VERSION and ledger.get("digest") == digest_of(ledger)
    except (TypeError, RecursionError):
        return False


def checked(ledger: Any) -> dict[str, Any]:
    """Return a ledger that may be trusted, migrated to the current version.

    Raises:
        LedgerError: It is missing, altered outside the reducers, unreadable, or of a version this code does not read.
    """
    if not isinstance(ledger, dict) or not ledger:
        raise LedgerError("the ledger is missing or is not an object: start the case again with a goal")
    version = ledger.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise LedgerError("the ledger has no version: it was not written by this desk; restore it from a checkpoint or open a new thread")
    if version != VERSION:
        return _migrated(ledger, version)
    if not is_sealed(ledger):
        raise LedgerError(
            "the ledger does not match its own digest: it was replaced or edited outside the reducers; "
            "restore the thread's last good checkpoint or open a new thread"
        )
    return ledger


def _migrated(ledger: dict[str, Any], version: int) -> dict[str, Any]:
    if version > VERSION:
        raise LedgerError(f"the ledger has version {version}, this desk reads up to {VERSION}: upgrade the desk")
    if version not in MIGRATIONS:
        raise LedgerError(f"the ledger has version {version}, which this desk cannot migrate to {VERSION}: finish the case with the release that wrote it")
    while version < VERSION:
        ledger = MIGRATIONS[version](ledger)
        version += 1
    return sealed(ledger)
