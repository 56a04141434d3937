"""What a connection carries: requests in a row, Connection, Upgrade, Expect, large heads, codings and ranges."""

from typing import Final

from mlplace_testing.http_corpus.model import (
    HOST,
    KEPT_AT_THE_EDGE,
    PATH,
    REFUSED,
    SMUGGLED,
    SMUGGLED_TOO,
    Case,
    End,
    Outcome,
    Request,
    accepted,
    get,
    got,
    message,
    post,
    posted,
    request_line,
    served,
)

_ROW: Final = "RFC 9112, 9.3.2"
_ENDS: Final = "RFC 9112, 9.6"
_OPTION: Final = "RFC 9110, 7.6.1"
_UPGRADE: Final = "RFC 9110, 7.8"
_EXPECT: Final = "RFC 9110, 10.1.1"
_NO_BODY: Final = "RFC 9112, 6.3"
_SIZE: Final = "RFC 9110, 5.4"
_BOTH: Final = served(got(), SMUGGLED_TOO)
_CLOSED: Final = served(got(), end=End.CLOSES)
_SOCKET: Final = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
_VERSION: Final = "Sec-WebSocket-Version: 13"
_H2C: Final = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__")


def get_of(query: str) -> bytes:
    return request_line(f"GET {PATH}{query} HTTP/1.1")


_CLOSING: Final = {
    "close": ("Connection: close",),
    "close in upper case": ("Connection: CLOSE",),
    "close in a list": ("Connection: keep-alive, close",),
    "close before another option": ("Connection: close, x",),
    "close on a second line": ("Connection: x", "Connection: close"),
    "close on a first line": ("Connection: close", "Connection: x"),
}

_GOING_ON: Final = {
    "nothing": "Connection:",
    "keep-alive": "Connection: keep-alive",
    "another option": "Connection: x",
    "a word that begins like close": "Connection: closed",
    "Host": "Connection: Host",
    "an address of the caller": "Connection: X-Forwarded-For",
    "itself": "Connection: Connection",
}

_ACCEPTED: Final = {"a word that begins like close": accepted("options that contain close", edge=_CLOSED)}

