"""`langgraph dev`, to compare the engine with."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from graph.engine.services import Service, answers, free_port


@contextmanager
def dev_server(home: Path, config: Path, env: Mapping[str, str]) -> Iterator[str]:
    """Serve a langgraph.json with `langgraph dev` from a folder of run data, where it leaves its state; give its URL."""
    pytest.importorskip("langgraph_cli")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    words = ["-m", "langgraph_cli", "dev", "--config", str(config), "--port", str(port), "--no-browser", "--no-reload"]
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "PYTHONPATH": os.getcwd()}
    dev = Service(
        name="dev", command=[sys.executable, *words], ready=lambda: answers(f"{url}/ok"), log=home / "dev.log", env={**env, **quiet}, cwd=home
    )
    dev.start()
    try:
        yield url
    finally:
        dev.stop()
