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


async def ended_after(deadline: Deadline, clock, *, part_at: float | None = None) -> tuple[type[Exception], bool]:
    """Returns the error of a wait of ten seconds for the caller's part, and whether the instance is to blame.

    With `part_at` a part of the request comes then, and the next one is awaited.
    """
    missed = False

    async def waits() -> None:
        nonlocal missed
        with deadline:
            deadline.await_caller()
            if part_at is not None:
                clock.advance(part_at)
                await asyncio.sleep(0)
                deadline.hear_caller()
                deadline.await_caller()
            clock.advance(10 - (part_at or 0))
            try:
                await asyncio.sleep(1000)
            finally:
                missed = deadline.is_missed(8)
                deadline.hear_caller(again=False)  # as when the request is closed with the call

    with pytest.raises(PredictTimeout) as refused:
        await waits()
    return type(refused.value), missed


class TestAwaitedCaller:
    """While the gate waits for a part of the request, the caller ends the answer."""

    @pytest.mark.parametrize(
        ("part_at", "error", "missed"),
        [(None, CallerSilent, False), (4, CallerSilent, False), (6, PredictTimeout, True)],
    )
    async def test_instance_is_to_blame_unless_the_caller_was_silent(
        self, deadline, clock, part_at, error, missed
    ) -> None:
        assert await ended_after(deadline, clock, part_at=part_at) == (error, missed)
        assert deadline.awaited_caller

    async def test_whole_request_is_the_instances(self, deadline, clock) -> None:
        async def waits() -> None:
            with deadline:
                clock.advance(10)
                await asyncio.sleep(1000)

        deadline.await_caller()
        deadline.hear_caller(again=False)
        with pytest.raises(PredictTimeout) as refused:
            await waits()
        assert (type(refused.value), deadline.is_missed(8), deadline.awaited_caller) == (PredictTimeout, True, False)

    async def test_seconds_count_from_the_last_part(self, deadline, clock) -> None:
        assert deadline.seconds_since_part() is None
        for _ in range(2):
            deadline.hear_caller()
            clock.advance(3)
        deadline.hear_caller(again=False)
        assert deadline.seconds_since_part() == 3


@pytest.mark.parametrize(("least", "missed"), [(10, True), (10.1, False)])
async def test_instance_has_missed_only_a_time_that_is_long_enough(deadline, clock, least, missed) -> None:
    async def waits() -> None:
        with deadline:
            clock.advance(10)
            await asyncio.sleep(1000)

    with pytest.raises(PredictTimeout):
        await waits()
    assert deadline.is_missed(least) is missed


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
