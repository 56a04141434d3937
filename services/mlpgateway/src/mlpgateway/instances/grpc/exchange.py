"""One request to an instance and its answers: the stream's reader puts them in, the caller takes them out."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import partial
from types import TracebackType
from typing import Protocol

from mlpgateway.call.call import Answer, Operation
from mlpgateway.errors.gate import AnswerNotRead
from mlplace_gateproto.flow import ReceiveWindow
from mlplace_kit.errors import DomainError

MAX_WAITING_ANSWERS = 512
MAX_WAITING_SIZE = 32 * 1024 * 1024


class Pending(Protocol):
    """One request to an instance, for the reader of its stream.

    `settled`: the instance itself has ended the request. `received` is the number of answers delivered so far.
    """

    operation: Operation
    settled: bool

    @property
    def received(self) -> int: ...

    def deliver(self, answer: Answer, size: int) -> None: ...

    def fail(self, failure: DomainError, *, settled: bool = False) -> None: ...


class InstanceCall(AsyncGenerator[Answer, None]):
    """An iterator over the answers. Closing it, or cancelling the task that waits on it, drops later answers.

    The reader of a stream never waits for one caller: answers queue up here within bounds. Any single answer fits;
    beyond the bounds, this request fails.
    """

    __slots__ = (
        "_answers",
        "_ended",
        "_failure",
        "_forget",
        "_received",
        "_size",
        "_taken",
        "_tell",
        "_waiter",
        "operation",
        "request_id",
        "settled",
    )

    def __init__(
        self,
        request_id: int,
        operation: Operation,
        forget: Callable[[int], None],
        tell: Callable[[int, int], None] | None = None,
    ) -> None:
        """`tell` reports to the instance how many bytes of its partial answer were read."""
        self.request_id = request_id
        self.operation = operation
        self._forget = forget
        self._tell = tell
        self._taken: ReceiveWindow | None = None
        # True when the instance itself has ended the request; otherwise it may still be working on it.
        self.settled = False
        self._answers: deque[tuple[Answer, int]] = deque()
        self._size = 0
        self._received = 0
        self._ended = False
        self._failure: DomainError | None = None
        self._waiter: asyncio.Future[None] | None = None

    # ---- For the stream's reader

    @property
    def received(self) -> int:
        """The number of answers delivered so far."""
        return self._received

    def deliver(self, answer: Answer, size: int) -> None:
        """Queues an answer. `size` is the size of its message in bytes."""
        if self._ended:
            return
        full = len(self._answers) >= MAX_WAITING_ANSWERS or self._size + size > MAX_WAITING_SIZE
        if self._answers and full:
            self._answers.clear()
            self.fail(AnswerNotRead())
            return
        self._answers.append((answer, size))
        self._size += size
        self._received += 1
        if answer.last:
            self.settled = True
            self._end()
        elif self._tell is not None and self._taken is None:
            self._taken = ReceiveWindow(partial(self._tell, self.request_id))
        self._wake()

    def fail(self, failure: DomainError, *, settled: bool = False) -> None:
        """Ends with an error, after the queued answers. `settled`: the instance itself reported the error."""
        if not self._ended:
            self.settled = settled
            self._failure = failure
            self._end()
            self._wake()

    def _end(self) -> None:
        self._ended = True
        self._forget(self.request_id)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # ---- For the caller

    def __anext__(self) -> Coroutine[None, None, Answer]:
        return self.asend(None)

    async def asend(self, value: None) -> Answer:
        del value
        while not self._answers:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            if self._ended:
                raise StopAsyncIteration
            await self._wait()
        answer, size = self._answers.popleft()
        self._size -= size
        if self._taken is not None and not self._ended:
            self._taken.took(size)
        return answer

    async def _wait(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        except asyncio.CancelledError:
            self._abandon()
            raise
        finally:
            self._waiter = None

    async def aclose(self) -> None:
        self._abandon()

    async def athrow(
        self,
        typ: type[BaseException] | BaseException,
        val: BaseException | object = None,
        tb: TracebackType | None = None,
    ) -> Answer:
        self._abandon()
        if isinstance(typ, BaseException):
            raise typ
        error = val if isinstance(val, BaseException) else typ()
        raise error.with_traceback(tb)

    def _abandon(self) -> None:
        self._answers.clear()
        self._failure = None
        if not self._ended:
            self._end()
            self._wake()
