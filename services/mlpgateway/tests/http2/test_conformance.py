"""What RFC 9113 demands of a server, as far as a server of gRPC meets it: frames, streams, and the fields of requests.

The cases follow the sections of RFC 9113, and of RFC 7541 for compressed fields.
"""

import pytest
from hpack import Decoder

from mlpgateway.http2 import frames, headers
from mlpgateway.http2.frames import Code, frame, settings, window_update

FIELDS = (
    (":method", "POST"),
    (":scheme", "http"),
    (":path", "/test.Test/echo"),
    (":authority", "x"),
    ("content-type", "application/grpc"),
    ("te", "trailers"),
)
BLOCK = headers.encoded(FIELDS)
OPEN = frame(frames.HEADERS, frames.END_HEADERS, 1, BLOCK)
HALF_CLOSED = OPEN + frame(frames.DATA, frames.END_STREAM, 1, frames.prefix(4) + b"wait")
PRIORITY_BYTES = b"\0\0\0\0\x10"
UNKNOWN_KIND = 0x16


def request(*fields: tuple[str, str], flags: int = frames.END_HEADERS, number: int = 1) -> bytes:
    return frame(frames.HEADERS, flags, number, headers.encoded(fields))


def setting(name: int, value: int) -> bytes:
    return settings({name: value})


def without(name: str) -> tuple[tuple[str, str], ...]:
    return tuple(field for field in FIELDS if field[0] != name)


