"""Counts the words of a text, as a model and as a page for people.

The platform sets the address to listen on, checks `/health`, and passes requests on unchanged.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Text counter</title></head>
<body><h1>Text counter</h1>
<form action="count" method="post"><label>Text <textarea name="text" rows="6" cols="60"></textarea></label>
<button>Count</button></form></body></html>
"""
_MOST_TEXT = 1024 * 1024
_PIECE = 64 * 1024


class Handler(BaseHTTPRequestHandler):
    """One connection with consecutive requests."""

    protocol_version = "HTTP/1.1"
    server_version = "text-counter"
    disable_nagle_algorithm = True  # head and body are two writes; the second must not wait for the first one's ACK

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        match address.path:
            case "/":
                self._answer(HTTPStatus.OK, "text/html; charset=utf-8", _PAGE.encode())
            case "/health":
                self._answer(HTTPStatus.OK, "text/plain", b"well\n")
            case "/count":
                self._json(HTTPStatus.OK, counted(_text_of(address.query)))
            case _:
                self._missing()

    def do_POST(self) -> None:
        match urlsplit(self.path).path:
            case "/predict":
                self._predict()
            case "/count":
                self._json(HTTPStatus.OK, counted(_text_of(b"".join(self._body(_MOST_TEXT)).decode(errors="replace"))))
            case "/words":
                self._words()
            case "/size":
                self._json(HTTPStatus.OK, {"bytes": sum(map(len, self._body()))})
            case _:
                self._missing()

    def _predict(self) -> None:
        """The body is the data of the call, the answer its result."""
        body = b"".join(self._body(_MOST_TEXT))
        try:
            text = json.loads(body)["text"]
        except (ValueError, KeyError, TypeError):
            text = None
        if isinstance(text, str):
            self._json(HTTPStatus.OK, counted(text))
        else:
            problem = {"code": "text-counter.no_text", "message": 'send {"text": "..."}'}
            self._json(HTTPStatus.BAD_REQUEST, problem)

    def _words(self) -> None:
        """Sends each word of the body as a server-sent event as soon as it is read."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for word in b"".join(self._body(_MOST_TEXT)).decode(errors="replace").split():
            self._chunk(f"data: {json.dumps(word)}\n\n".encode())
        self._chunk(b"")

    def _body(self, most: int | None = None) -> Iterator[bytes]:
        """The request's body in pieces. Reads and drops what exceeds `most`."""
        seen = 0
        for piece in self._chunks() if "chunked" in self.headers.get("Transfer-Encoding", "") else self._measured():
            seen += len(piece)
            if most is None or seen <= most:
                yield piece

    def _measured(self) -> Iterator[bytes]:
        left = int(self.headers.get("Content-Length", "0"))
        while left and (piece := self.rfile.read(min(left, _PIECE))):
            left -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0] or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _json(self, status: HTTPStatus, value: object) -> None:
        self._answer(status, "application/json", json.dumps(value, ensure_ascii=False).encode())

    def _missing(self) -> None:
        for _ in self._body():
            pass
        self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"there is nothing here\n")

    def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the base class's
        """Log nothing: requests contain what people write."""


def _text_of(form: str) -> str:
    return "".join(parse_qs(form).get("text", []))


def counted(text: str) -> dict[str, int]:
    return {"words": len(text.split()), "characters": len(text), "lines": len(text.splitlines())}


def main() -> None:
    host, port = os.environ.get("MLP_HTTP_HOST", "127.0.0.1"), int(os.environ.get("MLP_HTTP_PORT", "8080"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with ThreadingHTTPServer((host, port), Handler) as server:
        server.daemon_threads = True
        sys.stdout.write(f"listens on {host}:{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
