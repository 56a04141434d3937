"""aiohttp's WebSocket, changed to read only a few frames at a time."""

from typing import Any, cast

from aiohttp import ClientWebSocketResponse
from aiohttp.client_proto import ResponseHandler

from mlplace_runtime.process.socket_turns import Frames
from mlplace_runtime.process.turns import Turns


class PacedSocket(ClientWebSocketResponse):
    """Gives the connection a `PacedParser` instead of aiohttp's parser."""

    def __init__(self, turns: Turns, key: str, *given: Any, **named: Any) -> None:
        self._turns = turns
        self._key = key
        self._paced: PacedParser | None = None
        super().__init__(*given, **named)

    def abort(self) -> None:
        """Ends the connection without sending the rest: closing would wait for an instance that does not read."""
        transport = None if self._conn is None else self._conn.transport
        if transport is not None:
            transport.abort()

    @property
    def _parser(self) -> Any:
        return self._paced

    @_parser.setter
    def _parser(self, parser: Any) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  # an attribute there
        if parser is None:
            self._paced = None
            return
        connection = self._conn
        if connection is None or connection.protocol is None:
            raise ConnectionResetError("the connection was lost during the handshake")
        self._paced = PacedParser(parser, self._reader, connection.protocol, self._turns, self._key)


class PacedParser:
    """Sits between a connection and aiohttp's parser of frames.

    The queue of messages takes it for the connection: each message taken from the queue calls `resume_reading`. The
    parser gets the next few frames when all messages are taken; reading goes on when all frames are parsed.
    """

    _reading_paused = True  # so that the queue leaves pausing to this object

    def __init__(self, parser: Any, queue: Any, connection: ResponseHandler, turns: Turns, key: str) -> None:
        self._parser = parser
        self._queue = queue
        self._connection = connection
        self._turns = turns
        self._key = key
        self._frames = Frames()
        self._unread = bytearray()
        self._has_turn = self._failed = False
        queue._protocol = self  # noqa: SLF001

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Returns True as the first item when the other side broke the protocol and no more data is wanted."""
        if not self._failed:
            self._unread += data
            self._connection.pause_reading()
            self.resume_reading()
        return self._failed, b""

    def feed_eof(self) -> None:
        self._unread.clear()
        self._parser.feed_eof()

    def resume_reading(self) -> None:
        if not self._has_turn and self._queue._size == 0:  # noqa: SLF001
            self._has_turn = True
            self._turns.ask(self._key, self._parse_few)

    def _parse_few(self) -> None:
        self._has_turn = False
        if part := self._frames.few(self._unread):
            self._failed, _ = cast("tuple[bool, bytes]", self._parser.feed_data(part))
            if self._failed:
                self._unread.clear()
            self.resume_reading()
        else:
            self._connection.resume_reading()