def with_(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """The fields with another value; at the end if they have no such name."""
    changed = tuple((each, value if each == name else old) for each, old in FIELDS)
    return changed if changed != FIELDS else (*FIELDS, (name, value))


OF_CONNECTIONS = {
    # 4.2
    "frame larger than allowed": (frames.head(frames.DATA, 0, 1, 16_385), Code.FRAME_SIZE_ERROR),
    "large frame of an unknown kind": (frames.head(UNKNOWN_KIND, 0, 0, 16_385), Code.FRAME_SIZE_ERROR),
    # 4.3, 6.10
    "fields that cannot be decompressed": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x80"), Code.COMPRESSION_ERROR),
    "PING within a header block": (
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.PING, 0, 0, b"12345678"), Code.PROTOCOL_ERROR,
    ),
    "unknown frame within a header block": (
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(UNKNOWN_KIND, 0, 0), Code.PROTOCOL_ERROR,
    ),
    "HEADERS within a header block": (
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.HEADERS, frames.END_HEADERS, 3, BLOCK), Code.PROTOCOL_ERROR,
    ),
    "CONTINUATION of another stream": (
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.CONTINUATION, frames.END_HEADERS, 3), Code.PROTOCOL_ERROR,
    ),
    "CONTINUATION behind the end": (OPEN + frame(frames.CONTINUATION, frames.END_HEADERS, 1), Code.PROTOCOL_ERROR),
    "CONTINUATION on no stream": (frame(frames.CONTINUATION, frames.END_HEADERS, 0), Code.PROTOCOL_ERROR),
    # 5.1
    "DATA on an idle stream": (frame(frames.DATA, 0, 1, b"x"), Code.PROTOCOL_ERROR),
    "RST_STREAM on an idle stream": (frames.reset(1, Code.CANCEL), Code.PROTOCOL_ERROR),
    "WINDOW_UPDATE on an idle stream": (window_update(1, 1), Code.PROTOCOL_ERROR),
    # 5.1.1
    "even stream id": (frame(frames.HEADERS, frames.END_HEADERS, 2, BLOCK), Code.PROTOCOL_ERROR),
    # 6.1, 6.2
    "DATA on no stream": (frame(frames.DATA, 0, 0, b"x"), Code.PROTOCOL_ERROR),
    "DATA with more padding than content": (OPEN + frame(frames.DATA, frames.PADDED, 1, b"\x05abc"), Code.PROTOCOL_ERROR),
    "padded DATA without a length": (OPEN + frame(frames.DATA, frames.PADDED, 1), Code.PROTOCOL_ERROR),
    "HEADERS on no stream": (frame(frames.HEADERS, frames.END_HEADERS, 0, BLOCK), Code.PROTOCOL_ERROR),
    "HEADERS with more padding than content": (
        frame(frames.HEADERS, frames.END_HEADERS | frames.PADDED, 1, b"\xff" + BLOCK), Code.PROTOCOL_ERROR,
    ),
    "HEADERS shorter than their priority": (
        frame(frames.HEADERS, frames.END_HEADERS | frames.WITH_PRIORITY, 1, b"\0\0"), Code.FRAME_SIZE_ERROR,
    ),
    # 6.3
    "PRIORITY on no stream": (frame(frames.PRIORITY, 0, 0, PRIORITY_BYTES), Code.PROTOCOL_ERROR),
    "PRIORITY of a wrong length on an idle stream": (frame(frames.PRIORITY, 0, 1, b"\0"), Code.FRAME_SIZE_ERROR),
    # 6.4
    "RST_STREAM on no stream": (frames.reset(0, Code.CANCEL), Code.PROTOCOL_ERROR),
    "RST_STREAM of a wrong length": (OPEN + frame(frames.RST_STREAM, 0, 1, b"\0\0\0"), Code.FRAME_SIZE_ERROR),
    # 6.5
    "SETTINGS on a stream": (frame(frames.SETTINGS, 0, 1), Code.PROTOCOL_ERROR),
    "SETTINGS of a wrong length": (frame(frames.SETTINGS, 0, 0, b"\0\x04\0"), Code.FRAME_SIZE_ERROR),
    "acknowledgement with settings": (frame(frames.SETTINGS, frames.ACK, 0, b"\0" * 6), Code.FRAME_SIZE_ERROR),
    "push neither on nor off": (setting(frames.SETTING_PUSH, 2), Code.PROTOCOL_ERROR),
    "window above the largest": (setting(frames.SETTING_WINDOW, 2**31), Code.FLOW_CONTROL_ERROR),
    "frame size below the smallest": (setting(frames.SETTING_MAX_FRAME, 2**14 - 1), Code.PROTOCOL_ERROR),
    "frame size above the largest": (setting(frames.SETTING_MAX_FRAME, 2**24), Code.PROTOCOL_ERROR),
    # 6.6
    "PUSH_PROMISE": (OPEN + frame(frames.PUSH_PROMISE, frames.END_HEADERS, 1, b"\0\0\0\2" + BLOCK), Code.PROTOCOL_ERROR),
    # 6.7
    "PING on a stream": (frame(frames.PING, 0, 1, b"12345678"), Code.PROTOCOL_ERROR),
    "PING of a wrong length": (frame(frames.PING, 0, 0, b"1234567"), Code.FRAME_SIZE_ERROR),
    # 6.8
    "GOAWAY on a stream": (frame(frames.GOAWAY, 0, 1, b"\0" * 8), Code.PROTOCOL_ERROR),
    "GOAWAY of a wrong length": (frame(frames.GOAWAY, 0, 0, b"\0" * 7), Code.FRAME_SIZE_ERROR),
    # 6.9
    "WINDOW_UPDATE of a wrong length": (frame(frames.WINDOW_UPDATE, 0, 0, b"\0\0\1"), Code.FRAME_SIZE_ERROR),
    "WINDOW_UPDATE by nothing": (window_update(0, 0), Code.PROTOCOL_ERROR),
    "WINDOW_UPDATE by nothing on a stream": (OPEN + window_update(1, 0), Code.PROTOCOL_ERROR),
    "window beyond the largest": (window_update(0, 2**31 - 1), Code.FLOW_CONTROL_ERROR),
    "windows of streams beyond the largest": (
        OPEN + window_update(1, 2**30) + setting(frames.SETTING_WINDOW, 2**31 - 1), Code.FLOW_CONTROL_ERROR,
    ),
    # RFC 7541, 2.3.3, 4.2, 5.2, 6.1, 6.3
    "index beyond the table": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\xfe"), Code.COMPRESSION_ERROR),
    "index of zero": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x80"), Code.COMPRESSION_ERROR),
    "size of the table behind a field": (frame(frames.HEADERS, frames.END_HEADERS, 1, BLOCK + b"\x20"), Code.COMPRESSION_ERROR),
    "size of the table above the limit": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x3f\xff\xff\x03" + BLOCK), Code.COMPRESSION_ERROR),
    "code of the end within a text": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x00\x84\xff\xff\xff\xff\x01x"), Code.COMPRESSION_ERROR),
    "text padded with zeros": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x00\x81\x00\x01x"), Code.COMPRESSION_ERROR),
    "text longer than its block": (frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x00\x7f\xff\x01x"), Code.COMPRESSION_ERROR),
}  # fmt: skip

