"""Sends contents, and gives back what a download holds."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

_LEAST_SECONDS: Final = 15 * 60.0
_BYTES_A_SECOND: Final = 1024 * 1024

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Download:
    """`size` is in bytes. `etag` is that of a content as it is stored. `close` must be called at the end.

    `seconds`: how long it may take; None for one that holds no place.
    """

    file_name: str
    pieces: AsyncIterator[bytes]
    size: int
    etag: str | None
    close: Callable[[], None]
    seconds: float | None


def seconds_of(size: int) -> float:
    """Returns how long a download of this many bytes may hold its place."""
    return _LEAST_SECONDS + size / _BYTES_A_SECOND


class DownloadResponse(StreamingResponse):
    """Gives back what the download holds when the answer ends, even if the caller has left before its first byte.

    An answer that takes too long ends without its rest, and the server closes the connection.
    """

    def __init__(self, download: Download, headers: Mapping[str, str]) -> None:
        super().__init__(download.pieces, media_type="application/octet-stream", headers=headers)
        self._download = download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        bound = asyncio.timeout(self._download.seconds)
        try:
            async with bound:
                await super().__call__(scope, receive, send)
        except TimeoutError:
            if not bound.expired():
                raise
            log.info("download_too_slow", seconds=self._download.seconds, size=self._download.size)
        finally:
            self._download.close()
