"""Fingerprints of requests: a repeated request has the same one."""

import asyncio
import hashlib
from typing import TypeAlias

from mlpgateway.call.large_json import LARGE_BYTES

RequestParts: TypeAlias = tuple[bytes | bytearray | memoryview, ...]
"""The bytes that identify a request, such as its address and its body: apart, because joining would copy the body."""


def bytes_in(request: RequestParts) -> int:
    return sum(map(len, request))


async def fingerprint_of(request: RequestParts) -> str:
    """Returns the SHA-256 of all parts in hexadecimal. A large request is hashed in a thread, which leaves the
    interpreter free.
    """
    return _digest(request) if bytes_in(request) < LARGE_BYTES else await asyncio.to_thread(_digest, request)


def _digest(request: RequestParts) -> str:
    digest = hashlib.sha256()
    for part in request:
        digest.update(part)
    return digest.hexdigest()
