"""The interface for requests that are answered without ASGI: without a task, a scope and a context for each.

Only small, complete requests on a connection without other work are offered to the app's `Direct`. It may leave each of
them to the app itself, at the head or when the body is there: the app then gets the request as if nothing had happened.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from starlette.types import Send

Headers = Sequence[tuple[bytes, bytes]]
"""Names are in lower case."""
Leave = Callable[[], None]
"""Called once if the caller disconnects before the answer."""


class Reply(Protocol):
    def answer(self, status: int, headers: bytes, body: bytes | memoryview, *, proved: bool) -> None:
        """Sends the whole answer, if the caller is still there. Call it once. `headers` are whole lines.

        `proved`: the caller is authenticated.
        """
        ...

    def in_pieces(self) -> Send:
        """Returns how to send an answer in pieces instead, as an app does: it waits while the caller does not read."""
        ...

    def break_off(self) -> None:
        """Closes the connection, before the answer or in the middle of one that comes in pieces."""
        ...


class DirectRequest(Protocol):
    """A request whose head may be answered directly."""

    def begin(self, body: bytes, reply: Reply) -> Leave | None:
        """Begins to answer. None: the app itself must answer, and nothing has been done for the request."""
        ...


class Direct(Protocol):
    def prepare(self, target: bytes, headers: Headers, peer: str) -> DirectRequest | None:
        """Judges the head of a POST request over HTTP/1.1. None: the app itself must answer. `peer` is the address of
        the client, as the app gets it in its scope.

        It must refuse requests without a Content-Length, and those with an Expect header.
        """
        ...


@runtime_checkable
class AnswersDirectly(Protocol):
    """An app with a `Direct`."""

    @property
    def direct(self) -> Direct | None: ...
