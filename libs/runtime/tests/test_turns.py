"""Tests that work is divided over iterations of the event loop."""

import asyncio
from collections.abc import Callable

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
