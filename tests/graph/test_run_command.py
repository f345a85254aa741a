"""`run`: how a case ended is said in the same words by the text, the JSON and the exit code."""

import json
from pathlib import Path

import pytest

from graph.cli import main

LANTERN = "31 Lantern St"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DESK_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("goal", "hops", "ended", "told", "code"),
    [
        (f"Rats in the yard of {LANTERN}", "40", "done", "1 met", 0),
        (f"Rats at {LANTERN}. My car was towed, where is the tow lot?", "40", "done", "out of scope", 0),
        ("Rats in the yard", "40", "unsettled", "1 unsettled", 3),
        (f"Rats in the yard of {LANTERN}, and no heat", "1", "stopped", "unsettled", 3),
    ],
)
def test_words_and_exit_code_agree(
    goal: str, hops: str, ended: str, told: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DESK_MAX_HOPS", hops)
    assert main(["run", "--no-ask", goal]) == code
    line = next(line for line in capsys.readouterr().err.splitlines() if line.startswith(f"{ended}: "))
    assert told in line and line.endswith(f"(exit code {code})")
    assert main(["run", "--json", goal]) == code
    assert json.loads(capsys.readouterr().out)["status"] == ended


def test_a_question_that_nobody_answered_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--no-ask", "Rats in the yard"]) == 3
    told = capsys.readouterr().err.splitlines()
    assert "nobody answered: Which address or street is it about? To go on, run it again with that in the text" in told
    assert main(["run", "--no-ask", f"Rats in the yard of {LANTERN}"]) == 0
    assert "nobody answered" not in capsys.readouterr().err


def test_every_exit_code_is_documented() -> None:
    readme = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")
    section = readme.partition("Exit codes")[2][:800]
    assert all(f"| {code} |" in section for code in (0, 1, 2, 3, 130))
