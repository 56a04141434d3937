"""The body of a caller's request, read on demand."""

from collections.abc import AsyncGenerator
from typing import Self

from starlette.types import Message, Receive

from mlpgateway.call.call import Payload
from mlpgateway.entry.http.wire import WhileConnected
from mlpgateway.shares.admission import Entry
from mlplace_kit.errors import MalformedRequest


class Incoming:
    """One request, from its first piece on. Answer it inside `with incoming.connected`."""

    def __init__(self, receive: Receive, first: Message, entry: Entry) -> None:
        """`entry` counts the bytes in memory: one piece at a time."""
        self._receive = receive
        self._entry = entry
        self._kept = 0
        self._take(first)
        self.connected = WhileConnected(receive, watched=self._more)

    @classmethod
    async def begin(cls, receive: Receive, entry: Entry) -> Self | None:
        """Returns None when the caller has left already."""
        first = await receive()
        return cls(receive, first, entry) if first["type"] == "http.request" else None

    @property
    def whole(self) -> bytes | None:
        """The body when it came in one piece; None when more follows."""
        return None if self._more else self._first

    async def parts(self) -> AsyncGenerator[Payload]:
        """Raises MalformedRequest when the caller leaves before the end, and the server's errors about its size."""
        try:
            yield Payload(protobuf=self._first)
            while self._more:
                message = await self._receive()
                if message["type"] != "http.request":
                    self.connected.leave()
                    raise MalformedRequest(reason="its body is incomplete")
                self._take(message)
                yield Payload(protobuf=self._first)
        finally:
            self.connected.watch()

    def _take(self, message: Message) -> None:
        self._first: bytes = message.get("body", b"")
        self._entry.lets_go(self._kept)
        self._kept = 0
        self._entry.holds(len(self._first))
        self._kept = len(self._first)
        self._more: bool = message.get("more_body", False)
