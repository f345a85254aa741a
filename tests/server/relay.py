"""Run a server and pass a Unix socket on to its port, so that it can be reached in a network namespace of its own.

python relay.py SOCKET PORT -- COMMAND...
"""

import asyncio
import contextlib
import signal
import sys


async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()


async def main(path: str, port: int, command: list[str]) -> int:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, up_writer), pump(up_reader, writer))

    # The whole group gets the interrupt: the server ends on it, and this process with the server.
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: None)
    async with await asyncio.start_unix_server(serve, path):
        server = await asyncio.create_subprocess_exec(*command)
        return await server.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[4:])))
