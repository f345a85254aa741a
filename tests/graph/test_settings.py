"""Every setting with a wrong value: one line that names the variable and what it must be, exit code 2, no secret."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic_settings import BaseSettings

from agents.city.open311 import Open311Settings
from agents.model.settings import ModelSettings, loaded
from agents.registry import SPECIALISTS
from contracts import SettingsError
from graph.cli import main
from graph.commands.run import _model as shown_model
from graph.context import Context
from graph.settings import DeskSettings
from graph.workflow import build
from store import MemoryStore
from tests.scripted import Scripted, finish, specialist

SECRET = "sk-secret-word-1234567890"
NO_NUMBER, NO_URL = ("abc", "nan"), ("localhost:1/v1", "http://", "http://[bad", f"https://u:{SECRET}@h:99999/v1", "ftp://x", "http://a b/")
NO_OBJECT = ("{bad", "[1]", "5", '"x"', "null", f'{{"key": "{SECRET}')
WRONG: dict[str, tuple[str, ...]] = {
    "OPENAI_API_KEY": (f"{SECRET} {SECRET}", f"{SECRET}\n", f"clé{SECRET}"),
    "OPENAI_BASE_URL": NO_URL,
    "DESK_ROUTER_MODEL": (" ",),
    "DESK_SPECIALIST_MODEL": (" ",),
    "DESK_SPECIALIST_API_KEY": (f"{SECRET}\n",),
    "DESK_SPECIALIST_BASE_URL": NO_URL,
    "DESK_TEMPERATURE": (*NO_NUMBER, "9", "-1"),
    "DESK_MAX_TOKENS": (*NO_NUMBER, "1", "99.5"),
    "DESK_TIMEOUT": (*NO_NUMBER, "0", "inf"),
    "DESK_ATTEMPTS": (*NO_NUMBER, "0", "11"),
    "DESK_METHOD": ("magic", SECRET),
    "DESK_ROUTER_EXTRA": NO_OBJECT,
    "DESK_SPECIALIST_EXTRA": NO_OBJECT,
    "DESK_HOME": ("/dev/null", "/dev/null/desk"),
    "REDIS_URL": ("localhost:6379", f"http://:{SECRET}@h", f"redis://u:{SECRET}@h:port"),
    "DESK_STORE": ("nonsense", "no.such.module:function", "os:no_such_function"),
    "DESK_SHARED": ("maybe", "true"),
    "DESK_STORE_TIMEOUT": (*NO_NUMBER, "0", "inf"),
    "DESK_RETENTION": (*NO_NUMBER, "0", "-1", "1e9"),
    "DESK_BUDGET": (*NO_NUMBER, "10", "300", "2000000"),
    "DESK_MAX_HOPS": (*NO_NUMBER, "0", "200000"),
    "DESK_MAX_PARALLEL": (*NO_NUMBER, "0", "9"),
    "DESK_CASE_TOKENS": (*NO_NUMBER, "-1", "10000000000000"),
    "DESK_CASE_SECONDS": (*NO_NUMBER, "-1", "inf", "1e10"),
    "DESK_SERVER_URL": NO_URL,
    "DESK_SPECIALIST_TIMEOUT": (*NO_NUMBER, "0", "inf"),
    "OPEN311_URL": NO_URL,
    "OPEN311_TIMEOUT": (*NO_NUMBER, "0", "inf"),
}
ANY = {"OPEN311_API_KEY", "OPEN311_JURISDICTION"}
"""Settings that no value of is wrong."""
KINDS: tuple[type[BaseSettings], ...] = (ModelSettings, DeskSettings, Open311Settings)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for kind in KINDS:
        for field in kind.model_fields.values():
            monkeypatch.delenv(str(field.validation_alias), raising=False)
    monkeypatch.chdir(tmp_path)


def test_every_setting_stands_in_the_table() -> None:
    assert {str(field.validation_alias) for kind in KINDS for field in kind.model_fields.values()} == {*WRONG, *ANY}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_one_clear_line(name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(name, value)
    if name.startswith("OPEN311"):
        with pytest.raises(SettingsError) as caught:
            loaded(Open311Settings)
        told = f"error: {caught.value}\n"
    else:
        assert main(["run", "--json", "Rats at 31 Lantern St"]) == 2
        out, told = capsys.readouterr()
        assert out == ""
    assert told.startswith("error: ") and name in told and told.count("\n") == 1 and "Traceback" not in told and SECRET not in told
    assert any(word in told for word in ("must", "should", "set ", "needs", "cannot")), "and what to do"


@pytest.mark.parametrize("content", [b"OPENAI_API_KEY=\xff\xfe\n", b"\xff\xfeD\0E\0"])
def test_an_env_file_that_is_no_text_is_named(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".env").write_bytes(content)
    assert main(["run", "--json", "Rats"]) == 2
    assert ".env" in capsys.readouterr().err


def test_the_terminal_shows_no_credentials_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://u:{SECRET}@127.0.0.1:9/v1")
    assert shown_model().endswith(" at 127.0.0.1:9")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("budget", 10),
        ("budget", 2_000_000),
        ("max_hops", 0),
        ("max_hops", "many"),
        ("max_parallel", 9),
        ("max_seconds", -1.0),
        ("max_seconds", float("nan")),
    ],
)
async def test_a_wrong_limit_of_one_run_is_one_clear_line(name: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: .* should be ") as caught:
        await build(model=Scripted(finish()), store=MemoryStore()).ainvoke({"goal": "Rats"}, context=Context(**{name: value}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("approvals", "false"),
        ("approvals", 1),
        ("ask_people", "false"),
        ("router_model", 123),
        ("specialist_model", ["m"]),
        ("router_rules", "x" * 3000),
        ("router_rules", "\ud800"),
        ("answer_style", "x" * 50_000),
        ("max_hops", "3"),
        ("max_hops", True),
        ("max_parallel", 1.5),
    ],
)
async def test_a_wrong_setting_of_one_run_is_refused_by_its_name(name: str, value: Any) -> None:
    desk: Any = build(model=Scripted(finish()), store=MemoryStore())
    with pytest.raises(SettingsError, match=f"^{name}: .* should ") as caught:
        await desk.ainvoke({"goal": "Rats"}, context={name: value})
    assert "\n" not in str(caught.value) and "xxx" not in str(caught.value)


def test_a_context_that_is_right_is_taken_as_json_writes_it() -> None:
    given: dict[str, Any] = {"approvals": True, "router_model": None, "max_hops": 3, "max_seconds": 5, "answer_style": "x" * 2000}
    assert {name: getattr(Context(**given), name) for name in given} == given


def test_limits_hold_whatever_the_roster_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wide(NamedTuple):
        least: int

    monkeypatch.setattr("graph.settings.worst_case", lambda setup: Wide(2_000_000))
    with pytest.raises(SettingsError, match="^budget: "):
        loaded(DeskSettings).limits(SPECIALISTS)


@pytest.mark.parametrize(("variable", "context"), [("2", None), ("8", 2), ("1", None), ("8", None)])
async def test_the_offline_router_keeps_the_limit_of_parallel_work(variable: str, context: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_MAX_PARALLEL", variable)
    names = ("noise", "parks", "trees", "lights", "cemeteries")
    desk = build(store=MemoryStore(), specialists=[specialist(name) for name in names])
    given = {"goal": "5 Elm St", "criteria": [f"everything about {name} at 5 Elm St" for name in names]}
    result = await desk.ainvoke(given, context=Context(max_parallel=context))
    decisions = result["ledger"]["decisions"]
    assert {verdict for item in decisions for verdict in item["verdicts"]} == {"ok"}
    assert len(decisions[0]["dispatch"]) == min(5, context or int(variable))
    assert {item["status"] for item in result["ledger"]["criteria"]} == {"met"}
