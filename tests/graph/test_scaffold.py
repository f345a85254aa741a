"""A specialist of one's own: names checked, one file and one line, consulted at once; and one taken away."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.registry import SPECIALISTS
from contracts import RegistryError
from graph.scaffold import registered_in, scaffold

ROOT = Path(__file__).parent.parent.parent
SHIPPED = ("potholes", "permits", "sanitation", "housing")
REGISTRY = (ROOT / "agents" / "registry.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Code Enforcement", "not usable"),
        ("Vivienda é", "not usable"),
        ("__end__", "not usable"),
        ("FINISH", "not usable"),
        ("noise;rm", "not usable"),
        ("../noise", "not usable"),
        ("", "not usable"),
        ("n" * 70, "at most 64 characters"),
        ("supervisor", "reserved"),
        ("answer", "reserved"),
        ("permits", "twice"),
        ("class", "Python name"),
    ],
)
def test_names_that_cannot_work_are_refused(name: str, told: str) -> None:
    with pytest.raises(RegistryError, match=told):
        scaffold(name, "", SPECIALISTS)


@pytest.mark.parametrize("name", ["xylophones", "street-light_zz", "street_light_zz2", "x"])
def test_a_specialist_is_one_file_of_at_most_forty_lines(name: str) -> None:
    made = scaffold(name, "", SPECIALISTS)
    assert len(made.file.splitlines()) <= 40 and "$" not in made.file + made.test
    compile(made.file, "file", "exec")
    compile(made.test, "test", "exec")


def test_a_description_that_breaks_the_file_is_refused() -> None:
    with pytest.raises(RegistryError, match="quotes"):
        scaffold("xylophones", 'Loud "music"', SPECIALISTS)
    with pytest.raises(RegistryError, match="tokens"):
        scaffold("xylophones", ("many words " * 40).strip(), SPECIALISTS)
    assert 'description="Loud music."' in scaffold("xylophones", "Loud music.", SPECIALISTS).file


@pytest.mark.parametrize("module", ["aaa", "xylophones", "zzz"])
def test_the_registry_gains_one_import_and_one_line(module: str) -> None:
    after = registered_in(REGISTRY, module)
    added = [line for line in after.splitlines() if line not in REGISTRY.splitlines()]
    assert added == [f"from agents.{module} import {module}", f"    {module},"]
    imports = [line for line in after.splitlines() if line.startswith("from agents.")]
    assert imports == sorted(imports)
    with pytest.raises(RegistryError, match="by hand"):
        registered_in("SPECIALISTS = ()\n", module)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A throw-away copy of what the repository holds."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "agents" / "registry.py").write_text(only_shipped((ROOT / "agents" / "registry.py").read_text()))
    return tmp_path


def only_shipped(registry: str) -> str:
    """Return the registry with the four shipped specialists, whatever has been added to it."""
    lines = []
    for line in registry.splitlines(keepends=True):
        found = re.fullmatch(r"from agents\.(\w+) import \1\n|    (\w+),\n", line)
        if not found or (found[1] or found[2]) in SHIPPED:
            lines.append(line)
    return "".join(lines)


def python(copy: Path, *words: str, code: int = 0) -> str:
    """Run Python in the copy, without a key or a configured model."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DESK_", "OPENAI_", "REDIS_", "PYTEST_"))}
    done = subprocess.run([sys.executable, *words], cwd=copy, env=env | {"PYTHONPATH": str(copy)}, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def run(copy: Path, goal: str) -> Any:
    return json.loads(python(copy, "-m", "graph", "run", "--json", goal))


def test_a_new_specialist_works_at_once(copy: Path) -> None:
    python(copy, "-m", "graph", "specialist", "xylophones")
    assert len((copy / "agents" / "xylophones.py").read_text().splitlines()) <= 40
    assert "2 passed" in python(copy, "-m", "pytest", "-q", "tests/agents/test_xylophones.py")
    found = run(copy, "There is a problem with xylophones at 31 Lantern St, and rats in the yard.")
    assert {(step["specialist"], step["status"]) for step in found["ledger"]["steps"]} == {("xylophones", "done"), ("sanitation", "done")}
    assert found["status"] == "done" and "agents/xylophones.py" in found["answer"]
    assert "xylophones" in [line["name"] for line in found["ledger"]["setup"]["roster"]]
    assert re.search(r"^least budget +[\d,]+$", python(copy, "-m", "graph", "bound"), re.M)
    again = python(copy, "-m", "graph", "specialist", "xylophones", code=2)
    assert again.startswith("error: ") and "twice" in again and "Traceback" not in again
    assert "exists already" in python(copy, "-m", "graph", "specialist", "offline", code=2)


def test_one_of_the_four_taken_away_leaves_a_working_desk(copy: Path) -> None:
    registry = copy / "agents" / "registry.py"
    lines = [line for line in registry.read_text().splitlines() if "housing" not in line]
    registry.write_text("\n".join(lines) + "\n")
    (copy / "agents" / "housing.py").unlink()
    found = run(copy, "Rats in the yard of 31 Lantern St, and no heat since Friday.")
    assert {step["specialist"] for step in found["ledger"]["steps"]} == {"sanitation"}
    assert found["status"] == "done" and "housing" not in [line["name"] for line in found["ledger"]["setup"]["roster"]]
    assert "Out of scope" in run(copy, "No heat since Friday at 31 Lantern St.")["answer"]
