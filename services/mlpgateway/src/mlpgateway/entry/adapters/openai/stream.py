"""Server-sent events in the form that OpenAI's clients read."""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing

from starlette.types import Send

from mlpgateway.call.call import Answer, Call
from mlpgateway.call.handler import Shape
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.refusals import error_body
from mlpgateway.entry.http.streams import EVENT_STREAM, PartStream, is_empty_part, one_line, start
from mlpgateway.errors.gate import UnexpectedAnswer


class ChunkStream:
    """Satisfies PartStream: one event per chunk, and `[DONE]` at the end of a complete answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def part(self, answer: Answer) -> None:
        line = one_line(answer)
        if not self.started:
            self.started = True
            await start(self._send, EVENT_STREAM, answer)
        if line:
            await self._event(line.encode())

    async def end(self) -> None:
        await self._event(b"[DONE]", more=False)

    async def fail(self, error: Exception, request_id: str) -> None:
        del request_id
        await self._event(error_body(error), more=False)

    async def _event(self, data: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": b"data: " + data + b"\n\n", "more_body": more})


def _of_chunks(shape: Shape) -> Shape:
    """Returns the shape of the parts of one call, some of which may be empty.

    It raises UnexpectedAnswer if all are empty.
    """
    seen = False

    def shaped(answer: Answer) -> Answer | Awaitable[Answer]:
        nonlocal seen
        if not is_empty_part(answer):
            seen = True
            return shape(answer)
        if answer.last and not seen:
            raise UnexpectedAnswer(operation="chat", kind="no chunk")
        return answer

    return shaped


async def relay(incoming: AdapterRequest, call: Call, shape: Shape) -> None:
    """Streams the answers of a call, those that are not empty in their shape.

    Raises errors before the first part; later ones become the last event.
    """
    parts: PartStream = ChunkStream(incoming.send)
    answers: AsyncGenerator[Answer] = incoming.stream(call, _of_chunks(shape))
    try:
        async with aclosing(answers):
            async for answer in answers:
                await parts.part(answer)
    except Exception as error:
        if not parts.started:
            raise
        await parts.fail(error, call.request_id)
    else:
        await parts.end()
