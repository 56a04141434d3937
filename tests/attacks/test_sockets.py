"""WebSockets that are passed on to an instance: a caller or an instance floods, or violates the protocol."""

import asyncio
import base64
import contextlib
import hashlib
import struct
from collections.abc import AsyncGenerator, Iterable

import pytest

from tests.attacks.bystander import Bystander
from tests.attacks.conftest import OWN_NETWORK
from tests.attacks.installation import Target
from tests.attacks.people import People, Tenant, post
from tests.attacks.wire import Wire, connect, head

_SERVICE = "talkative"
_SOCKETS_OF_A_KIND = 4
_SECONDS = 4.0
_MIB = 1024 * 1024
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
_CONTINUATION, _TEXT, _CLOSE, _PING, _PONG = 0, 1, 8, 9, 10


def _frame(kind: int, payload: bytes = b"", *, last: bool = True, masked: bool = False, reserved: int = 0) -> bytes:
    """RFC 6455, section 5.2. A mask of zeros does not change the payload."""
    begin = bytes(((0x80 if last else 0) | reserved << 4 | kind, (0x80 if masked else 0) | len(payload)))
    return begin + (bytes(4) if masked else b"") + payload


_FLOODS = {
    "pings": [_frame(_PING)],
    "pongs": [_frame(_PONG)],
    "messages": [_frame(_TEXT)],
    "parts": [_frame(_TEXT, b"x", last=False), _frame(_CONTINUATION, last=False)],
}
"""Violations of the protocol; the last frame of each is repeated endlessly."""
_BROKEN = {
    "reserved": _frame(_TEXT, b"x", reserved=5),
    "compressed": _frame(_TEXT, b"x", reserved=4),
    "unknown": _frame(11),
    "unbegun": _frame(_CONTINUATION, b"x"),
    "parted": _frame(_PING, last=False),
    "endless": bytes((0x81, 127)) + b"\x7f" + b"\xff" * 7,
    "mistold": _frame(_CLOSE, b"x"),
    "garbled": _frame(_TEXT, b"\xff\xfe"),
}


def _masked(frame: bytes) -> bytes:
    """The frame with a mask, as a caller must send it. Longer length fields stay unchanged."""
    begin, rest = bytes((frame[0], frame[1] | 0x80)), frame[2:]
    extended = 8 if frame[1] == 127 else 0
    return begin + rest[:extended] + bytes(4) + rest[extended:]


