"""When the slot at an instance is freed."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.errors.calls import StreamedInputNotSupported

REQUEST = InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})


class Origin:
    """Answers twice.

    `freed` counts how often its slot was freed, `freed_at_close` those until the answers were closed.
    """

    instance_id, model_id, active_requests, accepts_requests = 1, 7, 0, True

    def __init__(self) -> None:
        self.freed = 0
        self.freed_at_close: int | None = None
        self.slot = Slot(self, self._free)

    def _free(self) -> None:
        self.freed += 1

    async def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        try:
            for last in (False, True):
                yield Answer(request.data or Payload(), {}, last=last, partial=True)
        finally:
            self.freed_at_close = self.freed

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        raise StreamedInputNotSupported

    def send_batch(self, requests: Sequence[InstanceRequest]) -> Sequence[AsyncGenerator[Answer]]:
        raise BrokenPipeError


@pytest.fixture
def origin() -> Origin:
    return Origin()


async def nothing() -> AsyncGenerator[Payload]:
    return
    yield


class TestIsFree:
    async def test_last_answer_frees_the_slot(self, origin: Origin) -> None:
        answers = origin.slot.send(REQUEST)
        await anext(answers)
        assert origin.freed == 0
        await anext(answers)
        assert origin.freed == 1
        await answers.aclose()
        assert origin.freed == 1

    async def test_close_frees_the_slot_after_the_answers_are_closed(self, origin: Origin) -> None:
        answers = origin.slot.send(REQUEST)
        await anext(answers)
        await answers.aclose()
        assert (origin.freed_at_close, origin.freed) == (0, 1)

    async def test_unread_answers_free_the_slot(self, origin: Origin) -> None:
        await origin.slot.send(REQUEST).aclose()
        assert origin.freed == 1

    async def test_failed_send_frees_the_slot(self, origin: Origin) -> None:
        with pytest.raises(StreamedInputNotSupported):
            origin.slot.send_stream(REQUEST, nothing())
        assert origin.freed == 1

    async def test_failed_batch_frees_the_slot(self, origin: Origin) -> None:
        with pytest.raises(BrokenPipeError):
            origin.slot.send_batch([REQUEST, REQUEST])
        assert origin.freed == 1
