"""The artifact store: bulk stays here, prompts and state carry handles."""

from store.backend import Backend
from store.errors import ArtifactDamaged, ArtifactNotFound, StoreError, StoreUnavailable
from store.memory import MemoryStore
from store.opening import open_store
from store.protocol import BODY, RANGE, ArtifactStore
from store.sqlite import SqliteStore
from store.sweeping import sweep
from store.text import Excerpt, preview, read_text

__all__ = [
    "BODY",
    "RANGE",
    "ArtifactDamaged",
    "ArtifactNotFound",
    "ArtifactStore",
    "Backend",
    "Excerpt",
    "MemoryStore",
    "SqliteStore",
    "StoreError",
    "StoreUnavailable",
    "open_store",
    "preview",
    "read_text",
    "sweep",
]
