"""Model settings: one place, empty means unset, keys never shown, and errors without credentials."""

import subprocess
import sys
import time

import pytest

from agents.model.faults import redact
from agents.model.settings import DEFAULT_MODEL, Method, ModelSettings, loaded
from contracts import SettingsError

KEY = "sk-proj-abcdefghijklmnop1234567890"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Run without the caller's environment and .env."""
    import os

    for name in list(os.environ):
        if name.startswith(("OPENAI_", "DESK_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(str(tmp_path))


def test_without_settings_there_is_no_model() -> None:
    settings = ModelSettings()
    assert settings.router() is None and settings.specialist() is None and settings.timeout == 60.0 and settings.attempts == 3


def test_router_and_specialist_are_set_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": "http://router/v1/",
        "DESK_ROUTER_MODEL": "small",
        "DESK_SPECIALIST_MODEL": "large",
        "DESK_SPECIALIST_BASE_URL": "http://other/v1",
        "DESK_METHOD": "json_mode",
        "DESK_TEMPERATURE": "",
        "DESK_ROUTER_EXTRA": '{"reasoning_effort": "low"}',
    }.items():
        monkeypatch.setenv(name, value)
    router, specialist = ModelSettings().router(), ModelSettings().specialist()
    assert router is not None and specialist is not None
    assert (router.model, router.base_url, router.method, router.temperature) == ("small", "http://router/v1", Method.JSON_MODE, None)
    assert router.api_key is not None and router.api_key.get_secret_value() == KEY and router.extra == {"reasoning_effort": "low"}
    assert (specialist.model, specialist.base_url, specialist.extra) == ("large", "http://other/v1", {})
    assert specialist.api_key is None, "a key is not sent to an endpoint that it was not set for"
    assert KEY not in repr(router) + repr(ModelSettings()) + str(specialist)


def test_a_key_or_an_endpoint_alone_drives_router_and_specialists(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", "http://local/v1")):
        monkeypatch.setenv(name, value)
        router, specialist = ModelSettings().router(), ModelSettings().specialist()
        assert router is not None and specialist is not None and router.model == specialist.model == DEFAULT_MODEL
        monkeypatch.delenv(name)


def test_offline_is_a_model_name_that_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DESK_SPECIALIST_MODEL", "offline")
    assert ModelSettings().router() is not None and ModelSettings().specialist() is None


def test_variables_of_other_programs_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "TIMEOUT", "MODEL", "ROUTER_MODEL", "BASE_URL", "HOME"):
        monkeypatch.setenv(name, "x")
    assert ModelSettings().router() is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("OPENAI_BASE_URL", "localhost:1"), ("DESK_TIMEOUT", "0"), ("DESK_ATTEMPTS", "0"), ("DESK_METHOD", "magic"), ("DESK_TEMPERATURE", "9")],
)
def test_a_wrong_value_is_refused_without_being_repeated(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        loaded(ModelSettings)
    assert name in str(caught.value) and KEY not in str(caught.value)


def test_every_setting_is_described() -> None:
    assert all(field.description and field.validation_alias for field in ModelSettings.model_fields.values())


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Authorization: Bearer {KEY}",
        f"Bearer {KEY[8:]}",
        f"https://desk:{KEY}@host/v1",
        f"api_key={KEY}",
        f'{{"token": "{KEY}"}}',
        f"postgres://u:{KEY}@h/db\nline two",
        f"x-api-key: {KEY}",
        f"password={KEY}&x=1",
        f"key {KEY}",
        f"Basic {KEY}",
        f"secret='{KEY}'",
    ],
)
def test_whatever_looks_like_a_credential_is_removed(text: str) -> None:
    shown = redact(f"{text} {text}")
    assert KEY not in shown and KEY[8:] not in shown and "\n" not in shown and len(shown) <= 300


def test_a_known_secret_of_any_form_is_removed() -> None:
    assert "plainword" not in redact("the key plainword is wrong", ["plainword"])


@pytest.mark.parametrize("text", ["x", "a1", "a-", "a/", "://", "a://", "key", "key=", "sk-", "bearer ", "é1a"])
def test_a_text_made_to_be_slow_is_cleaned_quickly(text: str) -> None:
    started = time.thread_time()
    redact((text * 20_000)[:20_000] + "@", ["plainword"])
    assert time.thread_time() - started < 0.5


def test_ordinary_words_stay() -> None:
    text = "model 'qwen2.5:7b' not found, try one of llama3.2, mistral-small-latest at http://127.0.0.1:8000/v1"
    assert redact(text) == text


def test_importing_the_workflow_loads_no_openai_package() -> None:
    code = "import sys, graph.workflow; assert not {'openai', 'langchain_openai', 'tiktoken'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=__file__.rsplit("/tests/", 1)[0])