OF_FIELDS = {
    # 8.2.1
    "name in upper case": (*FIELDS, ("X-Y", "z")),
    "blank in a name": (*FIELDS, ("x y", "z")),
    "null in a name": (*FIELDS, ("x\0", "z")),
    "letter beyond ASCII in a name": (*FIELDS, ("x\xe9", "z")),
    "colon in a name": (*FIELDS, ("x:y", "z")),
    "empty name": (*FIELDS, ("", "z")),
    "line feed in a value": (*FIELDS, ("x", "y\nz: a")),
    "carriage return in a value": (*FIELDS, ("x", "y\rz")),
    "null in a value": (*FIELDS, ("x", "y\0z")),
    "line end in a path": with_(":path", "/test.Test/echo HTTP/1.1\r\nX: y"),
    # 8.2.2
    "Connection": with_("connection", "keep-alive"),
    "Proxy-Connection": with_("proxy-connection", "keep-alive"),
    "Keep-Alive": with_("keep-alive", "timeout=5"),
    "Transfer-Encoding": with_("transfer-encoding", "chunked"),
    "Upgrade": with_("upgrade", "websocket"),
    "TE other than trailers": with_("te", "trailers, deflate"),
    # 8.3
    "unknown pseudo-header field": ((":test", "x"), *FIELDS),
    "pseudo-header field of an answer": ((":status", "200"), *FIELDS),
    "pseudo-header field behind a field": (*without(":path"), (":path", "/test.Test/echo")),
    "method twice": ((":method", "POST"), *FIELDS),
    "scheme twice": ((":scheme", "http"), *FIELDS),
    "path twice": ((":path", "/test.Test/note"), *FIELDS),
    "authority twice": ((":authority", "y"), *FIELDS),
    # 8.3.1
    "no method": without(":method"),
    "no scheme": without(":scheme"),
    "no path": without(":path"),
    "empty path": with_(":path", ""),
    # 8.1.1
    "length with a sign": with_("content-length", "+5"),
    "length of a hundred digits": with_("content-length", "9" * 100),
    "length of five thousand digits": with_("content-length", "9" * 5_000),
    "two lengths": (*FIELDS, ("content-length", "5"), ("content-length", "6")),
}

