"""Seals: what proves that a ledger is as the reducers left it.

Each step and decision carries a seal of its content; the digest covers the rest and all seals. So fold checks and renews a short digest per
event, whatever the length of the case, while `is_whole` looks at every record.
"""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import orjson

from ledger.events import VERSION

JSON = dict[str, Any]
RECORDS = ("steps", "decisions")
MIGRATIONS: dict[int, Callable[[JSON], JSON]] = {}
"""From a version to the next one."""
_PLAIN = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_ODD = (TypeError, ValueError, AttributeError, LookupError, RecursionError)


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of a plain value: sorted keys, no spaces, UTF-8.

    Raises:
        TypeError: The value holds something that is not JSON.
    """
    return orjson.dumps(value, option=_PLAIN)


def hash_of(value: Any) -> str:
    """Return 16 hex digits that identify a plain value."""
    return hashlib.sha256(canonical(value)).hexdigest()[:16]


def seal_of(record: JSON) -> str:
    """Return what identifies the content of a step or decision."""
    return _hashed(canonical(_content(record)))[0]


def _content(record: JSON) -> JSON:
    return {key: value for key, value in record.items() if key != "seal"}


@lru_cache(maxsize=1024)
def _hashed(body: bytes) -> tuple[str, Any]:
    """Return hash and content of canonical JSON; cached, because most records were already seen at the hop before."""
    return hashlib.sha256(body).hexdigest()[:16], orjson.loads(body)


def handle_seal(handle: JSON) -> str:
    """Return what identifies a handle among those of any case."""
    return hash_of({key: value for key, value in handle.items() if key != "case"})


def digest_of(ledger: JSON) -> str:
    """Return the SHA-256 of a ledger's canonical content, each record standing by its seal, without the digest itself."""
    head = {key: [item["seal"] for item in value] if key in RECORDS else value for key, value in ledger.items() if key != "digest"}
    return hashlib.sha256(canonical(head)).hexdigest()


def sealed(ledger: JSON, before: JSON | None = None) -> JSON:
    """Return the ledger with fresh seals and digest; records that already stood in `before` keep theirs unread.

    Raises:
        ValueError: A record that was replaced or left out had been altered, so that nobody could see it any more.
    """
    known = {id(item): item for name in RECORDS for item in before[name]} if before else {}
    kept = {id(item) for name in RECORDS for item in ledger[name]}
    if any(item["seal"] != seal_of(item) for place, item in known.items() if place not in kept):
        raise ValueError("a record does not fit its seal")
    records = {name: [item if id(item) in known else {**item, "seal": seal_of(item)} for item in ledger[name]] for name in RECORDS}
    ledger = {**ledger, **records}
    return {**ledger, "digest": digest_of(ledger)}


def is_sealed(ledger: Any) -> bool:
    """Say whether a ledger's digest fits; a changed record under its old seal is found by `is_whole` only."""
    try:
        return isinstance(ledger, dict) and bool(ledger["digest"] == digest_of(ledger))
    except _ODD:
        return False


def is_whole(ledger: Any) -> bool:
    """Say whether digest and every seal fit, and nothing stands in it that JSON writes as something else, such as NaN as null."""
    try:
        head = {key: value for key, value in ledger.items() if key not in RECORDS}
        fits = is_sealed(ledger) and bool(orjson.loads(canonical(head)) == head)
        return fits and all(type(ledger[name]) is list and all(map(_is_kept, ledger[name])) for name in RECORDS)
    except _ODD:
        return False


def _is_kept(record: JSON) -> bool:
    content = _content(record)
    seal, plain = _hashed(canonical(content))
    return bool(record["seal"] == seal and plain == content)


def migrated(ledger: JSON) -> JSON:
    """Return a sealed ledger of an older version as one of this version, others as they are."""
    while (version := ledger["version"]) != VERSION and version in MIGRATIONS:
        ledger = sealed(MIGRATIONS[version](ledger))
    return ledger
