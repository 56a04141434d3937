"""Of a large message only the beginning is read before it is known who sends it, and not before there is room."""

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
    async def test_of_a_stranger_only_the_beginning_is_read(self, served, peers):
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

    async def test_a_stranger_gets_no_more_window(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"x" * 20_000, claimed=MESSAGE)
            while True:
                kind, flags, stream, _content = await peer.frame()
                assert (kind, stream) != (frames.WINDOW_UPDATE, number)
                if kind == frames.HEADERS and flags & frames.END_STREAM:
                    break

    async def test_who_is_known_sends_all_of_it(self, served):
        async with _channel(served.port) as channel:
            assert await channel.unary_unary("/test.Test/echo")(LARGE) == LARGE
        assert served.share.used == 0

    async def test_a_small_one_is_read_from_anybody(self, served):
        async with _channel(served.port) as channel:
            small = b"y" * 16_384
            assert await channel.unary_unary("/test.Test/echo")(small) == small
        assert served.judged == []

    async def test_a_message_beyond_the_limit_is_refused_by_its_length_alone(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, KEY, claimed=MESSAGE + 1)
            assert await peer.status(number) == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]

    async def test_the_rest_of_a_refused_message_stalls_nobody_on_the_connection(self, served):
        async with _channel(served.port) as channel:
            echo = channel.unary_unary("/test.Test/echo")
            for _ in range(20):
                assert await echo(b"x" * 200_000) == NotAuthorized.code.encode()
            assert await echo(LARGE) == LARGE


class TestWindow:
    @pytest.mark.parametrize("believed", [True, False], ids=["proxy", "caller with a key"])
    async def test_a_known_peer_may_send_more_before_it_is_heard(self, serve, peers, believed):
        async with serve(believes=lambda _: believed) as served, peers.Peer(served.port) as peer:
            peer.greet()
            if not believed:
                peer.message(peer.head(), KEY)
            _, count = await peer.until(frames.WINDOW_UPDATE, 0)
            assert int.from_bytes(count) == 1024 * 1024 - 65_535

    async def test_a_stranger_may_not(self, served, peers):
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
    async def test_a_message_waits_until_there_is_room(self, served):
        served.share.take(7, served.share.most(7), mine=0)
        async with _channel(served.port) as channel:
            call = asyncio.ensure_future(channel.unary_unary("/test.Test/echo")(LARGE))
            await eventually(lambda: _value(served.judged))
            served.room.give(7, served.share.most(7))
            assert await call == LARGE

    async def test_a_caller_that_leaves_gives_its_room_back(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            peer.message(peer.head(), KEY + b"x" * 30_000, claimed=MESSAGE)
            await eventually(lambda: _value(served.share.used == MESSAGE))
        await eventually(lambda: _value(served.share.used == 0))

    async def test_a_message_that_comes_too_slowly_ends_its_call(self, serve, peers):
        short = {"least_rate": 1_000_000_000, "first_message_seconds": 0.2, "slack_seconds": 0.3}
        async with serve(**short) as served, peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, KEY + b"x" * 30_000, claimed=MESSAGE)
            assert await peer.status(number) == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
            await eventually(lambda: _value(served.share.used == 0))


class TestCompressed:
    @pytest.mark.parametrize("how", [grpc.Compression.Gzip, grpc.Compression.Deflate])
    async def test_is_read_as_ever(self, served, how):
        async with _channel(served.port, compression=how) as channel:
            assert await channel.unary_unary("/test.Test/echo")(LARGE) == LARGE
            assert await channel.unary_unary("/test.Test/echo")(b"z" * 1_000) == b"z" * 1_000

    async def test_a_stranger_may_not_send_what_becomes_large(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-encoding", "gzip"),))
            bomb = gzip.compress(b"x" * MESSAGE)
            assert len(bomb) < 16_384
            peer.data(number, b"\x01" + len(bomb).to_bytes(4) + bomb, ended=True)
            _, content = await peer.until(frames.DATA, number)
            assert content[5:] == NotAuthorized.code.encode()

    async def test_what_becomes_larger_than_a_message_may_be_is_refused(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-encoding", "gzip"),))
            bomb = gzip.compress(KEY + b"x" * (MESSAGE * 2))
            peer.data(number, b"\x01" + len(bomb).to_bytes(4) + bomb, ended=True)
            assert await peer.status(number) == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
        assert served.share.used == 0

    async def test_what_is_no_such_thing_is_refused(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-encoding", "gzip"),))
            peer.data(number, b"\x01" + (3).to_bytes(4) + b"???", ended=True)
            assert await peer.status(number) == grpc.StatusCode.INTERNAL.value[0]


class TestFlow:
    async def test_many_small_ones_cross_in_both_directions(self, served):
        async with _channel(served.port) as channel:
            call = channel.stream_stream("/test.Test/echo")()
            for number in range(500):
                text = str(number).encode() * 300
                await call.write(text)
                assert await call.read() == text
            await call.done_writing()
            assert await call.read() is grpc.aio.EOF

    async def test_an_answer_that_is_read_slowly_comes_whole(self, served, peers):
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

    async def test_a_call_that_is_reset_is_cancelled(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head()
            peer.message(number, b"wait")
            await eventually(lambda: _value(served.server.connections[0].idle is False))
            peer.write(frames.reset(number, frames.Code.CANCEL))
            await asyncio.wait_for(served.cancelled.wait(), 10)

    async def test_a_deadline_ends_the_call(self, served, peers):
        async with peers.Peer(served.port) as peer:
            peer.greet()
            number = peer.head(more=(("grpc-timeout", "100m"),))
            peer.message(number, b"wait")
            assert await peer.status(number) == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
        assert served.cancelled.is_set()


async def _value(value):
    return value
