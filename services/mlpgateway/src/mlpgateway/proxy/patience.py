"""How long a call waits for its answer. While an instance starts the clock stands still: that has a time of its own."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from mlpgateway.proxy.call import Answer
from mlpgateway.proxy.errors import PredictTimeout
from mlpgateway.proxy.plan import LONGEST_SECONDS


class Patience:
    """Of one call. The time is for each wait: a stream may take as long as it keeps saying something."""

    __slots__ = ("_running", "_seconds", "phase")

    def __init__(self, seconds: float) -> None:
        self._seconds = min(seconds, LONGEST_SECONDS)
        self._running: asyncio.Timeout | None = None
        # What the call waits for: its place in the queue, or the answer.
        self.phase = "answer"

    @property
    def is_over(self) -> bool:
        """Whether the call is being given up because its time is over."""
        return self._running is not None and self._running.expired()

    async def next(self, answers: AsyncGenerator[Answer]) -> Answer | None:
        """None at the end. Raises PredictTimeout."""
        try:
            async with asyncio.timeout(self._seconds) as self._running:
                return await anext(answers, None)
        except TimeoutError:
            raise self.refusal() from None
        finally:
            self._running = None

    async def last(self, answers: AsyncGenerator[Answer], each: Callable[[Answer], None]) -> Answer | None:
        """The last answer, all of them within the time. Raises PredictTimeout."""
        last: Answer | None = None
        try:
            async with asyncio.timeout(self._seconds) as self._running:
                async for answer in answers:
                    each(answer)
                    last = answer
        except TimeoutError:
            raise self.refusal() from None
        finally:
            self._running = None
        return last

    def suspend(self) -> None:
        if self._running is not None and not self._running.expired():
            self._running.reschedule(None)

    def resume(self) -> None:
        """The whole time, from now on."""
        if self._running is not None and not self._running.expired():
            self._running.reschedule(asyncio.get_running_loop().time() + self._seconds)

    def refusal(self) -> PredictTimeout:
        return PredictTimeout(seconds=f"{self._seconds:g}", phase=self.phase)
