"""What nodes and reducers spare each other: each event is folded once, each ledger looked at whole once."""

from collections import deque
from typing import Any

from contracts import Registry
from ledger import checked, fold
from ledger.seal import is_sealed

JSON = dict[str, Any]


class FoldMemo:
    """Remembers recent folds by identity.

    A node folds its events to go on; LangGraph's reducer then folds the same objects. A hit needs the same three objects, not equal ones.
    So nobody may change a ledger or an event after it was folded. A miss costs time only. Holds the last 32.
    """

    def __init__(self) -> None:
        """Start with nothing remembered."""
        # Looked through as tuples, because reducers run in several threads.
        self._folds: deque[tuple[Any, Any, Registry, Any]] = deque(maxlen=32)
        self._trusted: deque[Any] = deque(maxlen=32)

    def folded(self, ledger: Any, events: Any, registry: Registry) -> Any:
        """Return the ledger after one event, or after each of a list of events, as `fold` does."""
        for event in events if isinstance(events, (list, tuple)) else [events]:
            known = next((item[3] for item in tuple(self._folds) if item[0] is ledger and item[1] is event and item[2] is registry), None)
            if known is None:
                known = fold(ledger, event, registry)
                self._folds.append((ledger, event, registry, known))
                if self._is_trusted(ledger):
                    self._trusted.append(known)
            ledger = known
        return ledger

    def trusted(self, ledger: Any) -> JSON:
        """Check a ledger as `checked` does; of one that was folded here from a checked one, the digest alone."""
        if not (self._is_trusted(ledger) and is_sealed(ledger)):
            ledger = checked(ledger)
            self._trusted.append(ledger)
        found: JSON = ledger
        return found

    def _is_trusted(self, ledger: Any) -> bool:
        return any(item is ledger for item in tuple(self._trusted))


_memo = FoldMemo()  # one for all desks of this process
folded = _memo.folded
trusted = _memo.trusted
