"""An HTTP server for large bodies: accepts any body, and returns N bytes at `/give/N`, without keeping them.

`python -m benchmarks.subjects.warehouse PORT`. Other paths answer with the number of received bytes.
"""

import asyncio
import sys

import uvloop

_PIECE = b"x" * 65_536
_GIVE = "/give/"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode("latin-1").split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
            taken = await _take(reader, fields)
            path = lines[0].split(" ")[1]
            given = int(path.removeprefix(_GIVE)) if path.startswith(_GIVE) else None
            answer = b"" if given is not None else str(taken).encode()
            length = given if given is not None else len(answer)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (length, answer))
            for sent in range(0, given or 0, len(_PIECE)):
                writer.write(_PIECE[: (given or 0) - sent])
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _take(reader: asyncio.StreamReader, fields: dict[str, str]) -> int:
    """Reads a body to its end."""
    if fields.get("transfer-encoding") == "chunked":
        taken = 0
        while size := int((await reader.readline()).strip(), 16):
            taken += await _drop(reader, size)
            await reader.readexactly(2)
        await reader.readexactly(2)
        return taken
    return await _drop(reader, int(fields.get("content-length", "0")))


async def _drop(reader: asyncio.StreamReader, size: int) -> int:
    left = size
    while left:
        piece = await reader.read(min(left, len(_PIECE)))
        if not piece:
            raise ConnectionResetError
        left -= len(piece)
    return size


async def main(port: int) -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
