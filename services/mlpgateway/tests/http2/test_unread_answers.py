"""Callers that do not read their answers: answers are kept neither for ever nor without bound."""

import asyncio
from contextlib import suppress

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code
from mlplace_testing.waiting import eventually

KEY = b"key-of-7"
SHORT = {"unread_seconds": 0.3, "least_read_rate": 1_000_000_000}


async def _reset_with(peer, number: int) -> int:
    _, code = await peer.until(frames.RST_STREAM, number)
    return int.from_bytes(code)


class TestClosedWindow:
    async def test_unread_answer_to_a_known_caller_ends_its_call_in_time(self, serve, peers):
        async with serve(**SHORT) as served, peers.Peer(served.port) as peer:
            peer.greet(window=0)
            number = peer.head()
            peer.message(number, KEY)
            assert await _reset_with(peer, number) == Code.CANCEL
            await asyncio.wait_for(served.cancelled.wait(), 60)
            assert served.server.connections[0].calls == 0

    async def test_reading_caller_keeps_its_call(self, serve, peers):
        async with serve(unread_seconds=20.0) as served, peers.Peer(served.port) as peer:
            peer.greet(window=0)
            number, unread = peer.head(), peer.head()
            peer.message(number, KEY)
            peer.message(unread, KEY)
            peer.write(frames.window_update(number, 100))
            assert await peer.received(number, len(KEY) + 5) == len(KEY) + 5
            await peer.answered()
            served.server.end_late(asyncio.get_running_loop().time() + 60)
            assert await _reset_with(peer, unread) == Code.CANCEL
            peer.message(number, KEY, ended=True)
            assert await peer.status(number) == 0

    async def test_server_does_not_wait_for_an_unproven_reader(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet(window=0)
            numbers = [peer.head() for _ in range(50)]
            for number in numbers:
                peer.message(number, b"who am I")
            for number in numbers:
                assert await _reset_with(peer, number) == Code.CANCEL
            assert served.server.connections[0].calls == 0


class TestSilentSocket:
    async def test_proven_peer_that_reads_nothing_is_disconnected(self, serve, peers):
        async with serve(**SHORT) as served, peers.Peer(served.port) as peer:
            peer.greet(window=2**31 - 1)
            peer.write(frames.window_update(0, 2**30))
            number = peer.head()
            peer.message(number, KEY)
            await peer.until(frames.DATA, number)
            peer.stop_reading()
            with suppress(ConnectionError):  # the server disconnects in the end
                for _ in range(1_000):
                    peer.message(number, b"x" * 16_000)
                    await peer.flush()
                    await asyncio.sleep(0.005)
            await eventually(lambda: _value(not served.server.connections))

    async def test_peer_that_floods_and_reads_nothing_is_disconnected(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            peer.stop_reading()
            for _ in range(2_000):
                peer.head(path="/nothing")
            await eventually(lambda: _value(not served.server.connections))


async def _value(value):
    return value
