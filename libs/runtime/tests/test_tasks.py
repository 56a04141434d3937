"""Background loops, and how tasks are ended."""

import asyncio

from mlplace_runtime.tasks import ended


class TestEnded:
    async def test_takes_as_many_cancellations_as_it_needs(self) -> None:
        """As `asyncio.wait_for` of Python 3.11, which gives back a result that comes together with a cancellation."""
        cancelled = 0

        async def stubborn() -> None:
            nonlocal cancelled
            while cancelled < 3:
                try:
                    await asyncio.sleep(100)
                except asyncio.CancelledError:
                    cancelled += 1
            await asyncio.sleep(100)

        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await ended(task)
        assert task.cancelled()
        assert cancelled == 3

    async def test_is_done_at_once_for_nothing_and_for_what_has_ended(self) -> None:
        task = asyncio.create_task(asyncio.sleep(0))
        await task
        async with asyncio.timeout(0.4):
            await ended()
            await ended(task)
