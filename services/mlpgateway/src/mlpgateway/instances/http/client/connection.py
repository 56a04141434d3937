"""One connection to an instance: one request at a time, its answer by callbacks."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

from mlpgateway.instances.http.client.answer import AnswerReader
from mlpgateway.instances.http.client.errors import ConnectionLostError, ExchangeError, InvalidAnswerError
from mlpgateway.instances.http.client.handler import AnswerHandler

_JOINED_BYTES: Final = 16 * 1024
"""A body up to this size is copied behind the head, which costs less than a second buffer for the system call."""


class Owner(Protocol):
    """What a connection reports to: the pool."""

    def released(self, connection: "HttpConnection") -> None:
        """The connection may carry the next request."""
        ...

    def lost(self, connection: "HttpConnection") -> None:
        """The connection is closed. Called once, and only after it was open."""
        ...

    def turn(self, work: Callable[[], None]) -> None:
        """Runs the work now or in a later turn of the event loop, so that one instance does not take a whole turn."""
        ...


class HttpConnection(asyncio.Protocol):
    """Whoever takes a connection from the pool calls `send` or `cancel`. Then it returns to the pool by itself."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._transport: asyncio.Transport | None = None
        self._reader: AnswerReader | None = None
        self._uploading = self._paused = self._waits = False
        self._drain: asyncio.Future[None] | None = None
        self._write_paused = False
        self._unread = b""  # has arrived, and waits for its turn or for the handler
        self._sends_no_more = False  # the instance has closed its side
        self.reused = False
        """Whether it has carried an earlier request."""
        self.is_open = False
        self.idle_since = 0.0

    # The side of the caller

    def send(
        self, head: bytes, body: bytes, handler: AnswerHandler, *, bodiless: bool = False, more: bool = False
    ) -> None:
        """Sends a request. `bodiless`: it is HEAD. `more`: the rest of the body comes by `write`, and then `finish`.

        If the connection was lost meanwhile, the handler is told so in the next turn of the event loop.
        """
        transport = self._transport
        reader = self._reader = AnswerReader(handler, bodiless=bodiless)
        if transport is None:
            asyncio.get_running_loop().call_soon(self._fail_if, reader)
            return
        self._uploading = more
        if not body:
            transport.write(head)
        elif len(body) <= _JOINED_BYTES:
            transport.write(head + body)
        else:
            transport.writelines((head, body))

    def write(self, *pieces: bytes | memoryview) -> None:
        """Sends more of the body. Await `drained` between pieces."""
        if self._transport is not None:
            self._transport.writelines(pieces)

    async def drained(self) -> None:
        """Waits until the instance has read enough of what was written. Returns at once if the connection is lost."""
        if self._write_paused:
            if self._drain is None:
                self._drain = asyncio.get_running_loop().create_future()
            await self._drain

    def finish(self) -> None:
        """The body was written completely."""
        self._uploading = False

    def pause_reading(self) -> None:
        """Stops the answer: some of what has arrived already may still come."""
        if not self._paused and self._reader is not None:
            self._paused = True
            if self._transport is not None:
                self._transport.pause_reading()

    def resume_reading(self) -> None:
        """What has arrived already may come before this returns."""
        if self._paused:
            self._paused = False
            if self._unread and not self._waits:
                self._wait_for_turn()
            elif not self._unread and self._transport is not None:
                self._transport.resume_reading()

    def turn(self, work: Callable[[], None]) -> None:
        """See Owner."""
        self._owner.turn(work)

    def cancel(self) -> None:
        """Ends the exchange and closes the connection. The handler is not called any more."""
        reader, self._reader = self._reader, None
        self._unread = b""
        if reader is not None:
            reader.drop()
        self.close()

    def close(self) -> None:
        """Closes the connection. An exchange in progress fails."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    # The side of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        if self._reader is None:
            self.close()  # nobody asked for it
            return
        self._unread = self._unread + data if self._unread else data
        self._read()

    def _read(self) -> None:
        """Reads what has arrived. Goes on later when the handler pauses, or when a few bytes were much work."""
        reader = self._reader
        while reader is not None and self._reader is reader and not self._paused:
            data, self._unread = self._unread, b""
            if not data:
                break
            try:
                self._unread = reader.feed(data)
            except InvalidAnswerError as error:
                self._fail(error)
                return
            if self._reader is not reader:
                self._unread = b""
            elif reader.complete:
                self._complete(reader)
            elif self._unread and reader.tired and not self._paused:
                if self._transport is not None:
                    self._transport.pause_reading()
                self._wait_for_turn()
                return
        if not self._unread and self._transport is None:
            self._end_lost()

    def _wait_for_turn(self) -> None:
        self._waits = True
        self._owner.turn(self._go_on)

    def _go_on(self) -> None:
        self._waits = False
        self._read()
        if self._reader is not None and not (self._unread or self._paused or self._transport is None):
            self._transport.resume_reading()

    def eof_received(self) -> None:
        """Returning None closes the transport: an instance that sends no more cannot serve another request."""
        self._sends_no_more = True
        reader = self._reader
        if reader is not None and reader.until_closed and not self._unread:
            self._complete(reader)
        self.is_open = False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  it is None for an abort of this side, too
        self._transport = None
        self.is_open = False
        self.resume_writing()
        if not self._unread:
            self._end_lost()
        self._owner.lost(self)

    def _end_lost(self) -> None:
        """Ends the exchange of a lost connection, after what has arrived."""
        reader = self._reader
        if reader is not None and reader.until_closed and self._sends_no_more:
            self._complete(reader)
        elif reader is not None:
            self._fail_if(reader)

    def pause_writing(self) -> None:
        self._write_paused = True

    def resume_writing(self) -> None:
        self._write_paused = False
        drain, self._drain = self._drain, None
        if drain is not None and not drain.done():
            drain.set_result(None)

    def _complete(self, reader: AnswerReader) -> None:
        """Returns the connection before `end`, so that the handler can use it for its next request."""
        self._reader = None
        reusable = reader.reusable and not self._unread  # else bytes follow that nobody asked for
        self._unread = b""
        self._paused = False
        self.reused = True
        transport = self._transport
        if transport is None or not reusable or self._uploading or transport.get_write_buffer_size():
            self.close()
        else:
            transport.resume_reading()  # the handler may have paused it, or a wait for a turn
            self._owner.released(self)
        reader.handler.end()

    def _fail_if(self, reader: AnswerReader) -> None:
        if self._reader is reader:
            self._fail(ConnectionLostError("it ended too early", reused=self.reused, began=reader.began))

    def _fail(self, error: ExchangeError) -> None:
        reader, self._reader = self._reader, None
        self._unread = b""
        self.close()
        if reader is not None:
            reader.handler.failed(error)
