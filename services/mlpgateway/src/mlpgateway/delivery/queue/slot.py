"""A concurrency slot: one of the requests that an instance may work on at a time, from choice to last answer."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from types import TracebackType
from typing import cast

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import BatchLink, InstanceLink, InstanceRequest, StreamedInputLink
from mlpgateway.errors.calls import StreamedInputNotSupported


class Slot:
    """Satisfies InstanceLink and StreamedInputLink for one call. The last answer or `release` frees the slot."""

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
        """Idempotent."""
        if self._taken:
            self._taken = False
            self._free()

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        return self.seated(lambda: self.origin.send(request))

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        if not hasattr(self.origin, "send_stream"):
            self.release()
            raise StreamedInputNotSupported
        return self.seated(lambda: cast("StreamedInputLink", self.origin).send_stream(request, inputs))

    def seated(self, send: Callable[[], AsyncGenerator[Answer]]) -> AsyncGenerator[Answer]:
        """Returns the answers, the last of which frees the slot. Frees it also when `send` raises."""
        try:
            return _Counted(send(), self.release)
        except BaseException:
            self.release()
            raise

    def send_batch(self, requests: Sequence[InstanceRequest]) -> Sequence[AsyncGenerator[Answer]]:
        """Sends a batch, which occupies one slot until its last answer. Frees it also when sending raises."""
        left = len(requests)

        def one_less() -> None:
            nonlocal left
            left -= 1
            if not left:
                self.release()

        try:
            return [_Counted(answers, one_less) for answers in cast("BatchLink", self.origin).send_batch(requests)]
        except BaseException:
            self.release()
            raise


class _Counted(AsyncGenerator[Answer, None]):
    """Answers that call `ended` once when they end: read to the last, closed, failed, or never read.

    A generator's own `finally` would not run when it is closed before its first item. The instance is done with the
    last answer, however long the caller takes to read it.
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
            return await self._answers.athrow(typ, val, tb)  # type: ignore[arg-type]  # passed on unchanged
        finally:
            self._end()

    def _end(self) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended()


def origin_of(link: InstanceLink) -> InstanceLink:
    """Returns the instance behind a slot or another wrapper that stands for it during one call."""
    origin: InstanceLink | None = getattr(link, "origin", None)
    return link if origin is None else origin_of(origin)
