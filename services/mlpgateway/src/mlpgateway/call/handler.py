"""What a way in (HTTP, gRPC) asks of the hot path: serve one call."""

from collections.abc import AsyncGenerator
from typing import Protocol

from mlpgateway.call.call import Answer, Call, Payload


class CallHandler(Protocol):
    """All stages of the hot path behind one door. Refusals and failures are raised as DomainError.

    Streams are generators: whoever asks for one closes it (`contextlib.aclosing`), early or late, so that the call ends
    and is settled when its caller goes away.
    """

    async def unary(self, call: Call) -> Answer:
        """The one answer of the call. Of a series of partial answers it is the last."""
        ...

    def stream(self, call: Call) -> AsyncGenerator[Answer]:
        """The answers as they come, the last one with `last` set."""
        ...

    def duplex(self, call: Call, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        """As `stream`, for a call whose input also comes in parts. `call.data` is None: the data is in `inputs`.

        `inputs` may raise DomainError when the caller sends what it may not; it then is the outcome of the call.
        """
        ...
