"""The reducer of the ledger: pure, total, schema first, idempotent. It never raises and never changes its inputs."""

from typing import Any

from pydantic import BaseModel, ValidationError

from contracts.causes import cause_of, field_of
from contracts.registry import Registry
from ledger.accept import accept
from ledger.apply import noted
from ledger.events import EVENT, VERSION
from ledger.misfit import Clash, Misfit
from ledger.seal import is_sealed, migrated, sealed

JSON = dict[str, Any]


def fold(ledger: Any, event: Any, registry: Registry) -> Any:
    """Return the ledger after one event, or after each of a list of events.

    An altered or unreadable ledger comes back unchanged, for the supervisor to stop on; what does not fit is noted in
    `rejected`, or as the `rejected` status of its step; a repeated event changes nothing; the same event with other
    content is noted in `conflicts`.
    """
    for item in event if isinstance(event, (list, tuple)) else [event]:
        ledger = _folded({} if ledger is None else ledger, item, registry)
    return ledger


def _folded(ledger: Any, event: Any, registry: Registry) -> Any:
    if ledger != {} and not is_sealed(ledger):
        return ledger
    try:
        current = migrated(ledger) if ledger else ledger
        if current and current["version"] != VERSION:
            return ledger
        changed = _noting(current, event, registry)
        return ledger if changed is current else sealed(changed, current or None)
    # A reducer that raises wrecks its thread for good, and a hand-made ledger with a digest of its own may raise anything.
    except Exception:
        return ledger


def _noting(ledger: JSON, event: Any, registry: Registry) -> JSON:
    try:
        parsed = EVENT.validate_python(event.model_dump(mode="json") if isinstance(event, BaseModel) else event)
        return accept(ledger, parsed, registry)
    except Misfit as misfit:
        return noted(ledger, "rejected", misfit.record)
    except Clash as clash:
        return noted(ledger, "conflicts", clash.record)
    except ValidationError as error:
        return noted(ledger, "rejected", {"specialist": _claimed(event, registry), "field": field_of(error), "cause": cause_of(error)[:160]})
    except (ValueError, TypeError, OverflowError, RecursionError):
        return noted(ledger, "rejected", {"specialist": _claimed(event, registry), "field": "event", "cause": "cannot be read as JSON"})


def _claimed(event: Any, registry: Registry) -> str:
    name = event.get("specialist") if isinstance(event, dict) else None
    return name if isinstance(name, str) and name in registry else ""
