"""Responses to callers that speak HTTP/1.0."""

import asyncio
import socket
import struct
from contextlib import suppress
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_LENGTH: Final = b"content-length"
_WITHOUT_BODY: Final = frozenset({204, 304})
_RESETS_ON_CLOSE: Final = struct.pack("ii", 1, 0)


class _UntilComplete:
    """The transport of a response that ends with the connection: its close is a reset while the response is incomplete.

    So nobody takes it for a whole one (RFC 9112, section 8).
    """

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._transport = cycle.transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        if not self._cycle.response_complete and not self._transport.is_closing():
            with suppress(OSError, ValueError):  # the caller has left, and its socket is gone
                opened = self._transport.get_extra_info("socket")
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESETS_ON_CLOSE)
        self._transport.close()


class Http10Cycle(RequestResponseCycle):
    """Ends a body of unknown length with the connection: HTTP/1.0 knows no chunks (RFC 9112, section 6.1)."""

    _until_closed = False

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            known = any(name.lower() == _LENGTH for name, _ in message.get("headers", ()))
            if not known and self.scope["method"] != "HEAD" and message["status"] not in _WITHOUT_BODY:
                self._until_closed = True
                self.keep_alive = self.chunked_encoding = False
                self.transport = cast("asyncio.Transport", _UntilComplete(self))
        elif message["type"] == "http.response.body" and self._until_closed:
            self.expected_content_length = len(message.get("body", b""))  # uvicorn checks each part against it
        await super().send(message)


def use_http10_cycle(cycle: RequestResponseCycle) -> None:
    """Makes a cycle that has not begun its response one for HTTP/1.0. Uvicorn creates it, and knows one class only."""
    cast("object", cycle).__class__ = Http10Cycle
    cycle.waiting_for_100_continue = False  # RFC 9110, section 10.1.1
