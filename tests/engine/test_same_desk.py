"""One complaint gives the same ledger under `langgraph dev` and under the engine, ids and times aside."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from graph.engine.stack import Stack
from tests.engine.dev import dev_server
from tests.engine.drive import Driver

GOAL = "The rats in the yard of 12 Elm St are back, and there is a pothole in front of the house."
ASIDE = {"case", "at", "opened_at", "closed_at", "ms", "latency_ms", "hash", "opened_hash", "closed_hash", "digest", "seal", "seals"}


def bare(value: Any) -> Any:
    """Leave out ids and times."""
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items() if key not in ASIDE}
    return [bare(item) for item in value] if isinstance(value, list) else value


async def ledger_of(url: str) -> dict[str, Any]:
    async with Driver([url]) as desk:
        run = await desk.start(GOAL, [])
        assert (await desk.ended(run))["status"] == "success"
        return await desk.ledger(run)


async def test_both_servers_give_the_same_ledger(home: Path) -> None:
    config = json.loads(Path("langgraph.json").read_text())
    config |= {"dependencies": [os.getcwd()], "graphs": {"desk": f"{Path('graph/serve.py').resolve()}:graph"}}
    config.pop("env", None)
    placed = home / "langgraph.json"
    placed.write_text(json.dumps(config))
    env = {"DESK_HOME": str(home)}
    with Stack(home, placed, instances=1, port=0, env=env) as stack:
        engine = await ledger_of(stack.urls[0])
    with dev_server(home, placed, env) as url:
        dev = await ledger_of(url)
    assert engine["status"] == dev["status"] == "done"
    assert [item["prompt_sha256"] for item in engine["decisions"]] == [item["prompt_sha256"] for item in dev["decisions"]]
    assert bare(engine) == bare(dev)


def test_the_licensed_server_is_given_the_same_files(tmp_path: Path) -> None:
    """Its image is not run here; that the project's part of it names what exists is checked."""
    subprocess.run([sys.executable, "-m", "langgraph_cli", "dockerfile", str(tmp_path / "Dockerfile")], check=True, capture_output=True)
    lines = (tmp_path / "Dockerfile").read_text()
    found = {name: json.loads(value) for name, value in re.findall(r"^ENV (LANG\w+)='(.*)'$", lines, re.M)}
    for path in found["LANGSERVE_GRAPHS"].values():
        assert Path(re.sub(r"^/deps/[^/]+/", "", path.partition(":")[0])).is_file()
    assert found["LANGGRAPH_HTTP"] == json.loads(Path("langgraph.json").read_text())["http"]
    assert "ADD . /deps/" in lines
