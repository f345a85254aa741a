"""What the documents for contributors and operators name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = ("contracts", "store", "ledger", "agents", "graph")
ELSEWHERE = {"Exception", "interrupt", "goto", "asyncio.to_thread", "typing.TypedDict", "typing_extensions"}
GENERATED = {"agents/noise.py", "tests/agents/test_noise.py"}


@pytest.mark.parametrize("name", ["AGENTS.md", "CONTRIBUTING.md", "graph/engine/README.md"])
def test_files_and_targets_exist(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    paths = set(re.findall(r"`((?:contracts|store|ledger|agents|graph|tests)/[\w/.]*)`", text)) - GENERATED
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []
    targets = set(re.findall(r"make ([a-z]+(?:-[a-z]+)?)", text))
    made = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert targets and targets - made - {"something"} == set()


@pytest.mark.parametrize("document", ["AGENTS.md", "CONTRIBUTING.md"])
def test_names_from_our_code_are_defined_where_a_document_says(document: str) -> None:
    told = re.findall(r"`((?:\w+\.)*(\w+))(?:\([^`]*\))?`(?: of `([\w/]+\.py)`)?", (ROOT / document).read_text("utf-8"))
    assert len(told) > 20
    assert [whole for whole, name, file in told if not (whole in ELSEWHERE or (ROOT / whole).exists() or is_defined(name, file))] == []


def is_defined(name: str, file: str) -> bool:
    places = [ROOT / file] if file else [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    definition = re.compile(rf"^\s*(?:(?:async )?def {name}\(|class {name}\b|{name}(?: =|:)|[A-Z]+ = \"{name}\")", re.M)
    return any(definition.search(path.read_text("utf-8")) for path in places)


def test_every_place_that_catches_exception_is_listed() -> None:
    listed = re.search(r"`Exception` is caught in these places only(.*?)\n\n", (ROOT / "CONTRIBUTING.md").read_text("utf-8") + "\n\n", re.S)
    assert listed
    paths = [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    catching = [str(path.relative_to(ROOT)) for path in paths for _ in re.findall(r"except \(?(?:\w+, )*Exception\b", path.read_text("utf-8"))]
    assert sorted(catching) == sorted(re.findall(r"`([\w/]+\.py)`", listed[1]))