class HostileInstance:
    """An HTTP instance whose health check succeeds. On a WebSocket it sends what the path names, or only reads."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            if "sec-websocket-key" not in headers:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            else:
                writer.write(_agreed(headers["sec-websocket-key"]))
                await self._say(lines[0].split()[1].strip("/"), reader, writer)
            await writer.drain()
        writer.close()

    async def _say(self, what: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listening = asyncio.create_task(_listen(reader))
        if what in _BROKEN:
            writer.write(_BROKEN[what])
        elif what in _FLOODS:
            await _pour(writer, _FLOODS[what])
        await listening


def _agreed(key: str) -> bytes:
    accept = base64.b64encode(hashlib.sha1(key.encode() + _GUID).digest()).decode()
    lines = ("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
    return "\r\n".join((*lines, f"Sec-WebSocket-Accept: {accept}", "", "")).encode()


async def _listen(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        while await reader.read(65536):
            pass


async def _pour(writer: asyncio.StreamWriter, frames: list[bytes]) -> None:
    """Write until the other side closes the connection."""
    *first, again = frames
    writer.write(b"".join(first))
    block = again * (65536 // len(again))
    while not writer.is_closing():
        writer.write(block)
        await writer.drain()


@pytest.fixture(scope="module")
async def talkative(target: Target, people: People, attacker: Tenant) -> AsyncGenerator[Tenant]:
    """A model of the attacker with the hostile instance."""
    hostile = HostileInstance()
    async with await asyncio.start_server(hostile.serve, OWN_NETWORK.partition("/")[0], 0) as server:
        host, port = server.sockets[0].getsockname()
        service = await people.service(attacker.user, _SERVICE)
        async with people.signed_in(attacker.user) as owner:
            path = f"{service.core}/model/{_SERVICE}"
            await post(owner, f"{path}/http", {"isHttpEnabled": True, "httpPort": 8080, "httpInterfaceOnly": True})
            await post(owner, f"{path}/external?httpHost={host}&httpPort={port}", None)
            async with asyncio.timeout(60):
                while (await owner.get(path)).json()["state"] != "RUNNING":  # noqa: ASYNC110  polls another process
                    await asyncio.sleep(0.1)
        yield service


async def _opened(target: Target, service: Tenant, path: str) -> Wire:
    """Raises AssertionError if the platform does not switch protocols."""
    wire = await connect(target.port)
    lines = (
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"MLP-API-KEY: {service.key}",
    )  # fmt: skip
    await wire.say(head("GET", f"{service.path}/http/{path}", *lines))
    heard = await wire.until(b"\r\n\r\n")
    assert heard.startswith(b"HTTP/1.1 101"), heard
    return wire


async def _flood(wire: Wire, frames: list[bytes]) -> None:
    *first, again = (_masked(frame) for frame in frames)
    await wire.say(b"".join(first))
    block = again * (65536 // len(again))
    while await wire.say(block):
        pass


@contextlib.asynccontextmanager
async def _all_open(target: Target, service: Tenant, paths: Iterable[str]) -> AsyncGenerator[list[Wire]]:
    wires = [await _opened(target, service, path) for path in paths for _ in range(_SOCKETS_OF_A_KIND)]
    try:
        yield wires
    finally:
        for wire in wires:
            wire.abort()
        await asyncio.sleep(0.1)  # let the event loop close them


async def _working(jobs: list["asyncio.Task[object]"]) -> None:
    await asyncio.sleep(_SECONDS)
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


class TestHostileCaller:
    async def test_caller_that_floods_an_instance_delays_nobody(
        self, target: Target, bystander: Bystander, talkative: Tenant
    ) -> None:
        before = target.resident_bytes
        async with _all_open(target, talkative, ["listen"] * len(_FLOODS)) as wires, bystander.undisturbed():
            kinds = [frames for frames in _FLOODS.values() for _ in range(_SOCKETS_OF_A_KIND)]
            pairs = zip(wires, kinds, strict=True)
            await _working([asyncio.create_task(_flood(wire, frames)) for wire, frames in pairs])
        assert target.resident_bytes - before <= 64 * _MIB

    @pytest.mark.parametrize("kind", _BROKEN)
    async def test_caller_that_violates_the_protocol_is_disconnected(
        self, target: Target, talkative: Tenant, kind: str
    ) -> None:
        wire = await _opened(target, talkative, "listen")
        await wire.say(_masked(_BROKEN[kind]))
        assert await wire.ended()
        wire.close()


class TestHostileInstance:
    async def test_instance_that_floods_a_caller_delays_nobody(
        self, target: Target, bystander: Bystander, talkative: Tenant
    ) -> None:
        """The callers read everything."""
        before = target.resident_bytes
        async with bystander.undisturbed(), _all_open(target, talkative, _FLOODS) as wires:
            await _working([asyncio.create_task(wire.heard(seconds=60)) for wire in wires])
        assert target.resident_bytes - before <= 64 * _MIB

    @pytest.mark.parametrize("kind", _BROKEN)
    async def test_instance_that_violates_the_protocol_ends_its_callers_socket(
        self, target: Target, talkative: Tenant, kind: str
    ) -> None:
        wire = await _opened(target, talkative, kind)
        begin, _size, code = struct.unpack("!BBH", await wire.part(4))
        assert begin == 0x80 | _CLOSE
        assert code in {1009, 1011}
        wire.close()
