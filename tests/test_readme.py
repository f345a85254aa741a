"""README.md and .env.example agree with the code."""

from agents.registry import SPECIALISTS
from tests.figures import BLOCKS
from tests.figures import written as measured
from tests.readme import ROOT, env_example, picture, settings, written
from tests.shipped import SPECIALISTS as SHIPPED


def test_generated_parts_are_up_to_date() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert settings() in text, "run python -m tests.readme"
    assert picture() in text or SPECIALISTS != SHIPPED, "run python -m tests.readme"
    assert settings() in written(text) and picture() in written(text)


def test_the_example_environment_is_complete() -> None:
    assert (ROOT / ".env.example").read_text("utf-8") == env_example(), "run python -m tests.readme"


def test_every_measured_block_can_be_written_anew() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    names = [name for blocks in BLOCKS.values() for name in blocks]
    filled = measured(text, {name: f"figures of {name}" for name in names})
    assert all(f"<!-- measured:{name} -->\nfigures of {name}\n<!-- end:{name} -->" in filled for name in names)
    assert measured(filled, {name: f"figures of {name}" for name in names}) == filled
