import asyncio

import pytest

from mlpcore.change_turns import ChangeTurns
from mlpcore.errors import TooManyChanges


class _Change:
    """A change that lasts until it is released. `began` is set when it has its turn."""

    def __init__(self, turns: ChangeTurns, caller: str, left: asyncio.Event | None = None) -> None:
        self.began, self._release, self._left = asyncio.Event(), asyncio.Event(), left
        self.task = asyncio.create_task(self._run(turns, caller))

    async def _run(self, turns: ChangeTurns, caller: str) -> None:
        async with turns.turn(caller, self._left.wait if self._left else None):
            self.began.set()
            await self._release.wait()

    async def end(self) -> None:
        self._release.set()
        await self.task


async def _listen() -> None:
    """Lets the other tasks run until they wait."""
    for _ in range(10):
        await asyncio.sleep(0)


class TestTurn:
    async def test_second_change_of_a_caller_waits_for_the_first_and_others_do_not(self) -> None:
        turns = ChangeTurns()
        first, second, another = (_Change(turns, caller) for caller in ("account:1", "account:1", "account:2"))
        await _listen()
        assert [change.began.is_set() for change in (first, second, another)] == [True, False, True]
        await first.end()
        await _listen()
        assert second.began.is_set()
        await second.end()
        await another.end()

    async def test_six_callers_change_at_a_time(self) -> None:
        turns = ChangeTurns()
        changes = [_Change(turns, f"account:{number}") for number in range(7)]
        await _listen()
        assert [change.began.is_set() for change in changes] == [True] * 6 + [False]
        for change in changes:
            await change.end()

    async def test_more_than_sixteen_waiting_changes_of_a_caller_are_refused_until_one_has_its_turn(self) -> None:
        turns = ChangeTurns()
        changes = [_Change(turns, "account:1") for _ in range(17)]
        await _listen()
        with pytest.raises(TooManyChanges):
            async with turns.turn("account:1"):
                pass
        another = _Change(turns, "account:2")
        await _listen()
        assert another.began.is_set()
        await changes[0].end()
        last = _Change(turns, "account:1")
        for change in (*changes[1:], last, another):
            await change.end()

    async def test_no_number_of_callers_with_many_changes_refuses_another_one(self) -> None:
        turns = ChangeTurns()
        running = [_Change(turns, f"running:{number}") for number in range(6)]
        many = [_Change(turns, f"many:{number % 256}") for number in range(4096)]
        await _listen()
        another = _Change(turns, "account:1")
        await _listen()
        assert [change.task.done() for change in many].count(True) == 1
        with pytest.raises(TooManyChanges):
            await next(change.task for change in many if change.task.done())
        assert not another.task.done()
        another.task.cancel()
        for change in (*running, *many):
            change.task.cancel()
        await asyncio.gather(*(change.task for change in (*running, *many, another)), return_exceptions=True)
        async with asyncio.timeout(60), turns.turn("account:2"):
            pass

    async def test_callers_take_turns_however_many_changes_each_has(self) -> None:
        turns = ChangeTurns()
        running = [_Change(turns, f"running:{number}") for number in range(6)]
        many = [_Change(turns, "account:1") for _ in range(16)]
        another = _Change(turns, "account:2")
        await _listen()
        await running[0].end()
        await many[0].end()
        await _listen()
        assert (another.began.is_set(), many[1].began.is_set()) == (True, False)
        for change in (another, *running[1:], *many[1:]):
            await change.end()

    async def test_change_whose_turn_does_not_come_in_time_is_refused(self) -> None:
        turns = ChangeTurns(longest=0.01)
        first, second = (_Change(turns, "account:1") for _ in range(2))
        with pytest.raises(TooManyChanges):
            await second.task
        assert TooManyChanges.status == 429
        assert TooManyChanges.retry_after_seconds
        await first.end()
        async with turns.turn("account:1"):
            pass

    async def test_change_that_its_caller_has_left_takes_no_turn(self) -> None:
        turns, left = ChangeTurns(), asyncio.Event()
        first = _Change(turns, "account:1")
        second = _Change(turns, "account:1", left)
        third = _Change(turns, "account:1")
        await _listen()
        left.set()
        with pytest.raises(TooManyChanges):
            await second.task
        await first.end()
        await _listen()
        assert (second.began.is_set(), third.began.is_set()) == (False, True)
        await third.end()

    async def test_change_that_is_cancelled_while_it_waits_gives_up_its_turn(self) -> None:
        turns = ChangeTurns()
        first, cancelled, last = (_Change(turns, "account:1") for _ in range(3))
        await _listen()
        cancelled.task.cancel()
        await first.end()
        await _listen()
        assert last.began.is_set()
        await last.end()
