"""Another package under one of our names is said so at start."""

import subprocess
import sys
from pathlib import Path

import pytest

from graph.import_check import check_names

ROOT = Path(__file__).parent.parent.parent


def test_ours_are_ours() -> None:
    check_names()


def test_a_checkout_elsewhere_is_not_ours(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="the name 'contracts' belongs to"):
        check_names(tmp_path)


def test_a_foreign_agents_package_stops_the_start_in_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import graph.workflow"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "the name 'agents' belongs to" in done.stderr and "openai-agents" in done.stderr
