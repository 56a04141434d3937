"""Small messages and frames are handled a few in each turn of the event loop."""

import asyncio
from types import SimpleNamespace
from typing import cast

from mlpgateway.http2 import frames
from mlpgateway.http2.framing import FEW_FRAMES
from mlpgateway.http2.incoming import FEW_MESSAGES, IncomingMessages, Wire
from mlpgateway.http2.intake import Intake

MANY = 50 * FEW_MESSAGES


def incoming() -> IncomingMessages:
    wire = SimpleNamespace(
        limits=SimpleNamespace(message=10_000),
        credit=lambda _: None,
        announce=lambda *_: None,
        await_first=lambda _: None,
    )
    opening = SimpleNamespace(encoding="", metadata=(), length=None)
    found = IncomingMessages(cast("Wire", wire), 1, opening, None)  # type: ignore[arg-type]  # what messages need
    found.begin()
    return found


def messages(content: bytes, count: int) -> bytes:
    return (frames.prefix(len(content)) + content) * count


class TestMessages:
    async def handed(self, content: bytes, count: int) -> tuple[int, int]:
        """Returns how many messages the taker gets in the turn in which they come, and in how many turns it gets all."""
        call, taken, turns = incoming(), list[bytes](), 0
        call.hand_to(taken.append)
        reading = asyncio.create_task(call.read())
        await asyncio.sleep(0)
        call.receive(messages(content, count), 0, ended=False)
        at_once = len(taken)
        while len(taken) < count:
            await asyncio.sleep(0)
            turns += 1
        assert not reading.done()
        call.receive(b"", 0, ended=True)
        assert await reading is None
        return at_once, turns

    async def test_taker_gets_a_few_in_each_turn(self) -> None:
        at_once, turns = await self.handed(b"x", MANY)
        assert at_once == FEW_MESSAGES
        assert turns >= MANY // FEW_MESSAGES - 1

    async def test_messages_that_may_hold_others_count_by_their_size(self) -> None:
        at_once, turns = await self.handed(b"x" * 10_000, 30)
        assert at_once == 7
        assert turns >= 4

    async def test_answers_of_many_calls_reach_them_in_one_turn(self) -> None:
        at_once, _ = await self.handed(b"x" * 5_000, 10)
        assert at_once == 10

    async def test_end_of_the_messages_waits_for_those_before_it(self) -> None:
        call, taken = incoming(), list[bytes]()
        call.hand_to(taken.append)
        reading = asyncio.create_task(call.read())
        await asyncio.sleep(0)
        call.receive(messages(b"x", MANY), 0, ended=True)
        assert await reading is None
        assert len(taken) == MANY

    async def test_reader_lets_others_run(self) -> None:
        call, turns = incoming(), 0
        call.receive(messages(b"x", MANY), 0, ended=True)

        async def read() -> int:
            count = 0
            while await call.read() is not None:
                count += 1
            return count

        reading = asyncio.create_task(read())
        while not reading.done():
            await asyncio.sleep(0)
            turns += 1
        assert await reading == MANY
        assert turns >= MANY // FEW_MESSAGES


class TestFrames:
    async def test_a_few_are_taken_in_each_turn_while_the_socket_is_not_read(self) -> None:
        taken, told, turns = list[int](), list[str](), 0
        transport = SimpleNamespace(
            is_closing=lambda: False,
            pause_reading=lambda: told.append("paused"),
            resume_reading=lambda: told.append("resumed"),
        )
        intake = Intake(lambda _kind, _flags, number, _data: taken.append(number), lambda *_: told.append("failed"))
        intake.begin(cast("asyncio.Transport", transport))
        sent = [frames.frame(frames.DATA, 0, number, b"x") for number in range(1, MANY + 1)]
        intake.feed(frames.PREFACE + b"".join(sent))
        assert len(taken) == FEW_FRAMES
        while told[-1] != "resumed":
            await asyncio.sleep(0)
            turns += 1
        assert taken == list(range(1, MANY + 1))
        assert turns >= MANY // FEW_FRAMES - 1
        assert set(told) == {"paused", "resumed"}

    async def test_nothing_is_taken_after_the_end(self) -> None:
        taken = list[int]()
        intake = Intake(lambda _kind, _flags, number, _data: taken.append(number), lambda *_: None)
        transport = SimpleNamespace(is_closing=lambda: False, pause_reading=lambda: None, resume_reading=lambda: None)
        intake.begin(cast("asyncio.Transport", transport))
        intake.feed(frames.PREFACE + frames.frame(frames.DATA, 0, 1, b"x") * MANY)
        intake.end()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(taken) == FEW_FRAMES
