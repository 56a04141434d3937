"""Writes PNG files (ISO/IEC 15948): 8 bits per colour, not interlaced."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRUE_COLOUR = 2


def png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file from RGB pixels of the shape (height, width, 3)."""
    height, width, _ = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, _TRUE_COLOUR, 0, 0, 0)
    # Each row begins with its filter type: 0, none.
    rows = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)])
    body = zlib.compress(rows.tobytes())
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
