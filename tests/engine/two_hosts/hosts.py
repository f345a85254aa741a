"""Hosts made of network namespaces: one holds the stores and the client, the others an engine instance each, with a disk of their own."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graph.engine.services import Service

# Hides the other hosts' folders, keeps the host's own, and makes every other disk read-only: what is shared is code alone.
OWN_DISK = """
set -e
hostname "$1"; home="$2"; shift 2
mount --make-rprivate /
mkdir -p "$home/own-$(hostname)"; exec 9<"$home/own-$(hostname)"
mount -t tmpfs tmpfs "$home"; mkdir "$home/own"; mount --bind /proc/self/fd/9 "$home/own"; exec 9<&-
mount -o remount,bind,ro /
exec "$@"
"""


def missing() -> str:
    """Say why hosts cannot be made here, or nothing."""
    if os.name != "posix" or os.geteuid() != 0:
        return "needs root for network namespaces"
    if lacking := [tool for tool in ("ip", "unshare", "mount", "hostname") if not shutil.which(tool)]:
        return f"needs {', '.join(lacking)} (iproute2 and util-linux)"
    probe = subprocess.run(["unshare", "--net", "--mount", "--uts", "ip", "link", "set", "lo", "up"], check=False, capture_output=True, text=True)
    return f"namespaces are refused here: {probe.stderr.strip()}" if probe.returncode else ""


@dataclass(frozen=True)
class Host:
    """One host: its namespace, its address, and the stores' address as seen from it."""

    name: str
    space: str
    address: str
    stores: str

    def planned(self, service: Service, home: Path) -> Service:
        """Move a planned service onto this host, with a mount namespace and a disk of its own."""
        service.command = [*self.shell(home), *service.command]
        service.env = {**service.env, "DESK_HOME": str(home / "own"), "DESK_WORK": str(home / "own" / "work.jsonl")}
        return service

    def shell(self, home: Path) -> list[str]:
        """Return the words that run a command on this host."""
        return ["ip", "netns", "exec", self.space, "unshare", "--mount", "--uts", "sh", "-c", OWN_DISK, "sh", self.name, str(home)]


@dataclass(frozen=True)
class Network:
    """A star: every host has a cable to the stores and none to another host."""

    space: str
    hosts: tuple[Host, ...]

    def cut(self, host: Host) -> None:
        """Pull a host's cable: packets vanish, connections stay open and silent."""
        _ip("-n", self.space, "link", "set", f"to-{host.name}", "down")

    def heal(self, host: Host) -> None:
        """Plug it in again."""
        _ip("-n", self.space, "link", "set", f"to-{host.name}", "up")


@contextmanager
def network(names: Sequence[str]) -> Iterator[Network]:
    """Make the hosts and stand in the stores' namespace, with everything that is started here, until the end."""
    prefix = f"desk{os.getpid()}"
    hosts = tuple(Host(name, f"{prefix}-{name}", f"10.87.{index}.2", f"10.87.{index}.1") for index, name in enumerate(names, 1))
    here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        for space in (prefix, *(host.space for host in hosts)):
            _ip("netns", "add", space)
            _ip("-n", space, "link", "set", "lo", "up")
        for host in hosts:
            _ip("-n", prefix, "link", "add", f"to-{host.name}", "type", "veth", "peer", "name", "eth0", "netns", host.space)
            for space, link, address in ((prefix, f"to-{host.name}", host.stores), (host.space, "eth0", host.address)):
                _ip("-n", space, "address", "add", f"{address}/30", "dev", link)
                _ip("-n", space, "link", "set", link, "up")
        there = os.open(f"/run/netns/{prefix}", os.O_RDONLY)
        os.setns(there, os.CLONE_NEWNET)
        os.close(there)
        yield Network(prefix, hosts)
    finally:
        os.setns(here, os.CLONE_NEWNET)
        os.close(here)
        for space in (prefix, *(host.space for host in hosts)):
            subprocess.run(["ip", "netns", "delete", space], check=False, capture_output=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
