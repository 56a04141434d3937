"""Only the beginning of a large message is read until its sender is known and there is room for it."""

import asyncio
import gzip

import grpc
import pytest

from mlpgateway.http2 import frames
from mlplace_kit.errors import NotAuthorized
from mlplace_testing.waiting import eventually

KEY = b"key-of-7"
MESSAGE = 8 * 1024 * 1024
LARGE = KEY + b"x" * (2 * 1024 * 1024)


def _channel(port: int, **options: object) -> grpc.aio.Channel:
    sizes = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=sizes, **options)  # type: ignore[arg-type]


class TestProof:
    async def test_only_the_beginning_of_an_unknown_senders_message_is_read(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"x" * 60_000, claimed=MESSAGE)
            _, content = await peer.until(frames.DATA, number)
            assert content[5:] == NotAuthorized.code.encode()
            assert await peer.status(number) == 0
            _, code = await peer.until(frames.RST_STREAM, number)
            assert int.from_bytes(code) == frames.Code.NO_ERROR
        assert [len(beginning) for beginning in served.judged] == [4096]
        assert served.share.used == 0

    async def test_unproven_peer_gets_no_larger_window(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"x" * 20_000, claimed=MESSAGE)
            while True:
                kind, flags, stream, _content = await peer.frame()
                assert (kind, stream) != (frames.WINDOW_UPDATE, number)
                if kind == frames.HEADERS and flags & frames.END_STREAM:
                    break

    async def test_known_sender_can_send_the_whole_message(self, served):
        async with _channel(served.port) as channel:
            assert await channel.unary_unary("/test.Test/echo")(LARGE) == LARGE
        assert served.share.used == 0

    async def test_small_message_is_read_from_anybody(self, served):
        async with _channel(served.port) as channel:
            small = b"y" * 16_384
            assert await channel.unary_unary("/test.Test/echo")(small) == small
        assert served.judged == []

    async def test_message_above_the_limit_is_refused_by_its_length(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, KEY, claimed=MESSAGE + 1)
            assert await peer.status(number) == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]

    async def test_refused_message_does_not_stall_the_connection(self, served):
        async with _channel(served.port) as channel:
            echo = channel.unary_unary("/test.Test/echo")
            for _ in range(20):
                assert await echo(b"x" * 200_000) == NotAuthorized.code.encode()
            assert await echo(LARGE) == LARGE


class TestWindow:
    @pytest.mark.parametrize("believed", [True, False], ids=["proxy", "caller with a key"])
    async def test_proven_peer_gets_a_larger_window(self, serve, peers, believed):
        async with serve(believes=lambda _: believed) as served, peers.Peer(served.port) as peer:
            peer.greet()
            if not believed:
                peer.message(peer.head(), KEY)
            _, count = await peer.until(frames.WINDOW_UPDATE, 0)
            assert int.from_bytes(count) == 1024 * 1024 - 65_535

    async def test_unproven_peer_gets_no_larger_window(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"x", ended=True)
            while True:
                kind, flags, _stream, _content = await peer.frame()
                assert kind != frames.WINDOW_UPDATE
                if kind == frames.HEADERS and flags & frames.END_STREAM:
                    break


class TestRoom:
    async def test_message_waits_for_room(self, served):
        served.share.take(7, served.share.most(7), mine=0)
        async with _channel(served.port) as channel:
            call = asyncio.ensure_future(channel.unary_unary("/test.Test/echo")(LARGE))
            await eventually(lambda: _value(served.judged))
            served.room.give(7, served.share.most(7))
            assert await call == LARGE

    async def test_cancelled_call_gives_its_room_back(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            peer.message(peer.head(), KEY + b"x" * 30_000, claimed=MESSAGE)
            await eventually(lambda: _value(served.share.used == MESSAGE))
        await eventually(lambda: _value(served.share.used == 0))

    async def test_too_slow_message_ends_its_call(self, serve, peers):
        short = {"least_rate": 1_000_000_000, "slack_seconds": 0.3}
        async with serve(**short) as served, peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, KEY + b"x" * 30_000, claimed=MESSAGE)
            assert await peer.status(number) == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
            await eventually(lambda: _value(served.share.used == 0))


class TestCompressed:
    @pytest.mark.parametrize("how", [grpc.Compression.Gzip, grpc.Compression.Deflate])
    async def test_compressed_message_is_read(self, served, how):
        async with _channel(served.port, compression=how) as channel:
            assert await channel.unary_unary("/test.Test/echo")(LARGE) == LARGE
            assert await channel.unary_unary("/test.Test/echo")(b"z" * 1_000) == b"z" * 1_000

    async def test_unknown_sender_may_not_send_a_message_that_inflates(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-encoding", "gzip"),))
            bomb = gzip.compress(b"x" * MESSAGE)
            assert len(bomb) < 16_384
            peer.data(number, b"\x01" + len(bomb).to_bytes(4) + bomb, ended=True)
            _, content = await peer.until(frames.DATA, number)
            assert content[5:] == NotAuthorized.code.encode()

    async def test_message_that_inflates_above_the_limit_is_refused(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-encoding", "gzip"),))
            bomb = gzip.compress(KEY + b"x" * (MESSAGE * 2))
            peer.data(number, b"\x01" + len(bomb).to_bytes(4) + bomb, ended=True)
            assert await peer.status(number) == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
        assert served.share.used == 0

    async def test_invalid_compression_is_refused(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-encoding", "gzip"),))
            peer.data(number, b"\x01" + (3).to_bytes(4) + b"???", ended=True)
            assert await peer.status(number) == grpc.StatusCode.INTERNAL.value[0]


class TestFlow:
    async def test_many_small_messages_pass_in_both_directions(self, served):
        async with _channel(served.port) as channel:
            call = channel.stream_stream("/test.Test/echo")()
            for number in range(500):
                text = str(number).encode() * 300
                await call.write(text)
                assert await call.read() == text
            await call.done_writing()
            assert await call.read() is grpc.aio.EOF

    async def test_slowly_read_answer_arrives_whole(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet(window=12_003)
            number = peer.head()
            text = KEY + b"y" * 10_000
            for _ in range(5):
                peer.message(number, text)
            assert await peer.received(number, 12_003) == 12_003
            for count in (1, 6, 20_000, 30_000):
                peer.write(frames.window_update(number, count))
            rest = 5 * (len(text) + 5) - 12_003
            assert await peer.received(number, rest) == rest

    async def test_reset_call_is_cancelled(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"wait")
            await eventually(lambda: _value(served.server.connections[0].idle is False))
            peer.write(frames.reset(number, frames.Code.CANCEL))
            await asyncio.wait_for(served.cancelled.wait(), 60)

    async def test_deadline_ends_the_call(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-timeout", "100m"),))
            peer.message(number, b"wait")
            assert await peer.status(number) == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
        assert served.cancelled.is_set()


async def _value(value):
    return value
