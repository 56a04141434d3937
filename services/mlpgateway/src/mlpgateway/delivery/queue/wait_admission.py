"""Admits calls to the wait, within the bounds of the gate and of the model."""

from collections.abc import Generator
from contextlib import contextmanager

from mlpgateway.call.context import CallContext
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.model_queue import Queue
from mlpgateway.delivery.queue.model_queues import ModelQueues
from mlpgateway.delivery.queue.wait_refusals import WaitRefusals
from mlpgateway.errors.calls import QueueFull
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.shares.room import WaitingShares


class WaitAdmission:
    """`room` bounds the waiting calls of the gate; each queue has its own room."""

    __slots__ = ("_queues", "_refusals", "room")

    def __init__(self, bounds: Bounds, queues: ModelQueues, refusals: WaitRefusals) -> None:
        self._queues = queues
        self._refusals = refusals
        self.room = WaitingShares("waiting", bounds.calls, bounds.size, bounds.fractions, full=QueueFull)

    def enter(self, queue: Queue, context: CallContext, size: int) -> None:
        """Counts a call that begins to wait; `leave` ends that. Raises QueueFull, ShareExceeded."""
        account_id = context.caller_account_id
        try:
            self.room.enter(account_id, size)
            try:
                queue.room.enter(account_id, size)
            except BaseException:
                self.room.leave(account_id, size)
                raise
        except QueueFull:
            self._queues.tidy(queue)
            raise self._refusals.full(queue.model_id, queue) from None
        except ShareExceeded:
            self._queues.tidy(queue)
            raise

    def leave(self, queue: Queue, account_id: int, size: int) -> None:
        self.room.leave(account_id, size)
        queue.room.leave(account_id, size)

    @contextmanager
    def held(self, context: CallContext) -> Generator[None]:
        """Counts the request, which stays here, during a wait at another gate. Raises QueueFull, ShareExceeded."""
        account_id, size = context.caller_account_id, context.size
        try:
            self.room.enter(account_id, size)
        except QueueFull:
            model_id = context.plan.model.model_id
            raise self._refusals.full(model_id, self._queues.get(model_id)) from None
        try:
            yield
        finally:
            self.room.leave(account_id, size)