CASES: Final = (
    Case("row: two requests", get() + SMUGGLED, _BOTH, _ROW),
    Case(
        "row: a body between",
        post("Content-Length: 5", body=b"hello") + SMUGGLED,
        served(posted(b"hello"), SMUGGLED_TOO),
        _ROW,
    ),
    Case("row: an empty line between", get() + b"\r\n" + SMUGGLED, _BOTH, "RFC 9112, 2.2"),
    Case(
        "row: an empty line behind a body",
        post("Content-Length: 5", body=b"hello\r\n") + SMUGGLED,
        served(posted(b"hello"), SMUGGLED_TOO),
        "RFC 9112, 2.2",
    ),
    Case("row: garbage between", get() + b"garbage\r\n\r\n" + SMUGGLED, served(got(), end=End.REFUSES), _ROW),
    Case(
        "row: one without Host",
        get() + message(f"GET {PATH} HTTP/1.1") + SMUGGLED,
        served(got(), end=End.REFUSES),
        "RFC 9112, 3.2",
    ),
    Case(
        "row: an answer without content",
        get_of("?status=204") + SMUGGLED,
        served(got(target=f"{PATH}?status=204"), SMUGGLED_TOO),
        _NO_BODY,
    ),
    Case(
        "row: an answer that nothing changed",
        get_of("?status=304") + SMUGGLED,
        served(got(target=f"{PATH}?status=304"), SMUGGLED_TOO),
        _NO_BODY,
    ),
    *(Case(f"connection: {name}", get(*lines) + SMUGGLED, _CLOSED, _ENDS) for name, lines in _CLOSING.items()),
    *(
        Case(f"connection: {name}", get(line), served(got()), _OPTION, _ACCEPTED.get(name))
        for name, line in _GOING_ON.items()
    ),
    Case(
        "connection: Content-Length",
        post("Connection: Content-Length", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        _OPTION,
    ),
    Case(
        "connection: Transfer-Encoding",
        post("Connection: Transfer-Encoding", "Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\n\r\n"),
        served(posted(b"hello")),
        _OPTION,
    ),
    Case(
        "connection: of a proxy",
        get("Proxy-Connection: close", "Keep-Alive: timeout=0, max=0") + SMUGGLED,
        _BOTH,
        "RFC 9112, C.2.2",
        accepted("Proxy-Connection", server=_CLOSED),
    ),
    Case("upgrade: to HTTP/2", get(*_H2C), served(got()), _UPGRADE),
    Case(
        "upgrade: to HTTP/2, with a body",
        post(*_H2C, "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        _UPGRADE,
    ),
    Case("upgrade: to the unknown", get("Connection: Upgrade", "Upgrade: x/1"), served(got()), _UPGRADE),
    Case("upgrade: to TLS", get("Connection: Upgrade", "Upgrade: TLS/1.0, HTTP/1.1"), served(got()), _UPGRADE),
    Case("upgrade: not named in Connection", get("Upgrade: websocket"), served(got()), _UPGRADE),
    Case(
        "upgrade: in HTTP/1.0",
        message(
            f"GET {PATH} HTTP/1.0",
            f"Host: {HOST}",
            *_SOCKET,
            _VERSION,
        )
        + SMUGGLED,
        _CLOSED,
        _UPGRADE,
    ),
    Case(
        "upgrade: a WebSocket without its key",
        get("Connection: Upgrade", "Upgrade: websocket", _VERSION) + SMUGGLED,
        REFUSED,
        "RFC 6455, 4.2.1",
        KEPT_AT_THE_EDGE,
    ),
    Case(
        "upgrade: a WebSocket of another version",
        get(*_SOCKET, "Sec-WebSocket-Version: 8") + SMUGGLED,
        REFUSED,
        "RFC 6455, 4.4",
        KEPT_AT_THE_EDGE,
    ),
    Case(
        "upgrade: a WebSocket behind a request without an answer",
        get() + get(*_SOCKET, _VERSION) + SMUGGLED,
        served(got(), end=End.REFUSES),
        _ROW,
        accepted("WebSockets behind requests", edge=Outcome((got(), SMUGGLED_TOO), End.DECLINES)),
    ),
    Case(
        "expect: 100-continue, with the body",
        post("Expect: 100-continue", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        _EXPECT,
    ),
    Case(
        "expect: 100-continue in upper case",
        post("Expect: 100-CONTINUE", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        _EXPECT,
    ),
    Case("expect: 100-continue without a body", get("Expect: 100-continue"), served(got()), _EXPECT),
    Case(
        "expect: 100-continue in HTTP/1.0",
        message(f"POST {PATH} HTTP/1.0", f"Host: {HOST}", "Expect: 100-continue", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello"), end=End.CLOSES),
        _EXPECT,
    ),
    Case(
        "expect: something else",
        post("Expect: x", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        _EXPECT,
    ),
    Case(
        "expect: something beside",
        post("Expect: 100-continue, x", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        _EXPECT,
    ),
    Case(
        "expect: obfuscated",
        post("Expect: y 100-continue", "Content-Length: 5", body=b"hello") + SMUGGLED,
        served(posted(b"hello"), SMUGGLED_TOO),
        _EXPECT,
    ),
    Case("size: too many fields", get(*(f"A{n}: b" for n in range(200))) + SMUGGLED, REFUSED, _SIZE, KEPT_AT_THE_EDGE),
    Case("size: a large value", get(f"A: {'x' * 17_000}") + SMUGGLED, REFUSED, _SIZE),
    Case("size: a long name", get(f"{'A' * 17_000}: x") + SMUGGLED, REFUSED, _SIZE),
    Case("size: a long target", request_line(f"GET {PATH}?{'x' * 17_000} HTTP/1.1") + SMUGGLED, REFUSED, "RFC 9112, 3"),
    Case("size: a long method", request_line(f"{'G' * 17_000} {PATH} HTTP/1.1") + SMUGGLED, REFUSED, "RFC 9112, 3"),
    Case("size: a hundred fields", get(*(f"A{n}: b" for n in range(100))), served(got()), _SIZE),
    Case(
        "content: a coding is not undone",
        post("Content-Encoding: gzip", "Content-Length: 5", body=b"hello"),
        served(posted(b"hello")),
        "RFC 9110, 8.4",
    ),
    Case(
        "content: a part of it",
        message(
            f"PUT {PATH} HTTP/1.1", f"Host: {HOST}", "Content-Range: bytes 0-4/9", "Content-Length: 5", body=b"hello"
        ),
        served(Request("PUT", PATH, b"hello")),
        "RFC 9110, 14.4",
    ),
    Case("content: a range of the answer", get("Range: bytes=0-0,-1"), served(got()), "RFC 9110, 14.2"),
)
