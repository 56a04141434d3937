"""Reads the messages of a gRPC caller's stream."""

from typing import Protocol

from mlpgateway.http2.errors import CallRefused
from mlplace_kit.errors import MalformedRequest


class _Reads(Protocol):
    async def read(self) -> bytes | None: ...


async def read_part(context: _Reads) -> bytes | None:
    """Returns the next part; None at the end. When the caller leaves, the task of the call is cancelled instead.

    Raises MalformedRequest for a refused part, so that the refusal becomes the call's outcome like an instance's error.
    """
    try:
        return await context.read()
    except CallRefused as refusal:
        raise MalformedRequest(reason=refusal.details) from None
