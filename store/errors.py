"""What can go wrong with an artifact or the place that keeps it.

StoreError(DeskError, RuntimeError)   the artifact is refused: a field of its handle, its size, or no alias is left
├── ArtifactNotFound                  no such artifact in this case; malformed names and other cases get the same words
├── ArtifactDamaged                   the artifact is known, but its body is gone or is not what was stored
└── StoreUnavailable                  the backend does not answer, is full, read-only or misconfigured
"""

from contracts import DeskError

NOT_FOUND = "artifact not found in this case: use an alias that the case lists"


class StoreError(DeskError, RuntimeError):
    """An artifact cannot be stored or read."""


class ArtifactNotFound(StoreError):
    """Nothing under this name in this case."""

    def __init__(self) -> None:
        super().__init__(NOT_FOUND)


class ArtifactDamaged(StoreError):
    """A body is lost or differs from what was stored."""


class StoreUnavailable(StoreError):
    """The backend cannot serve now; nothing was half written."""
