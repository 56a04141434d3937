"""`chat/completions`, `completions`, and chat in a vendor's own format."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.chat_chunks import is_chunk
from mlpgateway.call.context import size_of
from mlpgateway.call.error_bodies import is_error
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai import completion
from mlpgateway.entry.adapters.openai.chunks import Joined, as_chunk, with_text_arguments
from mlpgateway.entry.adapters.openai.envelope import CHAT, CHUNK, TEXT, Envelope
from mlpgateway.entry.adapters.openai.objects import Fields, Object, payload_of, with_payload
from mlpgateway.entry.adapters.openai.stream import relay
from mlpgateway.entry.adapters.turns import in_turns
from mlpgateway.entry.http.answers import send_answer
from mlpgateway.errors.gate import AN_ERROR, UnexpectedAnswer
from mlpgateway.policy.access.model_directory import ModelReference
from mlpgateway.policy.limits.content import CHAT_COMPLETION
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

DIRECT: Final = "openai-direct"
"""The data type of a request in a vendor's own format."""
_OF_THE_REQUEST: Final = ("tools", "tool_choice", "logprobs", "top_logprobs")
"""Fields of the task type's `ChatCompletionRequest` (`/specs/mlp-data-gpt.yml`), besides those that are read below."""


class ChatRequest(NamedTuple):
    """`data` has the fields of the task type's request, and `config` all others."""

    model: ModelReference
    data: Payload
    config: Payload | None
    streamed: bool


def read_chat(fields: Fields) -> ChatRequest:
    """Raises ValidationFailed."""
    model = fields.model()
    messages = fields.raw("messages")
    if messages is None or not bytes(memoryview(messages)[:1]) == b"[":
        raise ValidationFailed(
            {"messages": broken("wrong_type", message="must be a list of messages", expected="list")}
        )
    streamed = fields.take("stream", bool)
    request: Object = {"messages": messages}
    if model.inner is not None:
        request["model"] = model.inner
    if streamed is not None:
        request["stream"] = streamed
    for name in _OF_THE_REQUEST:
        if (value := fields.raw(name)) is not None:
            request[name] = value
    return ChatRequest(model, payload_of(request), fields.rest(), bool(streamed))


def answer_of(request: ChatRequest, answer: Answer, request_id: str) -> Answer | Awaitable[Answer]:
    """Returns the answer with all its parts as one object. Raises UnexpectedAnswer for anything but a conversation."""
    return _whole(answer, Envelope(request_id, str(request.model), CHAT, streamed=False).around)


async def chat(incoming: AdapterRequest) -> None:
    """Sends the fields of the task type's request as the model's request, and all others as its config."""
    request = read_chat(await Fields.of(incoming))
    call = incoming.call(request.model, request.data, request.config, keep_parts=True)
    if request.streamed:
        envelope = Envelope(incoming.request_id, str(request.model), CHUNK, streamed=True)
        await relay(incoming, call, lambda part: envelope.around(as_chunk(part)))
    else:
        shape = partial(answer_of, request, request_id=incoming.request_id)
        await send_answer(incoming.send, await incoming.answer(call, shape))


async def direct(incoming: AdapterRequest) -> None:
    """Passes the body on unchanged, except that `model` becomes the name within the model. The answer stays, too."""
    fields = await Fields.of(incoming)
    model = fields.model()
    streamed = fields.take("stream", bool)
    own: Object = {} if model.inner is None else {"model": model.inner}
    if streamed is not None:
        own["stream"] = streamed
    payload = replace(payload_of({**own, **fields.others()}), data_type=DIRECT)
    call = replace(incoming.call(model, payload, keep_parts=True), only_chunks=True)
    if streamed:
        await relay(incoming, call, _part_in_its_format)
    else:
        await send_answer(incoming.send, await incoming.answer(call, _in_its_format))


