"""The unit tests under each other Python of the supported range that this machine has; its packages are installed first."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OTHERS = [version for version in ("3.11", "3.12", "3.13") if version != f"{sys.version_info.major}.{sys.version_info.minor}"]


def interpreter(version: str) -> str | None:
    """Return a Python of this version that really runs."""
    found = [shutil.which(f"python{version}"), *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python")))]
    runs = (path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0)
    return next(runs, None)


@pytest.mark.pythons
@pytest.mark.parametrize("version", OTHERS)
def test_the_unit_tests_pass(version: str, tmp_path: Path) -> None:
    base = interpreter(version)
    if base is None:
        pytest.skip(f"no Python {version} here")
    python = str(tmp_path / "bin" / "python")
    subprocess.run([base, "-m", "venv", str(tmp_path)], check=True)
    install = [python, "-m", "pip", "install", "--quiet", "--constraint", "requirements.lock", "--editable", ".[test]"]
    if subprocess.run(install, cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("packages cannot be installed here")
    marks = "not slow and not browser and not pythons and not llm and not engine"
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", marks], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
