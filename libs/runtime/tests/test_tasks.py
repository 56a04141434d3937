"""Tests how tasks are ended and waited for."""

import asyncio
import time

import pytest

from mlplace_runtime.tasks import ended, every, heard_within


class TestEnded:
    async def test_cancels_as_often_as_needed(self) -> None:
        """Like `asyncio.wait_for` of Python 3.11, which returns a result that arrives together with a cancellation."""
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
        async with asyncio.timeout(60):
            await ended(task)
        assert task.cancelled()
        assert cancelled == 3

    async def test_returns_at_once_for_no_tasks_and_for_ended_ones(self) -> None:
        task = asyncio.create_task(asyncio.sleep(0))
        await task
        for returning in (asyncio.create_task(ended()), asyncio.create_task(ended(task))):
            for _ in range(10):
                await asyncio.sleep(0)
            assert returning.done()


class TestHeardWithin:
    async def test_returns_the_result_or_error_of_the_work(self) -> None:
        assert await heard_within(20, asyncio.sleep(0, 7)) == 7
        with pytest.raises(ZeroDivisionError):
            await heard_within(20, _divide())

    async def test_a_pause_of_this_process_does_not_count_as_silence(self) -> None:
        async def answer() -> int:
            await asyncio.sleep(0.01)
            await asyncio.sleep(0)
            return 7

        asyncio.get_running_loop().call_soon(time.sleep, 1.5)
        assert await heard_within(1.0, answer()) == 7

    async def test_silence_cancels_the_work(self) -> None:
        work = asyncio.create_task(asyncio.sleep(100))
        with pytest.raises(TimeoutError):
            await heard_within(0.05, work)
        assert work.cancelled()

    async def test_its_cancellation_cancels_the_work(self) -> None:
        work = asyncio.create_task(asyncio.sleep(100))
        waiting = asyncio.create_task(heard_within(100, work))
        await asyncio.sleep(0)
        await ended(waiting)
        assert work.cancelled()


async def _divide() -> float:
    return 1 / 0


class TestEvery:
    async def test_event_ends_the_wait_and_one_that_comes_during_the_work_is_not_lost(self) -> None:
        wanted, worked = asyncio.Event(), asyncio.Event()
        times: list[bool] = []

        async def work() -> None:
            times.append(wanted.is_set())
            if len(times) == 2:
                wanted.set()
            worked.set()

        task = asyncio.create_task(every(3600, work, woken_by=wanted))
        await worked.wait()
        worked.clear()
        wanted.set()
        async with asyncio.timeout(60):
            while len(times) < 3:
                await worked.wait()
                worked.clear()
        await ended(task)
        assert times == [False] * 3

    async def test_without_an_event_the_work_is_repeated_after_the_time(self) -> None:
        times: list[float] = []
        third = asyncio.Event()

        async def work() -> None:
            times.append(time.monotonic())
            if len(times) == 3:
                third.set()

        task = asyncio.create_task(every(0.01, work, woken_by=asyncio.Event()))
        async with asyncio.timeout(60):
            await third.wait()
        await ended(task)
        assert times[1] - times[0] >= 0.01
