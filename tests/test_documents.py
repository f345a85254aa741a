"""What the documents for contributors and operators name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GENERATED = {"agents/noise.py", "tests/agents/test_noise.py"}


@pytest.mark.parametrize("name", ["AGENTS.md", "CONTRIBUTING.md", "graph/engine/README.md"])
def test_files_and_targets_exist(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    paths = set(re.findall(r"`((?:contracts|store|ledger|agents|graph|tests)/[\w/.]*)`", text)) - GENERATED
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []
    targets = set(re.findall(r"make ([a-z]+(?:-[a-z]+)?)", text))
    made = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert targets and targets - made - {"something"} == set()


def test_the_laws_name_functions_that_exist() -> None:
    import graph.nested
    import ledger
    import store.conformance

    assert ledger.fold and graph.nested.desk_as_specialist and store.conformance.CHECKS
