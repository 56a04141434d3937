"""Messages reach a taker in the turn in which they come, unless they need a wait."""

import asyncio
import gzip

import pytest

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code
from mlpgateway.http2.incoming import FEW_MESSAGES

PATH = "/test.Test/handed"


def framed(message: bytes, *, compressed: bool = False) -> bytes:
    sent = gzip.compress(message) if compressed else message
    return bytes([compressed]) + len(sent).to_bytes(4) + sent


@pytest.fixture
async def peer(served, peers):
    """Returns a peer whose call has begun, and the number of the call."""
    async with peers.Peer(served.port) as found:
        found.greet()
        number = found.head(path=PATH, more=(("grpc-encoding", "gzip"),))
        found.message(number, b"first")
        assert await heard(found, number) == b"read first"
        yield found, number


async def heard(peer, number: int) -> bytes:
    _, content = await peer.until(frames.DATA, number)
    return content[5:]


class TestTaker:
    async def test_messages_are_handed_over(self, peer) -> None:
        found, number = peer
        found.data(number, framed(b"1") + framed(b"2"))
        assert [await heard(found, number) for _ in range(2)] == [b"handed 1", b"handed 2"]

    async def test_message_in_pieces_is_handed_over_whole(self, peer) -> None:
        found, number = peer
        for at in range(len(framed(b"pieces"))):
            found.data(number, framed(b"pieces")[at : at + 1])
            await found.flush()
        assert await heard(found, number) == b"handed pieces"

    async def test_compressed_message_is_read_and_keeps_its_place(self, peer) -> None:
        found, number = peer
        found.data(number, framed(b"1") + framed(b"2", compressed=True) + framed(b"3") + framed(b"4"))
        answers = [await heard(found, number) for _ in range(4)]
        assert answers[:2] == [b"handed 1", b"read 2"]
        assert [answer[-1:] for answer in answers] == [b"1", b"2", b"3", b"4"]
        found.data(number, framed(b"5"))
        assert await heard(found, number) == b"handed 5"

    async def test_taker_may_end_in_the_middle_of_a_segment(self, peer) -> None:
        found, number = peer
        found.data(number, framed(b"no more") + framed(b"1"))
        assert [await heard(found, number) for _ in range(2)] == [b"handed no more", b"read 1"]

    async def test_end_of_the_messages_is_read(self, peer) -> None:
        found, number = peer
        found.data(number, framed(b"last"), ended=True)
        assert await heard(found, number) == b"handed last"
        assert await found.status(number) == 0

    @pytest.mark.parametrize("how", ["reset", "closed"])
    async def test_messages_that_came_before_the_sender_left_are_handed_over(self, served, peers, how: str) -> None:
        count = 10 * FEW_MESSAGES
        async with peers.Peer(served.port) as found:
            found.greet()
            number = found.head(path="/test.Test/note")
            found.message(number, b"first")
            assert await heard(found, number) == b"first"
            found.data(number, framed(b"x") * count)
            if how == "reset":
                found.write(frames.reset(number, Code.CANCEL))
            await found.flush()
        async with asyncio.timeout(60):
            await served.cancelled.wait()
        assert len(served.noted) == count
