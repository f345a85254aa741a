"""What the README tells people to type works, in a copy of the repository, and prints what it shows."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.figures import first_run
from tests.graph.test_scaffold import copied
from tests.readme import ROOT

README = (ROOT / "README.md").read_text("utf-8")
LONG = {"test", "dev", "up", "test-engine", "bench", "figures", "eval", "check"}
"""Targets that tests of their own run; here they must only exist."""
GIVEN = {
    "GOAL": "Rats in the yard of 31 Lantern St",
    "TEXT ...": "rats",
    "TEXT": "Xylophones.",
    "FILE": "case.json",
    "K": "1",
    "N": "2",
    "NAME": "xylophones",
    "DAYS": "30",
}
ASIDE = ("OPENAI_", "DESK_", "REDIS_", "MAKE", "MFLAGS", "GOAL", "NAME", "DESCRIPTION")
"""Variables that would change what is typed, also those of a make that runs this test."""
SET_UP = [f"--old-file=.venv/{name}" for name in ("core", "test", "server", "bench")]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("a copy"))


def shell(copy: Path, command: str) -> str:
    """Run one line of the README as it stands; make finds its environment set up."""
    words = shlex.split(command, comments=True)
    if words[0] == "make" and words[1] in LONG and len(words) == 2:
        assert f"\n{words[1]}: " in (copy / "Makefile").read_text("utf-8")
        return ""
    if words[0] == "make":
        words[1:1] = [f"PY={sys.executable}", *SET_UP]
    elif words[0] == "python":
        words[0] = sys.executable
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ASIDE)}
    done = subprocess.run(words, cwd=copy, env=kept, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (command, done.stdout[-800:], done.stderr[-800:])
    return done.stderr + done.stdout


def plain(line: str) -> str:
    """Return a line without what differs from run to run: milliseconds, dates (some are to come), random ids, the width of columns."""
    line = re.sub(r"\b[0-9a-f]{32}\b", "id", re.sub(r"\d{4}-\d\d-\d\d", "date", line))
    line = re.sub(r"^( *\d+ \S+ +\S+ +(?:[\d,]+ +)?)[\d,]+   ", r"\1", line)
    return re.sub(r" +", " ", line).rstrip()


def assert_shown(block: str, printed: str) -> None:
    lines = [plain(line) for line in printed.splitlines()]
    missing = [line for line in map(plain, block.splitlines()) if line not in ("", "...") and not any(line in other for other in lines)]
    assert not missing, printed[-2000:]


def blocks() -> Iterator[tuple[str, str]]:
    """Yield each typed line, and what the README shows under it."""
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        yield from re.findall(r"^(?:\$ )?(make .*)\n((?:(?!\$ |make ).*\n)*)", block, re.MULTILINE)


def test_what_stands_in_the_blocks_is_typed_in_their_order(copy: Path) -> None:
    typed = dict(blocks())
    assert {"make run", "make test"} <= set(typed) and any("make specialist" in command for command in typed)
    for command, shown in typed.items():
        assert_shown(shown, shell(copy, command))


def test_the_first_run_prints_what_the_readme_shows(tmp_path: Path) -> None:
    block = re.search(r"<!-- measured:run -->\n(.*?)\n<!-- end:run -->", README, re.DOTALL)
    assert block
    assert_shown(block[1].replace("```text\n", "").replace("\n```", ""), first_run(copied(tmp_path)))


def full(form: str) -> str:
    """Return a command with every option that its form shows."""
    form = re.sub(r"[\[\]]", "", form.replace("[--model NAME]", ""))
    for name, value in GIVEN.items():
        form = re.sub(rf'"?(?<!\w){re.escape(name)}(?!\w)"?', shlex.quote(value), form)
    return form


def test_each_command_of_the_table_works_with_all_its_options(copy: Path) -> None:
    forms = re.findall(r"^\| `(python -m graph [^`]*)`", README, re.MULTILINE)
    assert len(forms) >= 7
    for form in forms:
        shell(copy, full(form))
    assert (copy / "case.json").exists() and (copy / "report.html").read_text("utf-8").startswith("<!doctype html>")
