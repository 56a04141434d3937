"""One of the requests that an instance gets at a time, from its choice to the end of its answer."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast

from mlpgateway.proxy.call import Answer, Payload
from mlpgateway.proxy.errors import StreamedInputNotSupported
from mlpgateway.proxy.transport import InstanceLink, InstanceRequest, StreamedInputLink


class Seat:
    """Satisfies InstanceLink and StreamedInputLink, for one call. Free again with the last answer, or by `release`."""

    __slots__ = ("_free", "_taken", "origin")

    def __init__(self, origin: InstanceLink, free: Callable[[], None]) -> None:
        self.origin = origin
        self._free = free
        self._taken = True

    @property
    def instance_id(self) -> int | None:
        return self.origin.instance_id

    @property
    def model_id(self) -> int:
        return self.origin.model_id

    @property
    def active_requests(self) -> int:
        return self.origin.active_requests

    @property
    def accepts_requests(self) -> bool:
        return self.origin.accepts_requests

    def release(self) -> None:
        """Again is no error."""
        if self._taken:
            self._taken = False
            self._free()

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        return self._seated(self.origin.send(request))

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        if not hasattr(self.origin, "send_stream"):
            self.release()
            raise StreamedInputNotSupported
        return self._seated(cast("StreamedInputLink", self.origin).send_stream(request, inputs))

    async def _seated(self, answers: AsyncGenerator[Answer]) -> AsyncGenerator[Answer]:
        """The instance is done with the last answer, however long the caller then takes to read it."""
        try:
            async with aclosing(answers):
                async for answer in answers:
                    if answer.last:
                        self.release()
                    yield answer
        finally:
            self.release()


def origin_of(link: InstanceLink) -> InstanceLink:
    """What is behind a seat, or behind what else stands for an instance for one call."""
    origin: InstanceLink | None = getattr(link, "origin", None)
    return link if origin is None else origin
