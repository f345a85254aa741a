"""One Valkey server for all store tests."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import ArtifactStore, MemoryStore, open_store
from tests.servers import valkey
from tests.store.dictionary import DictionaryStore

pytest.register_assert_rewrite("store.conformance")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with valkey() as server:
        yield server.connection_url


@pytest.fixture(scope="session")
def cluster_url() -> Iterator[str]:
    """A one-node cluster that owns every slot: the server itself refuses operations across slots."""
    with valkey(cluster_enabled="yes") as server, server.client() as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        while b"cluster_state:ok" not in client.execute_command("CLUSTER", "INFO", decode_responses=False):
            time.sleep(0.05)
        yield server.connection_url


@pytest.fixture(params=["memory", "sqlite", "dictionary", "redis", "cluster"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArtifactStore]:
    match request.param:
        case "memory":
            opened: ArtifactStore = MemoryStore()
        case "dictionary":
            opened = DictionaryStore()
        case "sqlite":
            opened = open_store(tmp_path / "desk.sqlite")
        case kind:
            opened = open_store(request.getfixturevalue(f"{kind}_url"))
    yield opened
    asyncio.run(opened.aclose())
