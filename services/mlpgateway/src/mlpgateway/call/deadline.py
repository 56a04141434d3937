"""The time that a call may wait for its answer. It does not run while an instance starts: that has its own timeout."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

from mlpgateway.call.plan import LONGEST_SECONDS
from mlpgateway.errors.calls import CallerSilent, CallerTimeout, PredictTimeout
from mlplace_kit.errors import DomainError

_SILENT_SHARE: Final = 0.5
"""Of the time for an answer. A caller who has sent a part later than that is not silent: the instance is."""


class Deadline:
    """The deadline of one call. Wrap each wait in `with deadline:`; it raises PredictTimeout when the time is over, or
    the error with which somebody stops the call.

    Each wait gets the whole time, so a stream may last as long as parts keep coming. All waits share one timer, which
    checks on expiry whether the current wait is due: a timer for each wait costs more than the rest of the work for
    one part. Call `end` when the call ends. `shortened`: the caller allows less time than the model does.
    """

    __slots__ = (
        "_awaited_since", "_cancels", "_due", "_endless", "_heard_at", "_loop", "_over", "_refusal", "_seconds",
        "_shortened", "_task", "_timer", "awaited_caller", "phase", "stopped",
    )  # fmt: skip

    def __init__(self, seconds: float, *, shortened: bool = False) -> None:
        self._seconds = min(seconds, LONGEST_SECONDS)
        self._shortened = shortened
        self._over = self._endless = False
        self._refusal: type[PredictTimeout] | None = None
        self._awaited_since: float | None = None
        self._heard_at: float | None = None
        self.awaited_caller = False
        """Whether the next part of the caller's request was awaited when the time was over."""
        self.stopped: DomainError | None = None
        """The error with which the call was stopped."""
        self._loop = asyncio.get_running_loop()
        self._due: float | None = None
        self._task: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # What the call waits for: "queue" or "answer".
        self.phase = "answer"

    @property
    def is_over(self) -> bool:
        """True while the call is being cancelled because its time is over."""
        return self._over and self.stopped is None

    def is_missed(self, least_seconds: float) -> bool:
        """True while the call is being cancelled because the instance let at least these seconds pass.

        It did not while the caller was silent: it may have waited for the caller's next part.
        """
        return self.is_over and self._seconds >= least_seconds and self._kind is not CallerSilent

    def await_caller(self) -> None:
        """Call it when the next part of the caller's request is awaited."""
        self._awaited_since = self._loop.time()

    def hear_caller(self, *, again: bool = True) -> None:
        """Call it when the part has come, or with `again` false when none will come any more."""
        self._awaited_since = None
        if again:
            self._heard_at = self._loop.time()

    def seconds_since_part(self) -> float | None:
        """Returns how long ago the last part of the caller's request came; None for a request that was whole."""
        return None if self._heard_at is None else self._loop.time() - self._heard_at

    def stop(self, error: DomainError) -> None:
        """Ends the current wait, or the next one, with this error."""
        if self.stopped is None:
            self.stopped = error
            if self._task is not None and not self._over:
                self._over = True
                self._task.cancel()

    @contextmanager
    def endless(self) -> Generator[None]:
        """A wait without a limit: only `stop` ends it."""
        self._endless = True
        with self:
            yield

    def __enter__(self) -> None:
        if self.stopped is not None:
            raise self.stopped
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("only a task can wait")
        self._task, self._cancels, self._over, self._refusal = task, task.cancelling(), False, None
        self.resume()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.suspend()
        task, self._task = self._task, None
        if self._over and task is not None:
            others = task.uncancel() > self._cancels
            if not others and isinstance(error, asyncio.CancelledError):
                raise self.refusal() from None

    def _look(self) -> None:
        due, self._timer = self._due, None
        if due is None:
            return
        if self._loop.time() < due:
            self._timer = self._loop.call_at(due, self._look)
        elif self._task is not None:
            # Now: the cancelled call will not await its caller any more.
            self._refusal, self.awaited_caller = self._kind, self._awaited_since is not None
            self._over = True
            self._task.cancel()

    def suspend(self) -> None:
        self._due = None

    def resume(self) -> None:
        """Restarts the full time of the current wait."""
        if self._task is not None and not self._over and not self._endless:
            self._due = self._loop.time() + self._seconds
            if self._timer is None:
                self._timer = self._loop.call_at(self._due, self._look)

    def end(self) -> None:
        """Cancels the timer. Call it when the call waits for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def spend(self, seconds: float) -> None:
        """Shortens the current wait: the call has waited this long before it had a task."""
        if self._due is not None:
            self._due -= seconds
            if self._timer is not None:
                self._timer.cancel()
                self._timer = self._loop.call_at(self._due, self._look)

    def refusal(self) -> DomainError:
        if self.stopped is not None:
            return self.stopped
        return self._kind(seconds=f"{self._seconds:g}", phase=self.phase)

    @property
    def _kind(self) -> type[PredictTimeout]:
        if self._refusal is not None:
            return self._refusal
        since = self._awaited_since
        if since is not None and self._loop.time() - since >= self._seconds * _SILENT_SHARE:
            return CallerSilent
        return CallerTimeout if self._shortened else PredictTimeout
