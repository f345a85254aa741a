"""Hypothesis profiles: LAWS=slow tries every law with 1,000 examples, else with 100."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("fast", max_examples=100, deadline=None, stateful_step_count=30, suppress_health_check=QUIET)
settings.register_profile("slow", max_examples=1000, deadline=None, stateful_step_count=60, suppress_health_check=QUIET)
settings.register_profile("mutants", max_examples=15, deadline=None, derandomize=True, stateful_step_count=25, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("LAWS", "fast"))


FORBIDDEN = r"needs root|refused here"
"""Why a test is skipped where the machine itself, such as a container without rights, forbids what it needs."""


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything must run, as with NO_SKIPS=1 in .ci/run, a skipped test fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("NO_SKIPS") and any(not re.search(FORBIDDEN, str(report.longrepr)) for report in skipped):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)
