"""Reads WebSocket frames a few at a time, so that a flood of small frames does not block the event loop."""

from typing import Final

_FEW_FRAMES: Final = 8
_FEW_BYTES: Final = 64 * 1024
_SIZE_IN_TWO_BYTES: Final = 126
_SIZE_IN_EIGHT_BYTES: Final = 127
_MASK_BYTES: Final = 4


class Frames:
    """Finds the boundaries of frames in the bytes of one side (RFC 6455, section 5.2)."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = 0  # bytes of the current frame that have not arrived yet

    def few(self, unread: bytearray) -> bytes:
        """Cuts off what may be read in one turn. Returns b"" while the next frame's head is incomplete."""
        end = self._end_of_few(unread)
        part = bytes(memoryview(unread)[:end])
        del unread[:end]
        return part

    def _end_of_few(self, unread: bytearray) -> int:
        end = self._part(len(unread))
        for _ in range(_FEW_FRAMES):
            size = _size_of_frame(unread, end) if self._rest == 0 and end < _FEW_BYTES else None
            if size is None:
                break
            self._rest = size
            end += self._part(len(unread) - end)
        return end

    def _part(self, there: int) -> int:
        """Takes bytes of the current frame."""
        part = min(self._rest, there, _FEW_BYTES)
        self._rest -= part
        return part


def _size_of_frame(data: bytearray, at: int) -> int | None:
    """Returns the frame's size with its head, in bytes; None while the head is incomplete."""
    if len(data) - at < 2:
        return None
    size = data[at + 1] & 0x7F
    begin = at + 2
    further = {_SIZE_IN_TWO_BYTES: 2, _SIZE_IN_EIGHT_BYTES: 8}.get(size, 0)
    end_of_head = begin + further + (_MASK_BYTES if data[at + 1] & 0x80 else 0)
    if len(data) < end_of_head:
        return None
    if further:
        size = int.from_bytes(data[begin : begin + further], "big")
    return end_of_head - at + size
