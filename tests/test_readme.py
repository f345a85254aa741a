"""README.md and .env.example agree with the code."""

from tests.readme import ROOT, env_example, written


def test_generated_parts_are_up_to_date() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text == written(text), "run python -m tests.readme"


def test_the_example_environment_is_complete() -> None:
    assert (ROOT / ".env.example").read_text("utf-8") == env_example(), "run python -m tests.readme"
