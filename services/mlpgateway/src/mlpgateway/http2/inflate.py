"""Decompresses messages, with a bound on their size."""

import asyncio
import zlib
from typing import Final, Protocol

from mlpgateway.http2.errors import CallRefused, MessageTooLarge
from mlpgateway.http2.room import RequestBytes
from mlpgateway.shares.share import Holder

_STEP: Final = 1024 * 1024


class _Inflates(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


def _inflater(encoding: str) -> _Inflates:
    return zlib.decompressobj(31 if encoding == "gzip" else 15)


def beginning_of(data: bytes, encoding: str, size: int) -> bytes:
    """Returns at most `size` bytes of the decompressed beginning. Raises CallRefused."""
    try:
        return _inflater(encoding).decompress(data, size)
    except zlib.error:
        raise _broken() from None


async def inflated(data: bytes, encoding: str, *, most: int, room: RequestBytes, account: Holder | None) -> bytes:
    """Returns the decompressed message, counting its size in the account's share meanwhile. Raises CallRefused."""
    inflater, parts, size = _inflater(encoding), list[bytes](), 0
    try:
        while not inflater.eof:
            if account is not None:
                await room.take(account, _STEP, mine=size)
            size += _STEP
            part = inflater.decompress(data, _STEP)
            parts.append(part)
            data = inflater.unconsumed_tail
            await asyncio.sleep(0)  # each step takes a few milliseconds, and there may be a hundred
            if size - _STEP + len(part) > most:
                raise MessageTooLarge(most)
            if not part and not data and not inflater.eof:
                raise _broken()
    except zlib.error:
        raise _broken() from None
    finally:
        if account is not None and size:
            room.give(account, size)
    return b"".join(parts)


def _broken() -> CallRefused:
    return CallRefused("INTERNAL", "the message cannot be decompressed")
