"""Tests that frames are read a few at a time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mlplace_runtime.process.socket_turns import Frames

_FEW = 8


_SIZES = st.sampled_from([0, 1, 125, 126, 1000, 65535, 65536])


def _frame(size: int, masked: bool) -> bytes:
    mask = 0x80 if masked else 0
    if size < 126:
        told = bytes([mask | size])
    elif size < 65536:
        told = bytes([mask | 126]) + size.to_bytes(2, "big")
    else:
        told = bytes([mask | 127]) + size.to_bytes(8, "big")
    return b"\x82" + told + (b"mask" if masked else b"") + bytes(size)


class TestFrames:
    @settings(deadline=None)
    @given(st.lists(st.tuples(_SIZES, st.booleans()), max_size=10), st.lists(st.integers(1, 20), max_size=5))
    def test_arrive_whole_and_in_order_however_the_bytes_are_split(
        self, frames: list[tuple[int, bool]], cuts: list[int]
    ) -> None:
        stream, splitter, unread, heard = b"".join(_frame(*frame) for frame in frames), Frames(), bytearray(), b""
        at = turn = 0
        while at < len(stream):
            size = [*cuts, 10_000][turn % (len(cuts) + 1)]
            unread += stream[at : at + size]
            at, turn = at + size, turn + 1
            while part := splitter.few(unread):
                heard += part
        assert (heard, bytes(unread)) == (stream, b"")

    @given(st.integers(0, 100))
    def test_a_part_has_only_a_few_small_frames(self, number: int) -> None:
        splitter, unread = Frames(), bytearray(b"\x81\x00" * number)
        parts = iter(lambda: splitter.few(unread), b"")
        assert [len(part) // 2 for part in parts] == [_FEW] * (number // _FEW) + [number % _FEW] * bool(number % _FEW)

    def test_an_incomplete_head_waits(self) -> None:
        splitter, unread = Frames(), bytearray(b"\x82\xfe\x00")
        assert splitter.few(unread) == b""
        unread += b"\x02mask"
        assert splitter.few(unread) == b"\x82\xfe\x00\x02mask"
        unread += b"ab\x81\x00"
        assert splitter.few(unread) == b"ab\x81\x00"
