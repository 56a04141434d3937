"""The instance's side of the gate protocol on bare HTTP/2 frames, so that one process can run thousands of instances.

It implements only what one stream on each connection needs of RFC 9113: settings, pings, windows and data. Header
fields are sent as literals and never read.
"""

import asyncio
import itertools
import struct
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import MAX_BUNDLED

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_ACK, _END_HEADERS = 1, 4
_INITIAL_WINDOW = 4
_STREAM = 1
_MOST_WINDOW = 2**31 - 1
_DEFAULT_WINDOW = 65_535
_MOST_FRAME = 16_384
_KNOWN_SECONDS = 60.0
_GOLDEN = 0.618033988749895
_NUMBERS = itertools.count()
_FIELDS = {
    ":method": "POST",
    ":scheme": "http",
    ":path": "/com.mlp.gate.Gate/processAsync",
    ":authority": "gate",
    "content-type": "application/grpc",
    "te": "trailers",
}


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def _opening() -> bytes:
    settings = struct.pack(">HI", _INITIAL_WINDOW, _MOST_WINDOW)
    fields = b"".join(
        b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()
        for name, value in _FIELDS.items()
    )
    return (
        _PREFACE
        + _frame(_SETTINGS, 0, 0, settings)
        + _frame(_WINDOW, 0, 0, struct.pack(">I", _MOST_WINDOW - _DEFAULT_WINDOW))
        + _frame(_HEADERS, _END_HEADERS, _STREAM, fields)
    )


def _enveloped(message: bytes) -> bytes:
    """A message with its gRPC prefix."""
    return b"\x00" + struct.pack(">I", len(message)) + message


Heard = Callable[["GateWire", pb.GateToServiceProto], None]


