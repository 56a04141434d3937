"""The coroutine style: an answer whose head is awaited first, and whose body is read in pieces at the reader's pace."""

import asyncio
from collections import deque
from functools import partial

from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.errors import ExchangeError, InvalidRequestError
from mlpgateway.instances.http.client.framing import Headers
from mlpgateway.instances.http.client.limits import MOST_UNREAD_BYTES
from mlpgateway.instances.http.client.request import OutgoingRequest, StreamedBody


class Response:
    """An answer. Satisfies AnswerHandler. Close it after use, also when it failed.

    `length` is the size of the body in bytes, None when it is unknown.
    """

    __slots__ = (
        "_connection", "_ended", "_error", "_held", "_parts", "_upload", "_waiter", "headers", "length", "status",
    )  # fmt: skip

    def __init__(self, connection: HttpConnection) -> None:
        self._connection = connection
        self._parts: deque[bytes] = deque()
        self._held = 0
        self._ended = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._upload: asyncio.Task[None] | None = None
        self.status = 0
        self.headers: Headers = ()
        self.length: int | None = None

    async def piece(self) -> bytes:
        """Returns what has arrived of the body; b"" at its end.

        Raises ExchangeError, or what the request's body raised.
        """
        while not self._parts:
            if self._error is not None:
                raise self._error
            if self._ended:
                return b""
            await self._wait()
        found = self._parts.popleft() if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        if not self._ended:  # else the connection may serve another request
            self._connection.resume_reading()
        return found

    async def turn(self) -> None:
        """Waits while others have their turn: call it within a piece that is much work. See Turns."""
        reached = asyncio.get_running_loop().create_future()
        self._connection.turn(partial(_reach, reached))
        await reached

    async def close(self) -> None:
        """Ends the exchange if it has not ended, and waits until the request's body is not read any more."""
        if not self._ended:
            self._ended = True
            self._connection.cancel()
        self._error = None
        upload, self._upload = self._upload, None
        if upload is not None and not upload.done():
            upload.cancel()
            await asyncio.wait([upload])

    async def begun(self) -> None:
        """Waits for the head. Raises like `piece`."""
        while not self.status:
            if self._error is not None:
                raise self._error
            await self._wait()

    def send(self, head: bytes, request: OutgoingRequest) -> None:
        body, bodiless = request.body, request.method == "HEAD"
        if body is None or isinstance(body, bytes):
            self._connection.send(head, body or b"", self, bodiless=bodiless)
        else:
            self._connection.send(head, b"", self, bodiless=bodiless, more=True)
            self._upload = asyncio.create_task(self._send_body(body))

    # What the connection calls

    def head(self, status: int, headers: Headers, length: int | None) -> None:
        self.status, self.headers, self.length = status, headers, length
        self._wake()

    def part(self, data: bytes) -> None:
        self._parts.append(data)
        self._held += len(data)
        if self._held > MOST_UNREAD_BYTES:
            self._connection.pause_reading()
        self._wake()

    def end(self) -> None:
        self._ended = True
        self._wake()

    def failed(self, error: ExchangeError) -> None:
        self._end_with(error)

    def _end_with(self, error: Exception) -> None:
        if not self._ended:
            self._ended, self._error = True, error
            self._wake()

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def _wait(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    async def _send_body(self, body: StreamedBody) -> None:
        """An error of the body ends the exchange; its reader gets that error."""
        try:
            await _write(self._connection, body)
        except Exception as error:  # noqa: BLE001  whatever it is, the reader of the answer gets it
            self._connection.cancel()
            self._end_with(error)


def _reach(reached: asyncio.Future[None]) -> None:
    if not reached.done():
        reached.set_result(None)


async def _write(connection: HttpConnection, body: StreamedBody) -> None:
    left, pieces = body.length, body.pieces()
    try:
        async for piece in pieces:
            size = len(piece)
            if not size:
                continue
            if left is None:
                connection.write(b"%x\r\n" % size, piece, b"\r\n")
            else:
                left -= size
                if left < 0:
                    break
                connection.write(piece)
            await connection.drained()
    finally:
        await pieces.aclose()
    if left:
        raise InvalidRequestError("the body has another length than announced")
    if left is None:
        connection.write(b"0\r\n\r\n")
    connection.finish()
