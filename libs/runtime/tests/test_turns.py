"""Tests that work is divided over iterations of the event loop."""

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest

from mlplace_runtime.process.turns import Turns

_TURNS = 4


class TestTurns:
    async def test_a_key_that_asks_endlessly_does_not_block_the_loop(self) -> None:
        turns, done, passes = Turns(), 0, 0

        def again() -> None:
            nonlocal done
            done += 1
            if done < 1000:
                turns.ask("flood", again)

        turns.ask("flood", again)
        while done < 1000:
            await asyncio.sleep(0)
            passes += 1
        assert passes >= 1000 // _TURNS - 1

    async def test_keys_take_turns(self) -> None:
        turns, order = Turns(), ""

        def noted(letter: str) -> Callable[[], None]:
            def note() -> None:
                nonlocal order
                order += letter

            return note

        for letter in "aaaaaaaabbc":
            turns.ask(letter, noted(letter))
        for _ in range(10):
            await asyncio.sleep(0)
        assert order == "aaaa" + "abca" + "baa"

    async def test_failing_work_does_not_stop_the_turns(self) -> None:
        turns, done = Turns(), []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, _context: None)
        for _ in range(_TURNS):
            turns.ask("a", lambda: None)
        turns.ask("a", lambda: done[0])
        turns.ask("a", lambda: done.append(1))
        for _ in range(10):
            await asyncio.sleep(0)
        assert done == [1]


class TestWait:
    @pytest.mark.parametrize("later", range(6))
    async def test_four_go_on_in_one_iteration_also_while_others_come(self, later: int) -> None:
        """The second part comes in the iteration in which the last of the first part go on."""
        turns, iteration, went_on = Turns(), 0, Counter[int]()

        async def come(after: int) -> None:
            for _ in range(after):
                await asyncio.sleep(0)
            await turns.wait("a client")
            went_on[iteration] += 1

        coming = asyncio.gather(*(come(0) for _ in range(8)), *(come(later) for _ in range(8)))
        while not coming.done():
            await asyncio.sleep(0)
            iteration += 1
        assert sum(went_on.values()) == 16
        assert max(went_on.values()) == _TURNS

    async def test_who_left_does_not_keep_the_others_waiting(self) -> None:
        turns = Turns()
        waiting = [asyncio.create_task(turns.wait("a client")) for _ in range(10)]
        await asyncio.sleep(0)
        for each in waiting[:9]:
            each.cancel()
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert [isinstance(end, asyncio.CancelledError) for end in ends] == [True] * 9 + [False]
