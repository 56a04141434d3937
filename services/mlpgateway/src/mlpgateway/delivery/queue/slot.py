"""One of the requests that an instance gets at a time, from its choice to the end of its answer."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from types import TracebackType
from typing import cast

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import BatchLink, InstanceLink, InstanceRequest, StreamedInputLink
from mlpgateway.errors.calls import StreamedInputNotSupported


class Slot:
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
        return self._seated(lambda: self.origin.send(request))

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        if not hasattr(self.origin, "send_stream"):
            self.release()
            raise StreamedInputNotSupported
        return self._seated(lambda: cast("StreamedInputLink", self.origin).send_stream(request, inputs))

    def _seated(self, send: Callable[[], AsyncGenerator[Answer]]) -> AsyncGenerator[Answer]:
        """An instance may refuse at once what it cannot be sent."""
        try:
            return _Counted(send(), self.release)
        except BaseException:
            self.release()
            raise

    def send_batch(self, requests: Sequence[InstanceRequest]) -> Sequence[AsyncGenerator[Answer]]:
        """A batch has one slot, until the last of its answers."""
        left = len(requests)

        def one_less() -> None:
            nonlocal left
            left -= 1
            if not left:
                self.release()

        return [_Counted(answers, one_less) for answers in cast("BatchLink", self.origin).send_batch(requests)]


class _Counted(AsyncGenerator[Answer, None]):
    """Answers, and a word when they have ended, however they did: read to the last, closed, or never looked at.

    A generator's own `finally` would not run for one that is closed before anybody looks at it. The instance is done
    with the last answer, however long the caller then takes to read it.
    """

    __slots__ = ("_answers", "_ended")

    def __init__(self, answers: AsyncGenerator[Answer], ended: Callable[[], None]) -> None:
        self._answers = answers
        self._ended: Callable[[], None] | None = ended

    def __anext__(self) -> Coroutine[None, None, Answer]:
        return self.asend(None)

    async def asend(self, value: None) -> Answer:
        del value
        try:
            answer = await anext(self._answers)
        except BaseException:
            self._end()
            raise
        if answer.last:
            self._end()
        return answer

    async def aclose(self) -> None:
        try:
            await self._answers.aclose()
        finally:
            self._end()

    async def athrow(
        self,
        typ: type[BaseException] | BaseException,
        val: BaseException | object = None,
        tb: TracebackType | None = None,
    ) -> Answer:
        try:
            return await self._answers.athrow(typ, val, tb)  # type: ignore[arg-type]  # as it came
        finally:
            self._end()

    def _end(self) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended()


def origin_of(link: InstanceLink) -> InstanceLink:
    """What is behind a slot, or behind what else stands for an instance for one call."""
    origin: InstanceLink | None = getattr(link, "origin", None)
    return link if origin is None else origin_of(origin)
