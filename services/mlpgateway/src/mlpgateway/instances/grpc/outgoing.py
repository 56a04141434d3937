"""The send queue of one instance: serialised messages, control messages before requests."""

import asyncio
from collections import deque
from collections.abc import Callable

from mlpgateway.instances.grpc import wire
from mlplace_gateproto.limits import MAX_BUNDLED, MAX_BUNDLED_BYTES

MAX_WAITING_REQUESTS = 4096
MAX_WAITING_SIZE = 256 * 1024 * 1024
MAX_WAITING_CONTROL = 64
ENOUGH_WAITING_SIZE = 1024 * 1024


class Outgoing:
    """A bounded queue that never waits: a request that does not fit is refused at once. Any single request fits.

    `wanted` returns whether a caller still waits for the answer to a request; other requests are not written.

    Notices concern requests that the instance has received. Only the newest one of each request is kept, so there are
    never more notices than requests.
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
        self._write: Callable[[], bytes | None] | None = None
        self._held: bytes | None = None
        self._due = self._busy = False
        self._room = asyncio.Event()

    def attach(self, write: Callable[[], bytes | None]) -> None:
        """Calls `write` in the turn of the event loop after new messages, while `next` waits. It takes what it can
        write at once, and returns a message that it has taken and could not write: `next` returns that one first.
        """
        self._write = write

    def control(self, message: bytes) -> bool:
        """Queues a control message. Returns False when so many wait that the instance has evidently stopped reading."""
        if len(self._control) >= MAX_WAITING_CONTROL:
            return False
        self._control.append(message)
        self._notify()
        return True

    def request(self, request_id: int, message: bytes) -> bool:
        """Queues a request. Returns False when there is no room or the stream is over."""
        full = len(self._requests) >= MAX_WAITING_REQUESTS or self._size + len(message) > MAX_WAITING_SIZE
        if self._closed or (self._requests and full):
            return False
        self._requests.append((request_id, message))
        self._size += len(message)
        self._notify()
        return True

    async def room(self) -> None:
        """Waits while more than 1 MiB waits to be written."""
        while self._size > ENOUGH_WAITING_SIZE and not self._closed:
            self._room.clear()
            await self._room.wait()

    def notice(self, request_id: int, message: bytes) -> None:
        """Queues a notice about a request. Dropped when the instance has not received the request."""
        if request_id in self._begun and not self._closed:
            self._notices[request_id] = message
            self._notify()

    def over(self, request_id: int, farewell: bytes | None = None) -> None:
        """Ends a request: only the `farewell` is still sent for it."""
        self._notices.pop(request_id, None)
        if farewell is not None:
            self.notice(request_id, farewell)
        self._begun.discard(request_id)

    def close(self) -> None:
        """Lets the writer end after the queued control messages."""
        self._closed = True
        self._requests.clear()
        self._notices.clear()
        self._size = 0
        self._wake.set()
        self._room.set()

    async def next(self, *, bundles: bool = False) -> bytes | None:
        """Waits for the next message to write; None at the end. See `take`."""
        while True:
            message = self.take(bundles=bundles)
            self._busy = True  # later messages must not be written before this one
            if message is not None or self._closed:
                return message
            self._busy = False
            self._wake.clear()
            await self._wake.wait()

    def take(self, *, bundles: bool = False) -> bytes | None:
        """Returns the next message to write, with `bundles` several waiting ones as one; None when there is none."""
        held, self._held = self._held, None
        message = self._first() if held is None else held
        if message is None or held is not None or not bundles:
            return message
        more = self.along_with(message)
        return wire.bundle_to_wire([message, *more]) if more else message

    def _notify(self) -> None:
        if self._write is None or self._busy:
            self._wake.set()
        elif not self._due:
            self._due = True
            asyncio.get_running_loop().call_soon(self._write_at_once)

    def _write_at_once(self) -> None:
        self._due = False
        if self._write is not None and not self._busy:
            self._held = self._write()
            if self._held is not None:
                self._busy = True
                self._wake.set()

    def along_with(self, message: bytes) -> list[bytes]:
        """Takes the messages to bundle with this one: the queued small ones, in order."""
        more: list[bytes] = []
        if len(message) > MAX_BUNDLED_BYTES:
            return more
        while len(more) < MAX_BUNDLED - 1 and (following := self._first(small=True)) is not None:
            more.append(following)
        return more

    def _first(self, *, small: bool = False) -> bytes | None:
        """Takes the first message; None when there is none, or when it is not `small` as required."""
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
