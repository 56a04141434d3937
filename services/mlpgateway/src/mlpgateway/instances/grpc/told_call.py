"""One request to an instance whose answers are told to callbacks, in the turn of the loop in which they arrive."""

from collections.abc import Callable
from functools import partial

from mlpgateway.call.call import Answer, Operation
from mlplace_gateproto.flow import ReceiveWindow
from mlplace_kit.errors import DomainError


class ToldCall:
    """Satisfies Pending and ToldRequest: see there for `answered` and `failed`."""

    __slots__ = ("_answered", "_ended", "_failed", "_forget", "_taken", "_tell", "operation", "received", "request_id",
                 "settled")  # fmt: skip

    def __init__(
        self,
        request_id: int,
        operation: Operation,
        forget: Callable[[int], None],
        tell: Callable[[int, int], None] | None,
        answered: Callable[[Answer], None],
        failed: Callable[[DomainError], None],
    ) -> None:
        """`forget` and `tell` are those of InstanceCall."""
        self.request_id = request_id
        self.operation = operation
        self.settled = False
        self.received = 0
        self._forget = forget
        self._tell = tell
        self._taken: ReceiveWindow | None = None
        self._answered = answered
        self._failed = failed
        self._ended = False

    def deliver(self, answer: Answer, size: int) -> None:
        if self._ended:
            return
        self.received += 1
        if answer.last:
            self.settled = True
            self._end()
        elif self._tell is not None:
            if self._taken is None:
                self._taken = ReceiveWindow(partial(self._tell, self.request_id))
            self._taken.took(size)
        self._answered(answer)

    def fail(self, failure: DomainError, *, settled: bool = False) -> None:
        if not self._ended:
            self.settled = settled
            self._end()
            self._failed(failure)

    def abandon(self) -> None:
        if not self._ended:
            self._end()

    def _end(self) -> None:
        self._ended = True
        self._forget(self.request_id)
