"""A process that dies at any point of a hop loses nothing: the promise of a case that is resumed.

Nothing that was completed is lost, doubled or changed; the ledger holds each step once; a specialist's side effect happens at least once,
under the same idempotency key each time. KILLS sets how many processes are killed (25, or what the make target asks for).
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.graph.killed import POINTS

ROOT = Path(__file__).parents[2]
EACH = 4
"""Kills of one case before it may end."""
MOST = {"router": 9, "routed": 9, "started": 8, "stored": 8, "returning": 8, "put": 8, "kept": 9, "answering": 1}


def child(folder: Path, point: str = "") -> subprocess.Popen[bytes]:
    env = os.environ | {"FOLDER": str(folder), "KILL_AT": point, "PYTHONPATH": str(ROOT), "LANGSMITH_TRACING": "false"}
    return subprocess.Popen([sys.executable, "-m", "tests.graph.killed", str(folder)], cwd=ROOT, env=env, stderr=subprocess.PIPE)


def finished(folder: Path) -> dict[str, Any]:
    """Let the case run to its end and return its final state."""
    process = child(folder)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 0, told.decode()[-2000:]
    final: dict[str, Any] = json.loads((folder / "final.json").read_text())
    return final


def stable(final: dict[str, Any]) -> list[Any]:
    """Return what must not depend on kills: the steps without what is measured, the criteria, the answer."""
    apart = ("spent", "seal")
    steps = [{key: value for key, value in step.items() if key not in apart} for step in final["ledger"]["steps"]]
    return [steps, final["ledger"]["criteria"], final["ledger"]["questions"], final["ledger"]["status"], final["answer"]]


@pytest.mark.slow
def test_killed_processes_lose_double_and_change_nothing(tmp_path: Path) -> None:
    kills, rng = int(os.environ.get("KILLS", "25")), random.Random(4)
    (tmp_path / "whole").mkdir()
    whole = finished(tmp_path / "whole")
    assert whole["ledger"]["status"] == "done" and whole["ledger"]["counts"]["steps"] == 8
    plan = [f"{point}:{rng.randint(1, MOST[point])}" for point in POINTS * (1 + kills // len(POINTS))][: kills * 2 // 3]
    plan += [""] * (kills - len(plan))
    rng.shuffle(plan)
    died: Counter[str] = Counter()
    case = 0
    while plan:
        case += 1
        folder = tmp_path / str(case)
        folder.mkdir()
        for _ in range(min(EACH, len(plan))):
            died[_killed(folder, plan.pop(), rng)] += 1
            if (folder / "final.json").exists():
                break
        _unharmed(folder, finished(folder), whole)
    assert sum(died.values()) == kills and died["at random"] + len(died) > 3, died


def _killed(folder: Path, point: str, rng: random.Random) -> str:
    process = child(folder, point)
    if point:
        process.communicate(timeout=120)
        # Further on in its case than that point: it ended instead.
        return point.partition(":")[0] if process.returncode == -signal.SIGKILL else "ended"
    time.sleep(rng.uniform(0.8, 3.0))
    process.kill()
    process.communicate(timeout=120)
    return "at random"


def _unharmed(folder: Path, final: dict[str, Any], whole: dict[str, Any]) -> None:
    assert stable(final) == stable(whole)
    steps = {step["n"]: step for step in final["ledger"]["steps"]}
    assert sorted(steps) == list(range(1, 9)), "none lost, none doubled"
    journal = folder / "journal"
    for line in journal.read_text().splitlines() if journal.exists() else ():
        for n, step in json.loads(line).items():
            assert steps[int(n)] == step, "a completed step is the same to its last byte"
    assert set((folder / "effects").read_text().split()) == {f"s{n}" for n in range(1, 9)}
    assert not final["ledger"]["rejected"] and not final["ledger"]["conflicts"]
