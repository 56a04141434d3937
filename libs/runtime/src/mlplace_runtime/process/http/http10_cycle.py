"""Responses to callers that speak HTTP/1.0."""

from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_LENGTH: Final = b"content-length"
_WITHOUT_BODY: Final = frozenset({204, 304})


class Http10Cycle(RequestResponseCycle):
    """Ends a body of unknown length with the connection: HTTP/1.0 knows no chunks (RFC 9112, section 6.1)."""

    _until_closed = False

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            known = any(name.lower() == _LENGTH for name, _ in message.get("headers", ()))
            if not known and self.scope["method"] != "HEAD" and message["status"] not in _WITHOUT_BODY:
                self._until_closed = True
                self.keep_alive = self.chunked_encoding = False
        elif message["type"] == "http.response.body" and self._until_closed:
            self.expected_content_length = len(message.get("body", b""))  # uvicorn checks each part against it
        await super().send(message)


def use_http10_cycle(cycle: RequestResponseCycle) -> None:
    """Makes a cycle that has not begun its response one for HTTP/1.0. Uvicorn creates it, and knows one class only."""
    cast("object", cycle).__class__ = Http10Cycle
    cycle.waiting_for_100_continue = False  # RFC 9110, section 10.1.1
