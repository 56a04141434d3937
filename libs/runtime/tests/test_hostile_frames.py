"""Tests WebSocket peers that misbehave: the memory they can occupy is bounded, and other connections are unaffected."""

import asyncio
import struct
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest
from starlette.types import Receive, Scope, Send

from mlplace_runtime.process.http.limits import MOST_FRAGMENTS
from mlplace_testing.raw_sockets import BINARY, CLOSE, PING, PONG, TEXT, frame, serving
from mlplace_testing.waiting import eventually

_HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}\r\n"
)


@dataclass
class Echo:
    """`ended` has the close codes of connections."""

    ended: list[int] = field(default_factory=list)

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({**message, "type": "websocket.send"})
        self.ended.append(message["code"])


@pytest.fixture
def app() -> Echo:
    return Echo()


@pytest.fixture
async def port(app: Echo) -> AsyncGenerator[int]:
    async with serving(app) as served:
        yield served


class Peer:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def shake(cls, port: int, headers: str = "") -> "Peer":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_HANDSHAKE.format(headers).encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += await reader.readexactly(1)
        assert head.startswith(b"HTTP/1.1 101"), head
        assert b"permessage-deflate" not in head
        return cls(reader, writer)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def received(self) -> tuple[int, bytes]:
        first, size = await self.reader.readexactly(2)
        if size == 126:
            (size,) = struct.unpack("!H", await self.reader.readexactly(2))
        return first & 15, await self.reader.readexactly(size)

    async def close_code(self) -> int:
        opcode, payload = await self.received()
        assert opcode == CLOSE
        return int(struct.unpack("!H", payload[:2])[0])

    def leave(self) -> None:
        self.writer.transport.abort()


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "code"),
        [
            (frame(TEXT, b"x", masked=False), 1002),
            (frame(TEXT, b"x", reserved=4), 1002),
            (frame(TEXT, b"x", reserved=1), 1002),
            (frame(3, b"x"), 1002),
            (frame(0, b"x"), 1002),
            (frame(PING, b"x", fin=False), 1002),
            (frame(PING, bytes(126)), 1002),
            (frame(TEXT, b"\xff\xfe"), 1007),
            (frame(CLOSE, b"x"), 1002),
            (frame(CLOSE, b"\x03\xe8\xff"), 1007),
            (frame(BINARY, bytes(4 * 2**20 + 1))[:14], 1009),
            (frame(TEXT, b"a", fin=False) + frame(TEXT, b"b"), 1002),
        ],
    )
    async def test_a_protocol_violation_ends_only_its_connection(
        self, port: int, app: Echo, data: bytes, code: int
    ) -> None:
        bystander, hostile = await Peer.shake(port), await Peer.shake(port)
        await hostile.send(data)
        assert await hostile.close_code() == code
        await bystander.send(frame(TEXT, b"still here"))
        assert await bystander.received() == (TEXT, b"still here")
        hostile.leave()
        await eventually(lambda: _ended(app, 1))
        bystander.leave()

    async def test_compression_is_not_negotiated(self, port: int) -> None:
        """A compressed bomb is then just a frame with a reserved bit."""
        peer = await Peer.shake(port, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
        await peer.send(frame(BINARY, b"\x00" * 100, reserved=4))
        assert await peer.close_code() == 1002
        peer.leave()


class TestFragments:
    @pytest.mark.parametrize("payload", [b"", b"x"])
    async def test_too_many_fragments_end_the_connection(self, port: int, payload: bytes) -> None:
        """Empty fragments add no bytes to a message, but fill lists."""
        peer = await Peer.shake(port)
        await peer.send(frame(TEXT, b"x", fin=False) + frame(0, payload, fin=False) * MOST_FRAGMENTS)
        assert await peer.close_code() == 1009
        peer.leave()

    async def test_a_hundred_fragments_are_one_message(self, port: int) -> None:
        peer = await Peer.shake(port)
        await peer.send(frame(TEXT, b"x", fin=False) + frame(0, b"y", fin=False) * 90 + frame(0, b"z"))
        assert await peer.received() == (TEXT, b"x" + b"y" * 90 + b"z")
        peer.leave()


class TestFloods:
    @pytest.mark.parametrize(
        "flood", [frame(TEXT), frame(0, b"", fin=False), frame(PONG)], ids=["text", "part", "pong"]
    )
    async def test_a_flood_of_small_frames_does_not_block_the_loop(self, port: int, flood: bytes) -> None:
        """Counted in iterations of the loop, not in seconds."""
        number, turns = 4000, 0
        peer = await Peer.shake(port)
        begin = frame(TEXT, b"x", fin=False) if flood == frame(0, b"", fin=False) else b""
        ends = frame(0, b"y") if begin else frame(TEXT, b"xy")
        await peer.send(begin + flood * number + ends)
        heard = asyncio.create_task(_heard(peer, b"xy"))
        while not heard.done():
            await asyncio.sleep(0)
            turns += 1
        assert turns >= number // 32
        peer.leave()


async def _heard(peer: Peer, payload: bytes) -> None:
    while (await peer.received())[1] != payload:
        pass


class TestEnd:
    async def test_repeated_close_frames_end_the_connection_once(self, port: int, app: Echo) -> None:
        peer = await Peer.shake(port)
        await peer.send(frame(CLOSE, b"\x03\xe8") * 10_000)
        assert await peer.close_code() == 1000
        await eventually(lambda: _ended(app, 1))
        assert app.ended == [1000]
        peer.leave()


async def _ended(app: Echo, count: int) -> bool:
    return len(app.ended) >= count
