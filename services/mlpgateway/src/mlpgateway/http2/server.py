"""Listens for connections, closes them, and watches for silent ones."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Final

from mlpgateway.http2.call import Serve
from mlpgateway.http2.census import Census
from mlpgateway.http2.closed import ClosedConnections
from mlpgateway.http2.connection import Http2Connection
from mlpgateway.http2.frames import Code
from mlpgateway.http2.handshakes import Handshakes
from mlpgateway.http2.incoming import Judge
from mlpgateway.http2.limits import Http2Limits
from mlpgateway.http2.metrics import CONNECTIONS_CLOSED
from mlpgateway.http2.room import RequestBytes
from mlplace_runtime.process.listeners import refuse_newcomers

_BACKLOG: Final = 1024
_HANDSHAKE_SECONDS: Final = 10.0
_OUT_OF_FILES_SECONDS: Final = 0.2
_STRAGGLERS_SECONDS: Final = 0.2
_CANCELLED_SECONDS: Final = 2.0
_DEADLINE_OF_KEEPALIVE: Final = 5.0

Methods = Mapping[str, tuple[Serve, Judge]]


class Server:
    """Satisfies Host. Belongs to one event loop; run `run` as a task."""

    def __init__(
        self, methods: Methods, limits: Http2Limits, room: RequestBytes, believes: Callable[[str], bool]
    ) -> None:
        self._methods = methods
        self._census = Census(limits, believes)
        self._sockets: list[tuple[socket.socket, ssl.SSLContext | None]] = []
        self._servers: list[asyncio.Server] = []
        self._accepting: set[asyncio.Task[None]] = set()
        self._handshakes = Handshakes(limits, believes)
        self._waiting: dict[Http2Connection, int] = {}
        self._waits = 0
        self._empty = asyncio.Event()
        self.limits = limits
        self.room = room
        self.closed = ClosedConnections(time.monotonic)
        self.going = False

    @property
    def connections(self) -> list[Http2Connection]:
        return list(self._census)

    def bind(self, listen: str, tls: ssl.SSLContext | None = None) -> int:
        """Binds `host:port`; port 0 means any free one. Returns the port. Raises OSError."""
        host, _, port = listen.rpartition(":")
        bound = int(port)
        infos = socket.getaddrinfo(host.strip("[]"), bound, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _kind, _protocol, _name, address in infos:
            listener = socket.create_server(
                (str(address[0]), bound), family=family, backlog=_BACKLOG, dualstack_ipv6=address[0] == "::"
            )
            bound = int(listener.getsockname()[1])
            listener.setblocking(False)
            self._sockets.append((listener, tls))
        return bound

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        for listener, tls in self._sockets:
            if tls is None:
                self._servers.append(await loop.create_server(self._connection, sock=listener))
            else:
                self._accepting.add(loop.create_task(self._accept(listener, tls)))

    async def refuse(self) -> None:
        """Refuses new connections, without cutting off connections that clients have just opened."""
        if self._servers or self._accepting:
            await refuse_newcomers(*(listener for listener, _ in self._sockets))
        self._close_listeners()

    async def stop(self, grace: float | None) -> None:
        """Tells all peers to go elsewhere, and waits up to `grace` seconds for the running calls.

        None: ends them at once.
        """
        self._close_listeners()
        self.going = True
        for connection in self._census:
            connection.announce_end()
        if grace:
            await asyncio.sleep(min(grace, _STRAGGLERS_SECONDS))
        for connection in self._census:
            connection.end()
        if not grace or not await self._emptied(grace):
            for connection in self._census:
                connection.stop_calls()
            await self._emptied(_CANCELLED_SECONDS)
        for connection in self._census:
            connection.abort()
        self._handshakes.cancel()

    async def run(self) -> None:
        """Ends what is too slow, and finds peers that disappeared. Runs until cancelled."""
        loop = asyncio.get_running_loop()
        pause = min(1.0, self.limits.first_message_seconds / 4)
        while True:
            await asyncio.sleep(pause)
            self.end_late(loop.time())

    def end_late(self, now: float) -> None:
        limits = self.limits
        for connection in self._census.unproven:
            if not connection.settled and connection.began + limits.settings_seconds < now:
                connection.fail(Code.SETTINGS_TIMEOUT, "it does not speak HTTP/2")
            elif not connection.calls and connection.last_read_at + limits.unproven_seconds < now:
                connection.close()
        for connection in self._census:
            if connection.calls:
                connection.end_late(now)
            if connection.unread(now):
                CONNECTIONS_CLOSED.labels("unread").inc()
                connection.abort()
            if connection.pinged and connection.pinged + limits.ping_timeout_seconds < now:
                connection.abort()
            elif not connection.pinged and connection.last_read_at + limits.ping_seconds < now:
                connection.ping()

    # ---- For connections

    def method(self, path: str) -> tuple[Serve, Judge] | None:
        return self._methods.get(path)

    def await_first(self, connection: Http2Connection, count: int) -> bool:
        """Counts bytes held for incomplete first messages. Above the limit, the connection with the most is closed.

        Returns False when that is the connection that asks.
        """
        self._waits += count
        held = self._waiting.get(connection, 0) + count
        if held:
            self._waiting[connection] = held
        else:
            self._waiting.pop(connection, None)
        if count <= 0 or self._waits <= self.limits.pending_bytes:
            return True
        most = max(self._waiting, key=self._waiting.__getitem__)
        if most is not connection:
            most.fail(Code.ENHANCE_YOUR_CALM, "too many bytes of unfinished first messages")
        return most is not connection

    def came(self, connection: Http2Connection) -> None:
        self._census.came(connection)

    def proven(self, connection: Http2Connection) -> None:
        self._census.proven(connection)

    def lost(self, connection: Http2Connection) -> None:
        self._census.lost(connection)
        if not len(self._census):
            self._empty.set()

    # ---- Internals

    def _connection(self) -> Http2Connection:
        return Http2Connection(self)

    async def _accept(self, listener: socket.socket, tls: ssl.SSLContext) -> None:
        """Accepts TLS connections."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                plain, address = await loop.sock_accept(listener)
            except OSError:  # no file descriptor is free
                await asyncio.sleep(_OUT_OF_FILES_SECONDS)
                continue
            self._handshakes.begin(str(address[0]), self._shake_hands(plain, tls))
            await asyncio.sleep(0)  # a full backlog must not block the event loop

    async def _shake_hands(self, plain: socket.socket, tls: ssl.SSLContext) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(
                self._connection, plain, ssl=tls, ssl_handshake_timeout=_HANDSHAKE_SECONDS
            )
        except (OSError, ssl.SSLError):
            plain.close()
        except asyncio.CancelledError:
            plain.close()
            raise

    async def _emptied(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                while len(self._census):
                    self._empty.clear()
                    await self._empty.wait()
        except TimeoutError:
            return False
        return True

    def _close_listeners(self) -> None:
        for task in self._accepting:
            task.cancel()
        for server in self._servers:
            server.close()
        for listener, _ in self._sockets:
            listener.close()
        self._accepting.clear()
        self._servers.clear()
        self._sockets.clear()
