"""Server-sent events in the form that OpenAI's clients read."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from starlette.types import Send

from mlpgateway.call.call import Answer, Call
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.refusals import error_body
from mlpgateway.entry.http.streams import EVENT_STREAM, PartStream, one_line, start

Reshape = Callable[[Answer], Answer]


class ChunkStream:
    """Satisfies PartStream: one event per chunk, and `[DONE]` at the end of a complete answer."""

    def __init__(self, send: Send, reshape: Reshape) -> None:
        self._send = send
        self._reshape = reshape
        self.started = False

    async def part(self, answer: Answer) -> None:
        # Reshaped first, because a failure must come before the status is sent.
        line = one_line(self._reshape(answer)) if answer.payload.json else ""
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


async def relay(incoming: AdapterRequest, call: Call, parts: PartStream) -> None:
    """Streams the answers of a call. Raises errors before the first part; later ones become the last event."""
    answers: AsyncGenerator[Answer] = incoming.stream(call)
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
