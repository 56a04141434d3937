"""The window of parts in transit."""

import asyncio

import pytest

from mlplace_gateproto.flow import ReceiveWindow, SendWindow, cost_of

ROOM = cost_of(100)


async def has_room(sent: SendWindow) -> bool:
    task = asyncio.ensure_future(sent.room())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if task.done():
        return True
    task.cancel()
    return False


class TestSent:
    async def test_sender_stops_at_the_window_and_resumes_after_a_report(self) -> None:
        sent = SendWindow(2 * ROOM)
        sent.sent(100)
        assert await has_room(sent)
        sent.sent(100)
        waits = asyncio.ensure_future(sent.room())
        await asyncio.sleep(0)
        assert not waits.done()
        sent.taken(ROOM)
        await asyncio.wait_for(waits, 60)

    async def test_single_part_of_any_size_fits(self) -> None:
        sent = SendWindow(10)
        assert await has_room(sent)
        sent.sent(10**9)
        assert not await has_room(sent)

    @pytest.mark.parametrize("told", [-(10**9), 0])
    async def test_lower_total_has_no_effect(self, told: int) -> None:
        sent = SendWindow(ROOM)
        sent.sent(100)
        sent.taken(ROOM)
        sent.taken(told)
        assert await has_room(sent)

    async def test_total_above_what_was_sent_has_no_effect(self) -> None:
        sent = SendWindow(ROOM)
        sent.sent(100)
        sent.taken(10**9)
        sent.sent(100)
        assert not await has_room(sent)

    async def test_sender_without_a_window_never_waits(self) -> None:
        sent = SendWindow(None)
        sent.sent(10**9)
        assert await has_room(sent)


class TestTaken:
    def test_total_is_reported_after_each_half_window(self) -> None:
        told: list[int] = []
        taken = ReceiveWindow(told.append, window=4 * ROOM)
        for _ in range(5):
            taken.took(100)
        assert told == [2 * ROOM, 4 * ROOM]