async def completions(incoming: AdapterRequest) -> None:
    """Sends the prompt to a chat model as the user's only message, and unchanged to any other model."""
    fields = await Fields.of(incoming)
    reference = fields.model()
    streamed = bool(fields.take("stream", bool))
    model = await incoming.directory.model(incoming.caller, reference)
    prompt = fields.raw("prompt")
    if prompt is None:
        raise ValidationFailed({"prompt": broken("required")})
    envelope = Envelope(incoming.request_id, str(reference), TEXT, streamed=streamed)
    request: Object = {"stream": streamed}
    if reference.inner is not None:
        request["model"] = reference.inner
    if model.task_type != CHAT_COMPLETION:
        request["prompt"] = prompt
        call = incoming.call(reference, payload_of(request), fields.rest(), keep_parts=True)
        if streamed:
            await relay(incoming, call, lambda part: envelope.around(_as_it_is(part)))
        else:
            answer = await incoming.answer(call, partial(_whole, finish=envelope.around, kind=TEXT))
            await send_answer(incoming.send, answer)
        return
    request["messages"] = [{"role": "user", "content": completion.prompt_of(prompt)}]
    call = incoming.call(reference, payload_of(request), fields.rest(), keep_parts=True)
    if streamed:
        await relay(incoming, call, lambda part: envelope.around(completion.as_text(as_chunk(part), streamed=True)))
    else:
        answer = await incoming.answer(
            call, partial(_whole, finish=lambda whole: envelope.around(completion.as_text(whole, streamed=False)))
        )
        await send_answer(incoming.send, answer)


def _whole(answer: Answer, finish: Callable[[Answer], Answer], kind: str = CHAT) -> Answer | Awaitable[Answer]:
    """Joins the parts of an answer that came only in parts; any other answer keeps its form. `kind`: CHAT or TEXT.

    Returns what `finish` makes of it.
    """
    if not answer.before and not answer.partial:
        return finish(with_text_arguments(_as_it_is(answer)))
    return _joined(answer, [*answer.before, answer.payload], finish, kind)


def _joined(
    answer: Answer, parts: Sequence[Payload], finish: Callable[[Answer], Answer], kind: str
) -> Answer | Awaitable[Answer]:
    joined = Joined(kind)
    return in_turns(parts, size_of, joined.add, lambda: finish(with_payload(answer, joined.whole())))


def _in_its_format(answer: Answer) -> Answer | Awaitable[Answer]:
    """Joins the parts of an answer from the first on that is a chunk of OpenAI's. Without any, returns the last part:
    only its vendor knows how to join them. Raises UnexpectedAnswer if one of them is an error.
    """
    parts = _VendorParts(several=bool(answer.before) or answer.partial)

    def end() -> Answer:
        if parts.joined is not None:
            return with_payload(answer, parts.joined.whole())
        return _as_it_is(replace(answer, payload=parts.last or answer.payload, before=()))

    return in_turns([*answer.before, answer.payload], size_of, parts.add, end)


class _VendorParts:
    """The parts of an answer in a vendor's format: whether they are chunks, and the last one."""

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self.joined: Joined | None = None
        self.last: Payload | None = None

    def add(self, part: Payload) -> None:
        """Raises UnexpectedAnswer for an error, and for one that is no chunk after one that is."""
        if part.is_empty:
            return
        _expect_no_error(part)
        self.last = part
        if self.joined is None and self._several and is_chunk(part):
            self.joined = Joined(None)
        if self.joined is not None:
            self.joined.add(part)


def _part_in_its_format(answer: Answer) -> Answer:
    _expect_no_error(answer.payload)
    return _as_it_is(answer)


def _expect_no_error(part: Payload) -> None:
    """Raises UnexpectedAnswer."""
    if is_error(part):
        raise UnexpectedAnswer(operation="chat", kind=AN_ERROR)


def _as_it_is(answer: Answer) -> Answer:
    """Raises UnexpectedAnswer for bytes, and for nothing."""
    if answer.payload.protobuf is not None:
        raise UnexpectedAnswer(operation="chat", kind="bytes")
    if type(answer.payload) is Payload and not answer.payload.json:  # a large text is not empty, and costs time to read
        raise UnexpectedAnswer(operation="chat", kind="nothing")
    return answer
