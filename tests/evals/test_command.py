"""The command end to end: exit codes, what a broken run leaves, the baseline, and what the figures hold."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint import Answer, ScriptedEndpoint, fails, says
from tests.evals.__main__ import ROOT, main
from tests.evals.routers import sound

SMALL = ["--limit", "2", "--sets", "desk", "--parallel", "1"]


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DESK_ROUTER_MODEL", "DESK_DATA", "DESK_METHOD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DESK_ATTEMPTS", "1")


def routed(request: Mapping[str, Any]) -> Answer:
    system, user = (message["content"] for message in request["messages"])
    return says(sound(system, user) if "choose who works next" in system else "The answer.")


def test_offline_is_complete_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "eval.json"
    assert main([*SMALL, "--out", str(out)]) == 0
    told = json.loads(out.read_text("utf-8"))
    assert told["model"] == "offline" and told["complete"] and told["done"] == told["planned"]
    assert {"exact", "jaccard", "precision", "recall", "consults", "order_kept", "emergencies", "refused"} <= set(told["sets"]["desk"])
    assert {"early", "late", "interval", "difference"} <= set(told["depth"]) and set(told["finish"]) == {"premature", "missed"}
    assert told["cost"]["tokens_in"] > 0 and told["cost"]["tokens_source"] == "estimated" and told["seconds"] > 0
    shown = capsys.readouterr()
    assert "by depth" in shown.out and "desk: 2 of 2" in shown.err
    assert main([*SMALL, "--out", str(out), "--baseline", str(out)]) == 0
    assert "Changed since the baseline" in capsys.readouterr().out


def test_a_model_s_tokens_are_counted_as_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedEndpoint(routed) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        assert main([*SMALL, "--model", "small", "--ablation", "2", "--out", str(tmp_path / "eval.json")]) == 0
    told = json.loads((tmp_path / "eval.json").read_text("utf-8"))
    assert told["model"] == "small" and told["cost"]["tokens_source"] == "reported"
    assert told["cost"]["calls"] == len(endpoint.requests) and told["cost"]["tokens_in"] == 100 * len(endpoint.requests)
    assert set(told["ablation"]) == {"ledger", "transcript", "last_turn"}


def test_an_endpoint_that_dies_half_way_is_an_incomplete_run_with_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedEndpoint(*[routed] * 12, fails(401, "the key was withdrawn")) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        assert main([*SMALL, "--out", str(tmp_path / "eval.json")]) == 4
    told = json.loads((tmp_path / "eval.json").read_text("utf-8"))
    assert not told["complete"] and 0 < told["done"] < told["planned"] and told["sets"]["desk"]["items"] == 2
    assert "withdrawn" in told["stopped"] and "INCOMPLETE" in capsys.readouterr().out


def test_an_endpoint_that_never_answers_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedEndpoint(fails(503, "down")) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        assert main([*SMALL, "--out", str(tmp_path / "eval.json")]) == 1
    assert not json.loads((tmp_path / "eval.json").read_text("utf-8"))["complete"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_was_done(number: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.evals", "--sets", "desk", "--out", str(tmp_path / "eval.json")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None and process.stderr.readline() == "desk: 33 of 132\n"
        process.send_signal(number)
        assert process.wait(60) == 4
    told = json.loads((tmp_path / "eval.json").read_text("utf-8"))
    assert told["stopped"] == "interrupted" and 33 <= told["sets"]["desk"]["items"] < 132


def test_prompts_that_do_not_fit_are_results_and_no_loss_of_the_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(request: Mapping[str, Any]) -> Answer:
        long = sum(len(message["content"]) for message in request["messages"]) > 30_000
        return fails(400, "the request exceeds the available context size", "exceed_context_size_error") if long else routed(request)

    with ScriptedEndpoint(narrow) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        assert main([*SMALL, "--ablation", "4", "--out", str(tmp_path / "eval.json")]) == 0
    told = json.loads((tmp_path / "eval.json").read_text("utf-8"))["ablation"]["transcript"]
    assert told["fits_early"] == 1 and told["fits_late"] == told["late"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sets", "nowhere"], "no set nowhere"),
        (["--sets", "complaints"], "DESK_DATA"),
        (["--baseline", "missing.json"], "missing.json"),
        (["--sets", "empty.jsonl"], "empty"),
    ],
)
def test_what_cannot_be_evaluated_says_why(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    assert main(words) == 1
    assert said in capsys.readouterr().err


def test_a_set_of_one_s_own_is_read_from_a_file(tmp_path: Path) -> None:
    line = {"id": "mine-1", "kind": "single", "text": "No heat for three days in my flat.", "gold": ["housing"], "depth": 2}
    (tmp_path / "mine.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert main(["--sets", "mine.jsonl", "--limit", "1", "--out", "eval.json"]) == 0
    told = json.loads((tmp_path / "eval.json").read_text("utf-8"))
    assert told["sets"]["mine"]["exact"] == 1 and told["depth"]["items"] == 1
