"""A call's time for its answer, on a clock that the test moves."""

import asyncio
from collections.abc import Callable

import pytest

from mlpgateway.call.deadline import Deadline
from mlpgateway.errors.calls import CallerSilent, CallerTimeout, PredictTimeout
from mlplace_kit.errors import AccessDenied


class Handle:
    def __init__(self, at: float, callback: Callable[[], None]) -> None:
        self.at = at
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """The part of an event loop that tells the time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.handles: list[Handle] = []

    def time(self) -> float:
        return self.now

    def call_at(self, at: float, callback: Callable[[], None]) -> Handle:
        self.handles.append(Handle(at, callback))
        return self.handles[-1]

    def advance(self, seconds: float) -> None:
        self.now += seconds
        for handle in [handle for handle in self.handles if not handle.cancelled and handle.at <= self.now]:
            handle.cancelled = True
            handle.callback()


@pytest.fixture
def clock() -> Loop:
    return Loop()


@pytest.fixture
async def deadline(clock, monkeypatch) -> Deadline:
    made = Deadline(10)
    monkeypatch.setattr(made, "_loop", clock)
    return made


async def test_wait_ends_when_its_time_is_over(deadline, clock) -> None:
    async def waits() -> None:
        with deadline:
            clock.advance(9.9)
            await asyncio.sleep(0)
            assert not deadline.is_over
            clock.advance(0.1)
            await asyncio.sleep(1000)

    with pytest.raises(PredictTimeout) as refused:
        await waits()
    assert refused.value.details["seconds"] == "10"
    assert deadline.is_over


@pytest.mark.parametrize(("shortened", "error"), [(True, CallerTimeout), (False, PredictTimeout)])
async def test_error_says_whether_the_caller_shortened_the_time(shortened, error) -> None:
    with pytest.raises(PredictTimeout) as refused, Deadline(0.01, shortened=shortened):
        await asyncio.sleep(1000)
    assert type(refused.value) is error


class TestAwaitedCaller:
    """While the gate waits for a part of the request, the time that passes is the caller's."""

    async def test_the_model_has_missed_nothing(self, deadline, clock) -> None:
        async def waits() -> None:
            with deadline:
                deadline.awaits_caller = True
                clock.advance(10)
                try:
                    await asyncio.sleep(1000)
                finally:
                    deadline.awaits_caller = False  # as when the request is closed with the call
                    assert (deadline.is_over, deadline.is_missed) == (True, False)

        with pytest.raises(CallerSilent) as refused:
            await waits()
        assert refused.value.code == PredictTimeout.code

    async def test_a_later_wait_is_the_models(self, deadline, clock) -> None:
        async def waits() -> None:
            with deadline:
                clock.advance(10)
                try:
                    await asyncio.sleep(1000)
                finally:
                    assert deadline.is_missed

        deadline.awaits_caller = True
        with deadline:
            await asyncio.sleep(0)
        deadline.awaits_caller = False
        with pytest.raises(PredictTimeout) as refused:
            await waits()
        assert type(refused.value) is PredictTimeout


async def test_a_shortened_time_is_not_missed_by_the_instance(clock, monkeypatch) -> None:
    deadline = Deadline(10, shortened=True)
    monkeypatch.setattr(deadline, "_loop", clock)

    async def waits() -> None:
        with deadline:
            clock.advance(10)
            try:
                await asyncio.sleep(1000)
            finally:
                assert (deadline.is_over, deadline.is_missed) == (True, False)

    with pytest.raises(CallerTimeout):
        await waits()


async def test_each_wait_has_the_whole_time_and_all_share_one_timer(deadline, clock) -> None:
    for _ in range(5):
        with deadline:
            clock.advance(3)
            await asyncio.sleep(0)
    assert len(clock.handles) == 2, "set at the first wait, and again when that was over at 10"

    async def waits() -> None:
        with deadline:
            clock.advance(9)
            await asyncio.sleep(0)
            clock.advance(1)
            await asyncio.sleep(1000)

    with pytest.raises(PredictTimeout):
        await waits()


async def test_no_timeout_between_waits_and_while_suspended(deadline, clock) -> None:
    with deadline:
        deadline.suspend()
        clock.advance(1000)
        await asyncio.sleep(0)
        deadline.resume()
        clock.advance(9)
        await asyncio.sleep(0)
    clock.advance(1000)
    await asyncio.sleep(0)
    assert not deadline.is_over


async def test_no_timer_stays_at_the_end(deadline, clock) -> None:
    with deadline:
        await asyncio.sleep(0)
    deadline.end()
    assert all(handle.cancelled for handle in clock.handles)


async def test_cancellation_from_outside_is_not_a_timeout(deadline, clock) -> None:
    async def waits() -> None:
        with deadline:
            await asyncio.sleep(1000)

    task = asyncio.create_task(waits())
    await asyncio.sleep(0)
    task.cancel()
    clock.advance(10)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_endless_wait_has_no_end_of_its_own(deadline, clock) -> None:
    with deadline.endless():
        deadline.resume()
        clock.advance(1000)
        await asyncio.sleep(0)
    assert not deadline.is_over


@pytest.mark.parametrize("endless", [False, True])
async def test_stop_ends_the_current_wait_and_each_later_one(deadline, endless) -> None:
    error = AccessDenied()
    waits = deadline.endless if endless else lambda: deadline
    begun = asyncio.Event()

    async def wait() -> None:
        with waits():
            begun.set()
            await asyncio.Event().wait()

    waiting = asyncio.create_task(wait())
    await begun.wait()
    deadline.stop(error)
    deadline.stop(AccessDenied())
    with pytest.raises(AccessDenied) as stopped:
        await waiting
    assert stopped.value is error
    assert not deadline.is_over, "the instance is not to blame"
    with pytest.raises(AccessDenied), waits():
        await asyncio.sleep(0)


async def test_stop_between_two_waits_ends_the_next_one(deadline) -> None:
    with deadline:
        await asyncio.sleep(0)
    deadline.stop(AccessDenied())
    with pytest.raises(AccessDenied), deadline:
        await asyncio.sleep(0)
