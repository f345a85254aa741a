"""The desk on the distributed engine, on one machine and from packages alone: PostgreSQL, Valkey and engine instances.

Servers that already run are used instead where `DATABASE_URL` or `REDIS_URL` names them.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from dotenv import dotenv_values

from contracts import SettingsError
from graph.engine.services import Service, answers, engine, free_port, postgres, valkey

DEFAULTS = {
    "REDIS_BROKER_ENABLED": "true",
    "DESK_SHARED": "true",
    "AEGRA_CHECKPOINT_DURABILITY": "sync",
    "LEASE_DURATION_SECONDS": "30",
    "HEARTBEAT_INTERVAL_SECONDS": "5",
    "REAPER_INTERVAL_SECONDS": "5",
    "STUCK_PENDING_THRESHOLD_SECONDS": "30",
    # Connections that died with a restarted database are noticed one by one, each after twice the wait of the one before; a pool
    # of three is whole again after three seconds, one of six fails every run. The checkpointer uses one at a time anyway.
    "LANGGRAPH_MIN_POOL_SIZE": "1",
    "LANGGRAPH_MAX_POOL_SIZE": "3",
    "WORKER_COUNT": "2",
    "N_JOBS_PER_WORKER": "10",
    "OTEL_SDK_DISABLED": "true",
}
"""What an instance runs with unless the environment or `.env` says otherwise; the README's production section explains each."""


class Stack:
    """PostgreSQL, Valkey and engine instances, started in order and stopped in reverse."""

    def __init__(self, home: Path, config: Path, *, instances: int = 2, port: int = 2026, env: Mapping[str, str] | None = None) -> None:
        """Plan the services.

        Args:
            home: Where data and logs go.
            config: The langgraph.json to serve.
            instances: How many engine processes share the queue.
            port: Port of the first instance, the others follow; 0 picks free ones.
            env: Settings over the environment's, over those of `.env`, over `DEFAULTS`.
        """
        home.mkdir(parents=True, exist_ok=True)
        found = {**DEFAULTS, **dotenv_values(".env"), **os.environ, **(env or {})}
        self.env = {name: value for name, value in found.items() if value}
        self.config = config
        self.stores: dict[str, Service] = {}
        if "DATABASE_URL" not in self.env:
            self.stores["postgres"], self.env["DATABASE_URL"] = postgres(home, free_port())
        if "REDIS_URL" not in self.env:
            self.stores["valkey"], self.env["REDIS_URL"] = valkey(home, free_port())
        ports = [port + index if port else free_port() for index in range(instances)]
        self.engines = [engine(f"engine-{index}", home, config, number, self.env) for index, number in enumerate(ports)]
        self.urls = [f"http://127.0.0.1:{number}" for number in ports]

    @property
    def services(self) -> list[Service]:
        """All services, in the order of their start."""
        return [*self.stores.values(), *self.engines]

    def start(self) -> Self:
        """Start everything; the first instance alone, because it makes the tables.

        Raises:
            SettingsError: A service did not start, or the engine serves strangers although auth is configured.
        """
        try:
            for service in self.services:
                service.start()
            # The engine goes on without auth when it cannot load the file that langgraph.json names, and logs only a warning.
            if "auth" in json.loads(self.config.read_text()) and any(answers(f"{url}/threads") for url in self.urls):
                raise SettingsError(
                    f"{self.config} names an auth file that the engine could not load, so it serves everybody: see {self.engines[0].log}"
                )
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

    def watch(self) -> None:
        """Start again whatever ends, until interrupted."""
        while True:
            for service in self.services:
                if service.process is not None and service.process.poll() is not None:
                    say(f"{service.name} ended with code {service.process.returncode} and is started again")
                    service.start()
            time.sleep(1)

    def __enter__(self) -> Self:
        """Start on entry."""
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop on exit, whatever happened."""
        self.stop()


def say(line: str) -> None:
    """Tell the person at the terminal."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Serve until interrupted."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    env = {**dotenv_values(".env"), **os.environ}
    home, config = Path(env.get("DESK_HOME") or ".desk") / "engine", Path(env.get("AEGRA_CONFIG") or "langgraph.json")
    try:
        stack = Stack(home, config, instances=int(env.get("DESK_INSTANCES") or 2), port=int(env.get("DESK_PORT") or 2026))
        say("starting, about ten seconds")
        with stack:
            for service, url in zip(stack.engines, stack.urls, strict=True):
                say(f"{service.name}  {url}  process {service.process.pid if service.process else ''}")
            say(f"logs in {home}; Ctrl-C stops everything")
            stack.watch()
    except KeyboardInterrupt:
        say("stopped")
    except SettingsError as error:
        say(f"cannot serve: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
