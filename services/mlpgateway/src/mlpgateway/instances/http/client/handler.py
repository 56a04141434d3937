"""What is told about an answer while it arrives."""

from typing import Final, Protocol

from mlpgateway.instances.http.client.errors import ExchangeError
from mlpgateway.instances.http.client.framing import Headers


class AnswerHandler(Protocol):
    """Is called while an answer arrives: `head` once, `part` any number of times, then `end`; or `failed` at any point.

    The methods run inside the connection's callbacks: they must return soon and must not raise.
    """

    def head(self, status: int, headers: Headers, length: int | None) -> None:
        """`length` is the size of the body in bytes; None: unknown."""
        ...

    def part(self, data: bytes) -> None: ...

    def end(self) -> None:
        """The answer is complete. The connection may already serve another request."""
        ...

    def failed(self, error: ExchangeError) -> None: ...


class _Dropped:
    """The handler of an answer that nobody wants any more."""

    def head(self, status: int, headers: Headers, length: int | None) -> None: ...

    def part(self, data: bytes) -> None: ...

    def end(self) -> None: ...

    def failed(self, error: ExchangeError) -> None: ...


DROPPED: Final = _Dropped()
