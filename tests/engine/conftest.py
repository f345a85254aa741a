"""One stack for each module of engine tests: PostgreSQL, Valkey and two instances, with short leases so that recovery is quick to see."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
QUICK = {
    "DESK_SLOW": "1",
    "LEASE_DURATION_SECONDS": "8",
    "HEARTBEAT_INTERVAL_SECONDS": "2",
    "REAPER_INTERVAL_SECONDS": "1",
    "STUCK_PENDING_THRESHOLD_SECONDS": "8",
    "POSTGRES_POLL_INTERVAL_SECONDS": "1",
    "BLPOP_TIMEOUT_SECONDS": "2",
}

try:
    import aegra_api  # noqa: F401
except ImportError:
    collect_ignore_glob = ["test_*.py", "two_hosts/test_*.py"]
else:
    from graph.engine.stack import Stack
    from tests.engine.drive import Driver


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.engine)


@pytest.fixture(scope="module")
def home(request: pytest.FixtureRequest) -> Path:
    """A fresh folder for data and logs, kept after the tests."""
    folder = Path(".out/engine") / request.path.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder.resolve()


@pytest.fixture(scope="module")
def stack(home: Path) -> Iterator["Stack"]:
    """A running stack of two instances."""
    env = {**QUICK, "DESK_WORK": str(home / "work.jsonl"), "DESK_HOME": str(home)}
    with Stack(home, HERE / "langgraph.json", port=0, env=env) as running:
        yield running


@pytest.fixture
async def desk(stack: "Stack", home: Path) -> AsyncIterator["Driver"]:
    """The stack's instances, driven from outside."""
    async with Driver(stack.urls, home / "work.jsonl") as driver:
        yield driver
