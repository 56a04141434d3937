"""Sends the head of a response together with the first part of its body.

Uvicorn writes them separately, and each write costs a system call, a TCP segment and a wake-up of the reader: more than
everything else that a server does for a small response.
"""

import asyncio
from typing import Any, Final

_HEAD: Final = b"HTTP/1.1 "


class JoinedHead:
    """A transport that delays the head of a response until more is written, at most until the loop's next iteration."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._head: bytes | None = None
        self._ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._ended:  # a refusal has ended the connection; the app may still write, such as 100 Continue
            return
        if self._head is not None:
            head, self._head = self._head, None
            self._transport.writelines((head, data))
        elif isinstance(data, bytes) and data.startswith(_HEAD):
            self._head = data
            self._loop.call_soon(self._flush)
        else:
            self._transport.write(data)

    def write_whole(self, data: bytes) -> None:
        """Writes a whole response at once."""
        self._flush()
        self._transport.write(data)

    def _flush(self) -> None:
        if self._head is not None:
            head, self._head = self._head, None
            if not self._transport.is_closing():  # the caller may have disconnected meanwhile
                self._transport.write(head)

    def write_eof(self) -> None:
        self._flush()
        self._ended = True
        self._transport.write_eof()

    def close(self) -> None:
        self._flush()
        self._transport.close()
