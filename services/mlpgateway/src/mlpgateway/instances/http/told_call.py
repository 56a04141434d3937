"""One request to an HTTP instance whose answers are told to callbacks, in the turn of the loop in which they arrive."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from mlpgateway.call.call import Answer
from mlpgateway.instances.http.answer_body import AnswerBody, body_of
from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.errors import ExchangeError
from mlpgateway.instances.http.client.framing import Headers
from mlplace_kit.errors import DomainError


class ToldHttpCall:
    """Satisfies AnswerHandler and ToldRequest: see there for `answered` and `failed`."""

    __slots__ = (
        "_answered", "_body", "_complete", "_connection", "_ended", "_failed", "_failure", "_left", "_most_bytes",
        "_next", "_paused", "_translate", "_unread",
    )  # fmt: skip

    def __init__(
        self,
        connection: HttpConnection,
        most_bytes: int,
        *,
        answered: Callable[[Answer], None],
        failed: Callable[[DomainError], None],
        translate: Callable[[ExchangeError], DomainError],
        left: Callable[[], None],
    ) -> None:
        """`left` is called once, when the request is over, before `answered` or `failed`."""
        self._connection = connection
        self._most_bytes = most_bytes
        self._answered = answered
        self._failed = failed
        self._translate = translate
        self._left = left
        self._body: AnswerBody | None = None
        self._ended = self._complete = self._paused = False
        self._failure: ExchangeError | None = None
        self._next: bytes | None = None
        self._unread: Iterator[bytes] = iter(())

    def abandon(self) -> None:
        if not self._ended:
            self._end()
            self._cancel_incomplete()

    # ---- What the connection calls

    def head(self, status: int, headers: Headers, length: int | None) -> None:
        del length
        self._body = body_of(status, headers, self._most_bytes, whole=True)

    def part(self, data: bytes) -> None:
        if self._ended or self._body is None:
            return
        if self._next is not None:
            self._unread = chain(self._unread, self._body.few(data))
            return
        self._unread = self._body.few(data)
        self._next = next(self._unread, None)
        self._read_few(self._body)

    def end(self) -> None:
        self._complete = True
        if self._next is None:
            self._tell_end()

    def failed(self, error: ExchangeError) -> None:
        self._complete, self._failure = True, error
        if self._next is None:
            self._tell_end()

    def _read_few(self, body: AnswerBody) -> None:
        """Reads what one turn of the event loop may take. The connection waits until the rest is read."""
        data = self._next
        if data is None:
            return
        self._tell(partial(body.piece, data))
        self._next = None if self._ended else next(self._unread, None)
        if self._next is not None:
            if not self._complete:
                self._paused = True
                self._connection.pause_reading()
            self._connection.turn(partial(self._read_more, body))

    def _read_more(self, body: AnswerBody) -> None:
        if self._ended:
            return
        self._read_few(body)
        if self._next is None and self._complete:
            self._tell_end()
        elif self._next is None:
            self._connection.resume_reading()

    def _tell_end(self) -> None:
        if self._ended:
            return
        if self._failure is not None:
            self._end()
            self._failed(self._translate(self._failure))
        elif self._body is not None:
            self._tell(self._body.end)

    def _tell(self, read: Callable[[], Iterable[Answer]]) -> None:
        try:
            for answer in read():
                if answer.last:
                    self._end()
                    self._leave_connection()
                self._answered(answer)
                if self._ended:  # by the last answer, or because the caller abandoned the call
                    return
        except DomainError as error:
            self._end()
            self._leave_connection()
            self._failed(error)

    def _leave_connection(self) -> None:
        """The rest of the answer is often in the bytes that are just being read, or the next to be read after a pause.
        If it is not, nobody waits for it.
        """
        if self._complete:
            return
        loop = asyncio.get_running_loop()
        if self._paused:
            loop.call_soon(loop.call_soon, self._cancel_incomplete)
        else:
            loop.call_soon(self._cancel_incomplete)

    def _cancel_incomplete(self) -> None:
        if not self._complete:
            self._connection.cancel()

    def _end(self) -> None:
        self._ended = True
        self._next = None
        self._left()
