"""How long a call waits for its answer. While an instance starts the clock stands still: that has a time of its own."""

import asyncio
from types import TracebackType

from mlpgateway.call.plan import LONGEST_SECONDS
from mlpgateway.errors.calls import PredictTimeout


class Deadline:
    """Of one call; `with` it around each wait, which raises PredictTimeout at the end of the time. `end` it.

    A stream may take as long as it keeps saying something: the time is for each wait. Its many waits share one timer,
    which looks whether it is due when it goes off: a timer for each costs more than all else that is done for a part.
    """

    __slots__ = ("_cancels", "_due", "_loop", "_over", "_seconds", "_task", "_timer", "phase")

    def __init__(self, seconds: float) -> None:
        self._seconds = min(seconds, LONGEST_SECONDS)
        self._over = False
        self._loop = asyncio.get_running_loop()
        self._due: float | None = None
        self._task: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # What the call waits for: its place in the queue, or the answer.
        self.phase = "answer"

    @property
    def is_over(self) -> bool:
        """Whether the call is being given up because its time is over."""
        return self._over

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("only a task can wait")
        self._task, self._cancels, self._over = task, task.cancelling(), False
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
            self._over = True
            self._task.cancel()

    def suspend(self) -> None:
        self._due = None

    def resume(self) -> None:
        """The whole time, from now on."""
        if self._task is not None and not self._over:
            self._due = self._loop.time() + self._seconds
            if self._timer is None:
                self._timer = self._loop.call_at(self._due, self._look)

    def end(self) -> None:
        """Nothing more is waited for."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def refusal(self) -> PredictTimeout:
        return PredictTimeout(seconds=f"{self._seconds:g}", phase=self.phase)
