"""The sockets of a blocking client, which another thread can end."""

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol, runtime_checkable
from weakref import WeakSet

import httpx

_CONNECTED = (".connect_tcp.complete", ".start_tls.complete")
"""What the events of httpx's extension `trace` end with that return a connection."""


@runtime_checkable
class _Stream(Protocol):
    def get_extra_info(self, info: str) -> object: ...


class OpenSockets:
    """Knows the sockets of the requests that it follows.

    Closing a socket neither wakes a thread that reads from it nor tells the other side, until that read has ended.
    Shutting it down does both.
    """

    def __init__(self) -> None:
        self._streams: WeakSet[_Stream] = WeakSet()
        self._shut = False
        self._lock = threading.Lock()

    def follow(self, request: httpx.Request) -> None:
        """Satisfies httpx's event hook `request`."""
        request.extensions["trace"] = self._trace

    def shut_down(self) -> None:
        """Ends the connections, also those that are being opened."""
        with self._lock:
            self._shut = True
            streams = list(self._streams)
        for stream in streams:
            _shut_down(stream)

    def _trace(self, event: str, info: Mapping[str, object]) -> None:
        if not event.endswith(_CONNECTED) or not isinstance(stream := info["return_value"], _Stream):
            return
        with self._lock:
            self._streams.add(stream)
            shut = self._shut
        if shut:
            _shut_down(stream)


def _shut_down(stream: _Stream) -> None:
    found = stream.get_extra_info("socket")
    if isinstance(found, socket.socket):
        with suppress(OSError):  # it is closed already, or TLS has taken it over
            # Not the method of a TLS socket, which would make the thread that reads go on without TLS.
            socket.socket.shutdown(found, socket.SHUT_RDWR)
