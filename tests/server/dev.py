"""`langgraph dev` in a copy of the repository, without a network where the system allows it, reached over a Unix socket."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient

from graph.engine.services import free_port

ROOT = Path(__file__).parent.parent.parent
ALONE = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
KEPT_OUT = ("DESK_", "OPENAI_", "REDIS_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "PYTEST_", "http_", "https_", "HTTP_", "HTTPS_", "ALL_", "all_")


def copied(folder: Path, config: Mapping[str, Any] | None = None) -> Path:
    """Copy what the repository holds into a folder, with changes to its langgraph.json."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    if config:
        served = json.loads((folder / "langgraph.json").read_text()) | config
        (folder / "langgraph.json").write_text(json.dumps(served))
    return folder


def is_alone() -> bool:
    """Whether a network namespace of one's own can be made."""
    return shutil.which("unshare") is not None and subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0


class Dev:
    """One running server."""

    def __init__(self, folder: Path, env: Mapping[str, str], *, alone: bool = True) -> None:
        self.socket, self.log = folder / "s", folder / "dev.log"
        self.socket.unlink(missing_ok=True)
        port = free_port()
        command = [
            sys.executable,
            str(Path(__file__).with_name("relay.py")),
            str(self.socket),
            str(port),
            "--",
            sys.executable,
            "-m",
            "langgraph_cli",
        ]
        command += ["dev", "--no-browser", "--no-reload", "--port", str(port), "--n-jobs-per-worker", "4"]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(KEPT_OUT)}
        clean |= {"PYTHONPATH": str(folder), "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_STRICT_MSGPACK": "true"}
        prefix = ALONE if alone and is_alone() else []
        # The server's own start-up sometimes ends in a race of its log handlers ('StreamHandler' object has no attribute 'lock').
        for _ in range(2):
            with self.log.open("ab") as log:
                self.process = subprocess.Popen([*prefix, *command], cwd=folder, env=clean | env, stdout=log, stderr=log, start_new_session=True)
            if self.answers():
                return
        raise AssertionError(f"the server did not start:\n{self.said[-3000:]}")

    def answers(self, seconds: float = 60) -> bool:
        """Wait until the server answers, or has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(self.socket))
                probe.sendall(b"GET /ok HTTP/1.0\r\n\r\n")
                if b" 200 " in probe.recv(64):
                    return True
            time.sleep(0.2)
        return False

    def http(self) -> httpx.Client:
        """Return a plain client."""
        return httpx.Client(base_url="http://desk", transport=httpx.HTTPTransport(uds=str(self.socket)), timeout=60)

    def sdk(self) -> LangGraphClient:
        """Return the SDK's client."""
        return LangGraphClient(httpx.AsyncClient(base_url="http://desk", transport=httpx.AsyncHTTPTransport(uds=str(self.socket)), timeout=120))

    @property
    def said(self) -> str:
        """Everything that the server logged."""
        return self.log.read_text("utf-8", "replace")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server and everything that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


@contextlib.contextmanager
def dev(folder: Path, *, alone: bool = True, **env: str) -> Iterator[Dev]:
    """Serve a folder; nothing in its log may speak of blocking calls or of types that a checkpoint must not hold."""
    server = Dev(folder, env, alone=alone)
    try:
        yield server
    finally:
        server.stop()
    for word in ("Blocking call", "BlockingError", "unregistered type"):
        assert word not in server.said, server.said[-4000:]
