"""Is this ledger ours, whole, and of a version and shape that we read?"""

from collections.abc import Iterable
from typing import Any

from contracts.errors import LedgerError
from contracts.handles import merge_handles
from ledger import apply
from ledger.events import VERSION, Decided
from ledger.seal import MIGRATIONS, RECORDS, handle_seal, is_whole, migrated, seal_of, sealed

JSON = dict[str, Any]
_STEP = apply.pending(n=1, decision=1, specialist="", ask="", handed=[], criteria=[])
_EMPTY = sealed(
    apply.opened(case="c", at="", goal="", goal_handle=None, criteria=[], setup={"roster": [], "limits": {}, "rules": ""}, earlier=None, mark="")
)
_SHAPES: dict[str, frozenset[str]] = {
    "steps": frozenset({*_STEP, "seal"}),
    "decisions": frozenset({*Decided.model_fields, "seal"} - {"type", "case"}),
    "criteria": frozenset(apply.fresh_criterion(1, {"text": "", "owners": [], "source": "", "candidates": []})),
    "questions": frozenset(apply.fresh_question(_STEP, 1, {"text": "", "to": ""})),
}


def checked(ledger: Any) -> JSON:
    """Return a ledger that may be trusted, migrated to the current version.

    Raises:
        LedgerError: It is missing, altered outside the reducers, unreadable, or of a version this code does not read.
    """
    if not isinstance(ledger, dict) or not ledger:
        raise LedgerError("the ledger is missing or is not an object: start the case again with a goal")
    version = ledger.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise LedgerError("the ledger has no version: it was not written by this desk; restore it from a checkpoint or open a new thread")
    if version > VERSION:
        raise LedgerError(f"the ledger has version {version}, this desk reads up to {VERSION}: upgrade the desk")
    if version != VERSION and version not in MIGRATIONS:
        cause = f"the ledger has version {version}, which this desk cannot migrate to {VERSION}"
        raise LedgerError(f"{cause}: finish the case with the release that wrote it")
    if not is_whole(ledger):
        raise LedgerError(
            "the ledger does not match its own digest: it was replaced or edited outside the reducers; "
            "restore the thread's last good checkpoint or open a new thread"
        )
    current: JSON = migrated(ledger)
    if not _has_shape(current):
        raise LedgerError("the ledger does not have the shape of a ledger: it was replaced; restore the thread's last good checkpoint")
    return current


def checked_handles(ledger: JSON, artifacts: Any, archived: Iterable[JSON] = ()) -> JSON:
    """Return the handle index that belongs to a checked ledger; `archived` are steps that have left it.

    Raises:
        LedgerError: It holds what is no handle, one of another case, or one that differs from what its step handed over.
    """
    if not isinstance(artifacts, dict) or merge_handles({}, artifacts) != artifacts:
        raise LedgerError(_told("hold what is no handle"))
    if foreign := [alias for alias, handle in artifacts.items() if handle["case"] != ledger["case"]]:
        raise LedgerError(_told(f"hold {foreign[0]} of another case"))
    sealed_by = {alias: (step["n"], seal) for step in archived for alias, seal in step.get("seals", {}).items() if alias in artifacts}
    sealed_by |= {alias: (step["n"], seal) for step in ledger["steps"] for alias, seal in step.get("seals", {}).items()}
    for alias, (n, seal) in sealed_by.items():
        if alias not in artifacts:
            raise LedgerError(_told(f"lack {alias} of step {n}"))
        if handle_seal(artifacts[alias]) != seal:
            raise LedgerError(_told(f"do not show {alias} as step {n} handed it over"))
    return artifacts


def _told(what: str) -> str:
    return f"the artifact handles {what}: they were edited outside the reducers; restore the thread's last good checkpoint or open a new thread"


def checked_stretch(handle: str, stretch: JSON) -> JSON:
    """Return an archived stretch whose records are as the ledger gave them away.

    Raises:
        LedgerError: A record was altered, or is none.
    """
    records = [(name, item) for name in ("steps", "decisions", "questions") for item in stretch[name]]
    if not all(_is_record(name, item) and (name not in RECORDS or item["seal"] == seal_of(item)) for name, item in records):
        raise LedgerError(f"the archived stretch {handle} does not fit its seals: it was edited; take the file that --save wrote")
    return stretch


def _is_record(name: str, item: Any) -> bool:
    return isinstance(item, dict) and bool(item.keys() - {"seals"} == _SHAPES[name])


def _has_shape(ledger: JSON) -> bool:
    """Say whether all keys are there, with values of the kinds that the reducers write."""
    if ledger.keys() != _EMPTY.keys() or any(type(ledger[key]) is not type(like) for key, like in _EMPTY.items() if like is not None):
        return False
    return all(_is_record(name, item) for name in _SHAPES for item in ledger[name])
