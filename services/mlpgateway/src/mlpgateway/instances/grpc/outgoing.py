"""What waits to be written to one instance: serialised messages, those of the protocol itself before requests."""

import asyncio
from collections import deque
from collections.abc import Callable

from mlplace_gateproto.limits import MAX_BUNDLED, MAX_BUNDLED_BYTES

MAX_WAITING_REQUESTS = 4096
MAX_WAITING_SIZE = 256 * 1024 * 1024
MAX_WAITING_CONTROL = 64
ENOUGH_WAITING_SIZE = 1024 * 1024


class Outgoing:
    """Bounded, and never waits: a request that does not fit is refused at once (any single one fits).

    `wanted` tells whether somebody still waits for the answer to a request; others are not written any more.

    Notices are about requests that the instance has got, the newest one for each: there are never more of them than of
    those.
    """

    def __init__(self, wanted: Callable[[int], bool]) -> None:
        self._wanted = wanted
        self._control: deque[bytes] = deque()
        self._notices: dict[int, bytes] = {}
        self._begun: set[int] = set()
        self._requests: deque[tuple[int, bytes]] = deque()
        self._size = 0
        self._closed = False
        self._wake = asyncio.Event()
        self._room = asyncio.Event()

    def control(self, message: bytes) -> bool:
        """False when the instance has read nothing for so long that it can be given up."""
        if len(self._control) >= MAX_WAITING_CONTROL:
            return False
        self._control.append(message)
        self._wake.set()
        return True

    def request(self, request_id: int, message: bytes) -> bool:
        """False when there is no room, or no stream any more."""
        full = len(self._requests) >= MAX_WAITING_REQUESTS or self._size + len(message) > MAX_WAITING_SIZE
        if self._closed or (self._requests and full):
            return False
        self._requests.append((request_id, message))
        self._size += len(message)
        self._wake.set()
        return True

    async def room(self) -> None:
        """Wait while much is waiting to be written: for those who can wait."""
        while self._size > ENOUGH_WAITING_SIZE and not self._closed:
            self._room.clear()
            await self._room.wait()

    def notice(self, request_id: int, message: bytes) -> None:
        """About a request; dropped for one that the instance has not got."""
        if request_id in self._begun and not self._closed:
            self._notices[request_id] = message
            self._wake.set()

    def over(self, request_id: int, farewell: bytes | None = None) -> None:
        """Nothing more is sent for a request but the `farewell`."""
        self._notices.pop(request_id, None)
        if farewell is not None:
            self.notice(request_id, farewell)
        self._begun.discard(request_id)

    def close(self) -> None:
        """Write the control messages that are here, then end."""
        self._closed = True
        self._requests.clear()
        self._notices.clear()
        self._size = 0
        self._wake.set()
        self._room.set()

    async def next(self) -> bytes | None:
        """The next message to write; None at the end."""
        while True:
            message = self._first()
            if message is not None or self._closed:
                return message
            self._wake.clear()
            await self._wake.wait()

    def along_with(self, message: bytes) -> list[bytes]:
        """What can be written with this one as a bundle: what is here and small enough, in its order."""
        more: list[bytes] = []
        if len(message) > MAX_BUNDLED_BYTES:
            return more
        while len(more) < MAX_BUNDLED - 1 and (following := self._first(small=True)) is not None:
            more.append(following)
        return more

    def _first(self, *, small: bool = False) -> bytes | None:
        """Taken out. None when there is none, or it is a request that is not `small`."""
        if self._control:
            return self._control.popleft()
        if self._notices:
            return self._notices.pop(next(iter(self._notices)))
        while self._requests:
            request_id, message = self._requests[0]
            wanted = self._wanted(request_id)
            if wanted and small and len(message) > MAX_BUNDLED_BYTES:
                return None
            self._requests.popleft()
            self._size -= len(message)
            self._room.set()
            if wanted:
                self._begun.add(request_id)
                return message
        return None
