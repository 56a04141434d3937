"""The body of a caller's request, read as it is wanted, and whether the caller is still there."""

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType

from starlette.types import Message, Receive

from mlpgateway.http.wire import UNWATCHED_SECONDS
from mlpgateway.proxy.call import Payload
from mlplace_kit.errors import DomainError, MalformedRequest


class Incoming:
    """Of one request. `begin` first; the rest belongs into a block `with` it.

    The block is cancelled when the caller hangs up, and ends quietly then: nobody is left to answer.
    """

    __slots__ = ("_first", "_gone", "_more", "_receive", "_task", "_timer", "_watcher")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._first = b""
        self._more = False
        self._task: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._gone = False

    async def begin(self) -> bool:
        """Read what is there. False when the caller left already."""
        message = await self._receive()
        if message["type"] != "http.request":
            return False
        self._take(message)
        return True

    @property
    def whole(self) -> bytes | None:
        """The body when it came in one piece; None when more of it follows."""
        return None if self._more else self._first

    async def parts(self) -> AsyncGenerator[Payload]:
        """Raises MalformedRequest when the caller leaves before the end, and what its server makes of its size."""
        try:
            yield Payload(protobuf=self._first)
            while self._more:
                message = await self._receive()
                if message["type"] != "http.request":
                    self._leave()
                    raise MalformedRequest(reason="it ended before its end")
                self._take(message)
                yield Payload(protobuf=self._first)
        finally:
            self._begin_watch()

    def _take(self, message: Message) -> None:
        self._first = message.get("body", b"")
        self._more = message.get("more_body", False)

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        if not self._more:  # else it is known when the body is read whether the caller is there
            self._timer = asyncio.get_running_loop().call_later(UNWATCHED_SECONDS, self._begin_watch)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        task, self._task = self._task, None
        if self._timer is not None:
            self._timer.cancel()
        watcher, self._watcher = self._watcher, None  # its end holds the frames of its wait, and they hold this
        if watcher is not None:
            watcher.cancel()
        by_caller = self._gone and isinstance(error, asyncio.CancelledError)
        return by_caller and task is not None and task.uncancel() == 0

    def _begin_watch(self) -> None:
        if self._watcher is None and self._task is not None and not self._gone:
            self._watcher = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        """What is left of the body is read and dropped: the instance has answered without it."""
        try:
            while (await self._receive())["type"] != "http.disconnect":
                pass
        except DomainError:
            return  # more than may be sent at all; its connection is closed with the answer
        self._leave()

    def _leave(self) -> None:
        self._gone = True
        if self._task is not None:
            self._task.cancel()
