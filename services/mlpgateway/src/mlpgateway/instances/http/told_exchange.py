"""A request that is passed on unchanged, whose answer is told to callbacks if it is small."""

from collections.abc import Callable

from mlpgateway.call.call import Answer
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.errors import ExchangeError
from mlpgateway.instances.http.client.framing import BODILESS, Headers
from mlpgateway.instances.http.client.response import Response
from mlpgateway.instances.http.passed_on import is_small, whole
from mlplace_kit.errors import DomainError


class ToldExchange:
    """Satisfies AnswerHandler and ToldRequest: see there for `answered` and `failed`."""

    __slots__ = (
        "_address", "_answered", "_body", "_complete", "_ended", "_failed", "_head", "_left", "_response", "_streamed",
        "_translate", "connection",
    )  # fmt: skip

    def __init__(
        self,
        connection: HttpConnection,
        address: Address,
        *,
        answered: Callable[[Answer], None],
        streamed: Callable[[Response], None],
        failed: Callable[[DomainError], None],
        translate: Callable[[ExchangeError], DomainError],
        left: Callable[[], None],
    ) -> None:
        """`streamed` gets an answer that is not small when its head is there, instead of `answered` and `failed`. Its
        reader calls `release` at the end. `left` is called once, when the exchange is over.
        """
        self.connection = connection
        self._address = address
        self._answered = answered
        self._streamed = streamed
        self._failed = failed
        self._translate = translate
        self._left = left
        self._head: tuple[int, Headers] | None = None
        self._body = b""
        self._response: Response | None = None
        self._ended = self._complete = False

    def abandon(self) -> None:
        if not self._ended:
            self._end()
            if not self._complete:
                self.connection.cancel()

    def release(self) -> None:
        """The streamed answer was read, or nobody reads it."""
        if not self._ended:
            self._end()

    # ---- What the connection calls

    def head(self, status: int, headers: Headers, length: int | None) -> None:
        if is_small(length) and status not in BODILESS:
            self._head = (status, headers)
            return
        self._response = Response(self.connection)
        self._response.head(status, headers, length)
        self._streamed(self._response)

    def part(self, data: bytes) -> None:
        if self._response is not None:
            self._response.part(data)
        else:
            self._body = self._body + data if self._body else data

    def end(self) -> None:
        self._complete = True
        if self._response is not None:
            self._response.end()
        elif self._head is not None and not self._ended:
            self._end()
            self._answered(whole(*self._head, self._body, self._address))

    def failed(self, error: ExchangeError) -> None:
        self._complete = True
        if self._response is not None:
            self._response.failed(error)
        elif not self._ended:
            self._end()
            self._failed(self._translate(error))

    def _end(self) -> None:
        self._ended = True
        self._left()
