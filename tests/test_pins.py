"""Dependencies: lower bounds leave out releases that are known to be unsafe, and the lock agrees."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.readme import ROOT

FIXED = {
    "langgraph": ("1.0.10", "CVE-2026-28277: objects rebuilt from a checkpoint"),
    "langgraph-checkpoint": ("4.1.1", "CVE-2026-48775, and before it CVE-2026-27794 (pickle) and CVE-2025-64439 (constructors in JSON)"),
    "langgraph-checkpoint-sqlite": ("3.0.1", "CVE-2025-67644: SQL in filters"),
    "langchain-core": ("1.2.5", "CVE-2025-68664: text that is taken for a serialised object"),
    "jinja2": ("3.1.6", "CVE-2025-27516: out of the sandbox"),
}
"""First release without the fault."""


def declared() -> dict[str, Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    return {item.name.lower(): item for item in map(Requirement, lines)}


@pytest.mark.parametrize("name", FIXED)
def test_no_unsafe_release_can_be_installed(name: str) -> None:
    fixed, why = Version(FIXED[name][0]), FIXED[name][1]
    lower = [Version(part.version) for part in declared()[name].specifier if part.operator in (">=", "==", "~=")]
    assert lower and max(lower) >= fixed, why
    locked = re.search(rf"^{re.escape(name)}==(\S+)$", (ROOT / "requirements.lock").read_text("utf-8"), re.M | re.I)
    assert locked and Version(locked.group(1)) >= fixed, why