OF_STREAMS = {
    # 5.1
    "DATA behind the end": (HALF_CLOSED + frame(frames.DATA, 0, 1, b"x"), Code.STREAM_CLOSED),
    "HEADERS behind the end": (HALF_CLOSED + OPEN, Code.STREAM_CLOSED),
    # 6.3
    "PRIORITY of a wrong length": (OPEN + frame(frames.PRIORITY, 0, 1, b"\0"), Code.FRAME_SIZE_ERROR),
    # 6.9.1
    "window beyond the largest": (OPEN + window_update(1, 2**31 - 1), Code.FLOW_CONTROL_ERROR),
    # 8.1
    "second HEADERS that do not end": (OPEN + request(("x", "y")), Code.PROTOCOL_ERROR),
    "pseudo-header field in trailers": (
        OPEN + request((":path", "/"), flags=frames.END_HEADERS | frames.END_STREAM), Code.PROTOCOL_ERROR,
    ),
    "name in upper case in trailers": (
        OPEN + request(("X", "y"), flags=frames.END_HEADERS | frames.END_STREAM), Code.PROTOCOL_ERROR,
    ),
    # 8.1.1
    "less DATA than the length": (
        request(*with_("content-length", "7")) + frame(frames.DATA, frames.END_STREAM, 1, frames.prefix(1) + b"x"),
        Code.PROTOCOL_ERROR,
    ),
    "more DATA than the length": (
        request(*with_("content-length", "5")) + frame(frames.DATA, 0, 1, frames.prefix(1) + b"x"),
        Code.PROTOCOL_ERROR,
    ),
    "more DATA than the length, in two frames": (
        request(*with_("content-length", "6"))
        + frame(frames.DATA, 0, 1, frames.prefix(1) + b"x")
        + frame(frames.DATA, 0, 1, frames.prefix(1) + b"x"),
        Code.PROTOCOL_ERROR,
    ),
    "no DATA despite a length": (
        request(*with_("content-length", "5"), flags=frames.END_HEADERS | frames.END_STREAM), Code.PROTOCOL_ERROR,
    ),
    "trailers before the length is reached": (
        request(*with_("content-length", "6")) + request(("x", "y"), flags=frames.END_HEADERS | frames.END_STREAM),
        Code.PROTOCOL_ERROR,
    ),
}  # fmt: skip

ALLOWED = {
    "unknown frame": frame(UNKNOWN_KIND, 0xFF, 0, b"anything"),
    "unknown flags of PING": frame(frames.PING, 0x16, 0, b"12345678"),
    "the reserved bit of a stream id": frame(frames.PING, 0, 1 << 31, b"12345678"),
    "acknowledgement of a PING that nobody sent": frame(frames.PING, frames.ACK, 0, b"12345678"),
    "unknown setting": setting(0xFF, 1),
    "push on": setting(frames.SETTING_PUSH, 1),
    "smallest frame size": setting(frames.SETTING_MAX_FRAME, 2**14),
    "largest frame size": setting(frames.SETTING_MAX_FRAME, 2**24 - 1),
    "one setting twice": setting(frames.SETTING_WINDOW, 100) + setting(frames.SETTING_WINDOW, 65_535),
    "PRIORITY on an idle stream": frame(frames.PRIORITY, 0, 5, PRIORITY_BYTES),
    "dependency on itself": frame(frames.PRIORITY, 0, 5, b"\0\0\0\5\x10"),
    "empty CONTINUATION": frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.CONTINUATION, frames.END_HEADERS, 1),
    "HEADERS with priority and padding": frame(
        frames.HEADERS,
        frames.END_HEADERS | frames.PADDED | frames.WITH_PRIORITY, 1, b"\x02" + PRIORITY_BYTES + BLOCK + b"\0\0",
    ),
    "frames of a stream that was reset": OPEN + frames.reset(1, Code.CANCEL) + frame(frames.DATA, 0, 1, b"x")
    + window_update(1, 1) + frame(frames.PRIORITY, 0, 1, PRIORITY_BYTES),
    "GOAWAY": frame(frames.GOAWAY, 0, 0, b"\0" * 8 + b"bye"),
    "length that fits": request(*with_("content-length", "5"))
    + frame(frames.DATA, 0, 1, frames.prefix(0)) + frame(frames.DATA, frames.END_STREAM, 1),
    "trailers": OPEN + frame(frames.DATA, 0, 1, frames.prefix(0))
    + request(("x", "y"), flags=frames.END_HEADERS | frames.END_STREAM),
    "size of the table first": frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x20" + BLOCK),
    "fields in every order": request(*FIELDS[:4], *reversed(FIELDS[4:])),
}  # fmt: skip


async def echoes(peer) -> bool:
    """Whether the connection still serves calls."""
    peer.write(request(*FIELDS, number=101))
    peer.message(101, b"still there", ended=True)
    _, content = await peer.until(frames.DATA, 101)
    return content[frames.PREFIX_BYTES :] == b"still there" and await peer.status(101) == 0


