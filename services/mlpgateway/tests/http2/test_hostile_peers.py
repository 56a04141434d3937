"""Peers that violate HTTP/2 or demand too much lose their own connection and nothing else."""

import asyncio
from contextlib import AsyncExitStack

import grpc
import pytest

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code
from mlplace_testing.waiting import eventually

KEY = b"key-of-7"


def _channel(port: int) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}")


async def _echoes(port: int, text: bytes = KEY) -> bool:
    async with _channel(port) as channel:
        return await channel.unary_unary("/test.Test/echo")(text) == text


async def _counts(served, *, idle: int) -> bool:
    return len(served.server.connections) == 2 and sum(each.idle for each in served.server.connections) == idle - 1


async def _are(served, connections) -> bool:
    return served.server.connections == connections


class TestFloods:
    @pytest.fixture
    async def served(self, serve):
        """However long the flood takes, the connection's budget of frames does not refill."""
        async with serve(frames_per_second=0.0) as served:
            yield served

    @pytest.mark.parametrize(
        "flood",
        [
            frames.frame(frames.PING, 0, 0, b"12345678"),
            frames.settings({4: 65_535}),
            frames.frame(frames.PRIORITY, 0, 1, b"\0\0\0\0\0"),
            frames.frame(0x42, 0, 0, b"?"),
            frames.window_update(0, 1) * 4,
        ],
        ids=["ping", "settings", "priority", "unknown", "window_update"],
    )
    async def test_flood_of_control_frames_ends_the_connection(self, served, peers, flood):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            peer.write(flood * 2_000)
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM
        assert await _echoes(served.port)

    @pytest.mark.parametrize("path", ["/nothing", "/test.Test/echo"], ids=["no method", "strangers"])
    async def test_flood_of_empty_calls_ends_the_connection(self, served, peers, path):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            for _ in range(1_500):
                peer.message(peer.head(path=path), b"x", ended=True)
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM
        assert await _echoes(served.port)

    async def test_flood_of_reset_calls_ends_the_connection(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            for _ in range(2_000):
                peer.write(frames.reset(peer.head(), Code.CANCEL))
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM

    @pytest.mark.parametrize("begun", [False, True])
    @pytest.mark.parametrize("fault", ["length", "window"])
    async def test_flood_of_calls_that_the_server_has_to_reset_ends_the_connection(self, served, peers, begun, fault):
        """A peer that breaks the protocol on each stream would need no RST_STREAM of its own."""
        async with peers.Peer(served.port) as peer:
            peer.greet()
            for _ in range(2_000):
                number = peer.head(more=(("content-length", "6"),) if fault == "length" else ())
                if begun:
                    peer.data(number, frames.prefix(1) + b"x")
                if fault == "length":
                    peer.data(number, b"too long")
                else:
                    peer.write(frames.window_update(number, 2**31 - 1))
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM
        assert await _echoes(served.port)

    async def test_flood_of_empty_frames_ends_the_connection(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            for _ in range(2_000):
                peer.data(number, b"")
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM

    async def test_endless_headers_end_the_connection(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(flags=0)
            for _ in range(20):
                peer.write(frames.frame(frames.CONTINUATION, 0, number, b""))
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM

    async def test_headers_that_decode_too_large_end_the_connection(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            peer.write(frames.frame(frames.HEADERS, frames.END_HEADERS, 1, b"\x40\x01a\x7f\x81\x1e" + b"x" * 4_000))
            peer.write(frames.frame(frames.HEADERS, frames.END_HEADERS, 3, b"\xbe" * 100))
            assert await peer.goaway() is Code.COMPRESSION_ERROR


class TestRules:
    @pytest.mark.parametrize(
        ("sent", "code"),
        [
            (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.frame(frames.PING, 0, 0, b"12345678"), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.settings({}) + b"\xff\xff\xff" + b"\0" * 6, Code.FRAME_SIZE_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.frame(frames.DATA, 0, 1, b"x"), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.frame(frames.HEADERS, 4, 2, b"\x82"), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.frame(frames.HEADERS, 4, 1, b"\xff" * 9), Code.COMPRESSION_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.window_update(0, 2**31 - 1), Code.FLOW_CONTROL_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.window_update(0, 0), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.reset(9, Code.CANCEL), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.frame(frames.PUSH_PROMISE, 4, 1, b""), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.settings({}) + frames.frame(frames.CONTINUATION, 4, 1, b""), Code.PROTOCOL_ERROR),
            (frames.PREFACE + frames.frame(frames.SETTINGS, 0, 0, b"x"), Code.FRAME_SIZE_ERROR),
            (frames.PREFACE + frames.settings({4: 2**31}), Code.FLOW_CONTROL_ERROR),
        ],
    )  # fmt: skip
    async def test_violation_is_reported_and_ends_the_connection(self, served, peers, sent, code):
        async with peers.Peer(served.port) as peer:
            peer.write(sent)
            assert await peer.goaway() is code
            await peer.closed()
        assert await _echoes(served.port)

    async def test_data_beyond_the_window_ends_the_connection(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            for _ in range(8):
                peer.message(peer.head(), b"x" * 9_000, claimed=10_000)
            assert await peer.goaway() is Code.FLOW_CONTROL_ERROR

    async def test_frames_may_arrive_byte_by_byte(self, served, peers):
        async with peers.Peer(served.port) as peer:
            sent: list[bytes] = []
            write, peer.write = peer.write, sent.append
            peer.greet()
            number = peer.head()
            peer.message(number, b"slowly", ended=True)
            for byte in b"".join(sent):
                write(bytes((byte,)))
                await peer.flush()
            _, content = await peer.until(frames.DATA)
            assert content[5:] == b"slowly"
            assert await peer.status(number) == 0

    async def test_padding_counts_for_flow_control_and_is_removed(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            content = b"\x03" + frames.prefix(2) + b"hi" + b"\0\0\0"
            peer.write(frames.frame(frames.DATA, frames.PADDED | frames.END_STREAM, number, content))
            _, content = await peer.until(frames.DATA)
            assert content[5:] == b"hi"


class TestSilence:
    async def test_call_without_a_message_ends_in_time(self, serve, peers):
        async with serve(first_message_seconds=0.2) as served, peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            assert await peer.status(number) == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]

    async def test_call_with_an_endless_message_ends_in_time(self, serve, peers):
        async with serve(first_message_seconds=0.2) as served, peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"x", claimed=10)
            assert await peer.status(number) == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]

    async def test_peer_of_another_protocol_is_disconnected(self, serve, peers):
        async with serve(settings_seconds=0.2, first_message_seconds=0.2) as served, peers.Peer(served.port) as peer:
            assert await peer.goaway() is Code.SETTINGS_TIMEOUT

    async def test_idle_unproven_peer_is_disconnected_without_an_error(self, serve, peers):
        async with serve(unproven_seconds=0.2, first_message_seconds=0.2) as served, peers.Peer(served.port) as peer:
            peer.greet()
            await peer.until(frames.GOAWAY)
            await peer.closed()

    async def test_proven_peer_may_be_idle(self, serve, peers):
        async with serve(unproven_seconds=20.0) as served, _channel(served.port) as channel:
            echo = channel.unary_unary("/test.Test/echo")
            assert await echo(KEY) == KEY
            (connection,) = served.server.connections
            async with peers.Peer(served.port) as unproven:
                unproven.greet()
                await unproven.answered()
                served.server.end_late(asyncio.get_running_loop().time() + 60)
                await unproven.closed()
            assert await echo(KEY) == KEY
            await eventually(lambda: _are(served, [connection]))

    async def test_vanished_peer_is_noticed(self, serve, peers):
        short = {"ping_seconds": 0.1, "ping_timeout_seconds": 0.2, "first_message_seconds": 0.2}
        async with serve(**short) as served, peers.Peer(served.port) as peer:
            peer.greet()
            peer.message(peer.head(), KEY)
            await peer.until(frames.PING)
            await peer.closed()


class TestLimits:
    async def test_new_connection_replaces_the_oldest_unproven_one_of_its_address(self, serve, peers):
        async with serve(unproven_of_address=2) as served, peers.Peer(served.port) as first:
            first.greet()
            await first.until(frames.SETTINGS)
            async with peers.Peer(served.port) as second, peers.Peer(served.port) as third:
                for peer in (second, third):
                    peer.greet()
                    await peer.until(frames.SETTINGS)
                await first.closed()
                third.message(third.head(), b"still", ended=True)
                await third.until(frames.DATA)

    async def test_new_connection_to_a_full_server_replaces_one_of_the_address_that_has_most(self, serve, peers):
        async with serve(unproven=3) as served, AsyncExitStack() as stack:
            sole, *many = [
                await stack.enter_async_context(peers.Peer(served.port, address=address))
                for address in ("127.0.0.2", "127.0.0.3", "127.0.0.3")
            ]
            for peer in (sole, *many):
                peer.greet()
                await peer.until(frames.SETTINGS)
            newcomer = await stack.enter_async_context(peers.Peer(served.port))
            newcomer.greet()
            await newcomer.until(frames.SETTINGS)
            await many[0].closed()
            sole.message(sole.head(), b"still", ended=True)
            await sole.until(frames.DATA)

    async def test_proven_or_busy_connections_stay(self, serve, peers):
        async with serve(unproven_of_address=1) as served, peers.Peer(served.port) as known:
            known.greet()
            first = known.head()
            known.message(first, KEY)
            await known.until(frames.DATA)
            async with peers.Peer(served.port) as waits:
                waits.greet()
                waits.message(waits.head(), b"wait")
                await waits.until(frames.SETTINGS)
                await eventually(lambda: _counts(served, idle=1))
                async with peers.Peer(served.port) as third:
                    assert await third.goaway() is Code.ENHANCE_YOUR_CALM
                known.message(first, b"still here")
                await known.until(frames.DATA)

    async def test_number_of_calls_without_a_message_is_limited(self, serve, peers):
        async with serve(pending=3) as served, peers.Peer(served.port) as peer:
            peer.greet()
            numbers = [peer.head() for _ in range(4)]
            _, content = await peer.until(frames.RST_STREAM)
            assert int.from_bytes(content) == Code.REFUSED_STREAM
            peer.message(numbers[0], b"a", ended=True)
            assert await peer.status(numbers[0]) == 0

    async def test_connection_with_most_unfinished_bytes_is_closed(self, serve, peers):
        async with (
            serve(pending_bytes=100_000) as served,
            peers.Peer(served.port) as hostile,
            peers.Peer(served.port) as honest,
        ):
            for peer in (hostile, honest):
                peer.greet()
            for _ in range(15):
                hostile.message(hostile.head(), b"x" * 4_000, claimed=4_090)
            await hostile.answered()
            numbers = [honest.head() for _ in range(10)]
            for number in numbers:
                honest.message(number, b"x" * 4_000, claimed=4_010)
            assert await hostile.goaway() is Code.ENHANCE_YOUR_CALM
            for number in numbers:
                honest.data(number, b"y" * 10, ended=True)
                assert await honest.status(number) == 0

    async def test_connection_with_most_unfinished_bytes_is_closed_when_it_asks_for_more(self, serve, peers):
        async with serve(pending_bytes=100_000) as served, peers.Peer(served.port) as peer:
            peer.greet()
            for _ in range(40):
                peer.message(peer.head(more=(("x", "y" * 4_000),)), b"x", claimed=2)
            assert await peer.goaway() is Code.ENHANCE_YOUR_CALM
            assert await _echoes(served.port)

    async def test_new_connection_replaces_a_proven_one_without_a_call(self, serve, peers):
        async with serve(connections=3) as served, AsyncExitStack() as stack:
            busy, idle = [await stack.enter_async_context(peers.Peer(served.port)) for _ in range(2)]
            for peer in (busy, idle):
                peer.greet()
                number = peer.head()
                peer.message(number, KEY, ended=peer is idle)
                await peer.until(frames.DATA, number)
            third = await stack.enter_async_context(peers.Peer(served.port))
            third.greet()
            third.message(third.head(), KEY, ended=True)
            await third.until(frames.DATA)
            async with peers.Peer(served.port) as fourth:
                fourth.greet()
                fourth.message(fourth.head(), KEY, ended=True)
                await fourth.until(frames.DATA)
                await idle.closed()
            busy.message(1, KEY, ended=True)
            assert await busy.status(1) == 0


class TestCallsThatEndAtOnce:
    async def test_call_reset_with_its_first_message_is_forgotten(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            sent: list[bytes] = []
            write, peer.write = peer.write, sent.append
            for _ in range(20):
                number = peer.head()
                peer.message(number, b"gone", ended=True)
                peer.write(frames.reset(number, Code.CANCEL))
            write(b"".join(sent))
            peer.write = write
            await peer.answered()
            assert served.server.connections[0].calls == 0

    async def test_incomplete_last_message_is_reported(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"half", claimed=8, ended=True)
            assert await peer.status(number) == grpc.StatusCode.INTERNAL.value[0]

    async def test_late_calls_beyond_the_frame_budget_end_only_their_connection(self, serve, peers):
        limits = {"frame_budget": 20, "frames_per_second": 0.001, "first_message_seconds": 0.2}
        async with serve(**limits) as served:
            for _ in range(2):  # the second one shows that the server still serves new connections
                async with peers.Peer(served.port) as peer:
                    peer.greet()
                    for _ in range(15):
                        peer.head()
                    assert await peer.goaway() is Code.ENHANCE_YOUR_CALM
