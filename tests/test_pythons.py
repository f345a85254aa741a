"""The unit tests under each other Python of the declared range that this machine has; its packages are installed first."""

import fcntl
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DECLARED = re.findall(r"Programming Language :: Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
MARKS = "not slow and not browser and not pythons and not llm and not engine"


def interpreter(version: str) -> str | None:
    """Return a Python of this version that really runs."""
    found = [*sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))), shutil.which(f"python{version}")]
    return next((path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0), None)


OTHERS = {version: path for version in DECLARED if version != THIS and (path := interpreter(version))}


def passed(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


@pytest.mark.pythons
def test_the_declared_range_is_what_can_be_installed() -> None:
    assert THIS in DECLARED and DECLARED == ["3.11", "3.12", "3.13"]
    assert f'requires-python = ">={DECLARED[0]}"' in (ROOT / "pyproject.toml").read_text("utf-8")


if OTHERS:  # `main` tells which; those that this machine does not have are no test

    @pytest.mark.pythons
    @pytest.mark.parametrize("version", OTHERS)
    def test_the_unit_tests_pass(version: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        python = str(tmp_path / "bin" / "python")
        passed([OTHERS[version], "-m", "venv", str(tmp_path)])
        with (tmp_path_factory.getbasetemp().parent / "install.lock").open("w") as lock:  # an installation writes into the source tree
            fcntl.flock(lock, fcntl.LOCK_EX)
            passed([python, "-m", "pip", "install", "--quiet", "--constraint", "requirements.lock", "--editable", ".[bench]"])
        tests = [python, "-m", "pytest", "-q", "-o", f"cache_dir={tmp_path / 'cache'}", "-m", MARKS]
        if subprocess.run(tests, cwd=ROOT, capture_output=True, check=False).returncode:
            passed([*tests, "--last-failed"])  # as .ci/run does: a busy machine can be late


def main() -> None:
    """Tell which Pythons are tried and which are not here."""
    for version in DECLARED:
        print(f"Python {version}: {'the one of make test' if version == THIS else OTHERS.get(version, 'not found on this machine, not tried')}")


if __name__ == "__main__":
    main()