@pytest.mark.parametrize(("sent", "code"), OF_CONNECTIONS.values(), ids=OF_CONNECTIONS)
async def test_violation_ends_the_connection(served, peers, sent, code):
    async with peers.Peer(served.port) as peer:
        peer.greet()
        peer.write(sent)
        assert await peer.goaway() is code


@pytest.mark.parametrize("first", [frame(frames.SETTINGS, frames.ACK, 0), OPEN, frame(frames.GOAWAY, 0, 0, b"\0" * 8)])
async def test_settings_come_first(served, peers, first):
    async with peers.Peer(served.port) as peer:
        peer.write(frames.PREFACE + first)
        assert await peer.goaway() is Code.PROTOCOL_ERROR


@pytest.mark.parametrize("fields", OF_FIELDS.values(), ids=OF_FIELDS)
async def test_malformed_request_is_reset_and_no_call_begins(served, peers, fields):
    async with peers.Peer(served.port) as peer:
        peer.greet()
        for number in (1, 3):  # the same fields again: the server may remember them
            peer.write(request(*fields, number=number))
            _, content = await peer.until(frames.RST_STREAM, number)
            assert int.from_bytes(content) == Code.PROTOCOL_ERROR
        assert served.server.connections[0].calls == 0
        assert await echoes(peer)


@pytest.mark.parametrize(("sent", "code"), OF_STREAMS.values(), ids=OF_STREAMS)
async def test_violation_on_a_stream_resets_it_alone(served, peers, sent, code):
    async with peers.Peer(served.port) as peer:
        peer.greet()
        peer.write(sent)
        _, content = await peer.until(frames.RST_STREAM, 1)
        assert int.from_bytes(content) == code
        assert await echoes(peer)


@pytest.mark.parametrize("flags", [0, frames.END_STREAM], ids=["more comes", "end"])
async def test_streams_with_a_wrong_length_use_up_no_window(served, peers, flags):
    async with peers.Peer(served.port) as peer:
        peer.greet()
        for number in range(1, 41, 2):  # five times the connection's window
            peer.write(request(*with_("content-length", "5"), number=number))
            peer.write(frame(frames.DATA, flags, number, b"x" * 16_000))
            _, content = await peer.until(frames.RST_STREAM, number)
            assert int.from_bytes(content) == Code.PROTOCOL_ERROR
        assert await echoes(peer)


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        (with_(":method", "GET"), [(b":status", b"405"), (b"allow", b"POST")]),
        (with_("content-type", "application/json"), [(b":status", b"415")]),
    ],
    ids=["another method", "no gRPC"],
)
async def test_what_is_no_call_gets_an_answer_of_http(served, peers, fields, answer):
    async with peers.Peer(served.port) as peer:
        peer.greet()
        peer.write(request(*fields))
        flags, content = await peer.until(frames.HEADERS, 1)
        assert flags == frames.END_HEADERS | frames.END_STREAM
        assert [(bytes(name), bytes(value)) for name, value in Decoder().decode(content, raw=True)] == answer
        assert await echoes(peer)


@pytest.mark.parametrize("sent", ALLOWED.values(), ids=ALLOWED)
async def test_what_is_allowed_changes_nothing(served, peers, sent):
    async with peers.Peer(served.port) as peer:
        peer.greet()
        peer.write(sent)
        assert await echoes(peer)


def test_white_space_around_a_value_is_no_part_of_it():
    fields = (
        *FIELDS[:4], ("content-type", "\tapplication/grpc "), ("te", " trailers"), ("grpc-timeout", " 2S\t"),
        ("grpc-encoding", "gzip "), ("content-length", " 5"), ("x", " y z\t"), ("x-bin", " eA== "),
    )  # fmt: skip
    known = headers.HeaderReader().read(headers.encoded(fields))
    assert (known.malformed, known.refusal, known.timeout, known.encoding, known.length) == (False, 0, 2, "gzip", 5)
    assert dict(known.metadata)["x"] == "y z"
    assert dict(known.metadata)["x-bin"] == b"x"
