"""Reading what a gRPC caller sends in parts."""

from typing import Protocol

from mlpgateway.http2.errors import CallRefused
from mlplace_kit.errors import MalformedRequest


class _Reads(Protocol):
    async def read(self) -> bytes | None: ...


async def read_part(context: _Reads) -> bytes | None:
    """None at the end of what the caller sends: the task of a call whose caller left is cancelled instead.

    Raises MalformedRequest for a part that is not let in: it is the outcome of the call, as what the service says.
    """
    try:
        return await context.read()
    except CallRefused as refusal:
        raise MalformedRequest(reason=refusal.details) from None
