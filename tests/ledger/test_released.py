"""The gate: a ledger file of every released version replays, byte for byte, or its version says why not.

`released/` holds one small file per version, as `--save` wrote it. A change that breaks this needs a new VERSION and a migration.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from ledger import checked, digest_of, fold
from ledger.events import VERSION
from ledger.replay import rebuild_all, whole
from ledger.seal import MIGRATIONS
from tests.ledger.play import REGISTRY

FILES = sorted((Path(__file__).parent / "released").glob("*.json"))


def saved(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_decision_of_a_released_ledger_comes_back_byte_for_byte(path: Path) -> None:
    file = saved(path)
    ledger = checked(file["ledger"])
    built = list(rebuild_all(ledger, file["artifacts"], file["archives"]))
    assert len(built) == ledger["counts"]["decisions"] >= 12 and all(item.same for item in built)
    assert len(file["archives"]) >= 2, "with compactions in it"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_released_ledger_is_as_today_s_reducer_writes_it(path: Path) -> None:
    """The events of the file, folded by today's code, give the same ledger: old threads go on as they would have."""
    file = saved(path)
    folded = fold({}, file["events"], REGISTRY)
    assert folded == file["ledger"] and digest_of(folded) == file["ledger"]["digest"]
    assert [step["status"] for step in whole(folded, file["artifacts"], file["archives"]).steps].count("rejected") == 1


def test_there_is_a_file_of_this_version_and_a_way_from_each_older_one() -> None:
    versions = {saved(path)["ledger"]["version"] for path in FILES}
    assert VERSION in versions and versions - {VERSION} <= set(MIGRATIONS)