class GateWire(asyncio.Protocol):
    """One instance at one gate. `heard` gets each message except heartbeats, which are answered at the gate's pace.

    The first heartbeat is sent after a fraction of the interval, so that instances that connect at once are out of
    phase.

    The windows that it opens are never renewed: two gigabytes are more than any figure sends over one connection.
    """

    def __init__(self, token: str, heard: Heard) -> None:
        self._heard = heard
        self._start = pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token, bundles=True))
        self._bundles = False
        self._answering: list[pb.ServiceToGateProto] | None = None
        self._buffer = bytearray()
        self._message = bytearray()
        self._waiting: deque[bytes | memoryview] = deque()
        self._credit = _DEFAULT_WINDOW
        self._stream_credit = _DEFAULT_WINDOW
        self._their_window = _DEFAULT_WINDOW
        self._beat: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self.serving: asyncio.Future[None] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(_opening())
        self.say(self._start)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if self._beat is not None:
            self._beat.cancel()
        if not self.serving.done():
            self.serving.set_exception(ConnectionError("the gate has ended the stream"))
        if not self.gone.done():
            self.gone.set_result(None)

    # ---- Out

    def say(self, *messages: pb.ServiceToGateProto) -> None:
        """Answers to one piece of the gate's data are sent together."""
        if self._answering is None:
            self._say(messages)
        else:
            self._answering += messages

    def _say(self, messages: Sequence[pb.ServiceToGateProto]) -> None:
        """Sent in bundles if the gate accepts them, like the SDK."""
        for at in range(0, len(messages), MAX_BUNDLED if self._bundles else 1):
            some = messages[at : at + MAX_BUNDLED] if self._bundles else messages[at : at + 1]
            one = some[0] if len(some) == 1 else pb.ServiceToGateProto(bundle=pb.BundleProto(messages=some))
            self._waiting.append(_enveloped(one.SerializeToString()))
        self._flush()

    def _flush(self) -> None:
        frames: list[bytes] = []
        while self._waiting and min(self._credit, self._stream_credit) > 0:
            size = min(self._credit, self._stream_credit, _MOST_FRAME)
            piece = b""
            while self._waiting and len(piece) < size:
                first, room = self._waiting.popleft(), size - len(piece)
                piece += first[:room]
                if len(first) > room:
                    self._waiting.appendleft(memoryview(first)[room:])
            self._credit -= len(piece)
            self._stream_credit -= len(piece)
            frames.append(_frame(_DATA, 0, _STREAM, piece))
        if frames:
            self._transport.write(b"".join(frames))

    def _beats(self, seconds: float) -> None:
        self.say(pb.ServiceToGateProto(heartBeat=pb.HeartBeatProto()))
        self._beat = self._loop.call_later(seconds, self._beats, seconds)

    # ---- In

    def data_received(self, data: bytes) -> None:
        self._answering = []
        try:
            self._frames(data)
        finally:
            said, self._answering = self._answering, None
            self._say(said)

    def _frames(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        at = 0
        while len(buffer) - at >= 9:
            size = int.from_bytes(buffer[at : at + 3])
            if len(buffer) - at < 9 + size:
                break
            self._frame(buffer[at + 3], buffer[at + 4], bytes(buffer[at + 5 : at + 9]), buffer[at + 9 : at + 9 + size])
            at += 9 + size
        del buffer[:at]

    def _frame(self, kind: int, flags: int, stream: bytes, payload: bytearray) -> None:
        if kind == _DATA:
            self._message += payload
            self._messages()
        elif kind == _WINDOW:
            self._widen(int.from_bytes(payload), whole=not any(stream))
        elif kind == _SETTINGS and not flags & _ACK:
            self._settings(payload)
        elif kind == _PING and not flags & _ACK:
            self._transport.write(_frame(_PING, _ACK, 0, bytes(payload)))
        elif kind in {_RESET, _GOAWAY}:
            self._transport.close()

    def _widen(self, added: int, *, whole: bool) -> None:
        if whole:
            self._credit += added
        else:
            self._stream_credit += added
        self._flush()

    def _settings(self, payload: bytearray) -> None:
        for at in range(0, len(payload), 6):
            name, value = struct.unpack_from(">HI", payload, at)
            if name == _INITIAL_WINDOW:
                self._stream_credit += value - self._their_window
                self._their_window = value
        self._transport.write(_frame(_SETTINGS, _ACK, 0))
        self._flush()

    def _messages(self) -> None:
        """The gate does not compress messages."""
        buffer = self._message
        while len(buffer) >= 5 and len(buffer) >= (end := 5 + int.from_bytes(buffer[1:5])):
            message = pb.GateToServiceProto.FromString(bytes(buffer[5:end]))
            del buffer[:end]
            self._take(message)

    def _refused(self, reason: str) -> None:
        if not self.serving.done():
            self.serving.set_exception(ConnectionError(reason))
        self._transport.close()

    def _take(self, message: pb.GateToServiceProto) -> None:
        match message.WhichOneof("body"):
            case "heartBeat":
                if self._beat is None:
                    seconds = message.heartBeat.interval / 1000
                    part = next(_NUMBERS) * _GOLDEN % 1
                    self._beat = self._loop.call_later(part * seconds, self._beats, seconds)
            case "bundle":
                for each in message.bundle.messages:
                    self._take(each)
            case "serviceInfo":
                self._bundles = message.serviceInfo.bundles
                if not self.serving.done():
                    self.serving.set_result(None)
            case "error":
                self._refused(str(message.error))
            case _:
                self._heard(self, message)


async def connected(port: int, token: str, heard: Heard) -> GateWire:
    """Retry until the gate knows the new token. Raises ConnectionError if it does not learn it in time."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _KNOWN_SECONDS
    while True:
        _, wire = await loop.create_connection(lambda: GateWire(token, heard), "127.0.0.1", port)
        try:
            await wire.serving
        except ConnectionError:
            if loop.time() > deadline:
                raise
            await asyncio.sleep(0.3)
        else:
            return wire
