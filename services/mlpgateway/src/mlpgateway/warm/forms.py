"""What routes with warm calls do differently: how they read a body, and how they show an answer or an error."""

from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from starlette.types import Send

from mlpgateway.call.call import Answer, HttpRequest, Payload
from mlpgateway.call.json_bodies import read_fields, read_predict, without_mark
from mlpgateway.entry.adapters.openai.chat import ChatRequest, answer_of, read_chat
from mlpgateway.entry.adapters.openai.objects import Fields
from mlpgateway.entry.adapters.openai.refusals import error_body
from mlpgateway.entry.http.answers import whole_answer
from mlpgateway.entry.sockets.front import send_answers, shown_headers
from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.addresses import PublicAddress
from mlpgateway.instances.http.headers import SANDBOX, to_instance
from mlplace_kit.errors import DomainError
from mlplace_runtime.web.errors import error_bytes, error_headers

Headers = Sequence[tuple[bytes, bytes]]
_JSON: Final = (b"content-type", b"application/json")
_LENGTH: Final = b"content-length"


class RequestContent(NamedTuple):
    """The content of a request. `text` is `data` in bytes. `config` None: the model's own. `http`: it is passed on."""

    data: Payload | None
    text: bytes
    config: Payload | None = None
    http: HttpRequest | None = None


class Shown(NamedTuple):
    """A response without the headers that every response has."""

    status: int
    headers: Headers
    body: bytes | memoryview


class Form(Protocol):
    """One call of a route.

    `keeps_parts`: its answer needs all parts that the instance has sent. `proves`: its answer proves the connection.
    `whole`: its answer is one message of the platform's own route; otherwise a call is passed on, and never sent again.
    """

    keeps_parts: bool
    proves: bool
    whole: bool

    def read(self, body: bytes) -> RequestContent:
        """Raises DomainError for an invalid body."""
        ...

    def shape(self, answer: Answer) -> Answer | Awaitable[Answer]:
        """See Shape."""
        ...

    def shown(self, answer: Answer, told: Mapping[str, str]) -> Shown:
        """Returns the answer in its shape as the caller gets it, with the headers that the gate tells."""
        ...

    async def send(self, answers: AsyncGenerator[Answer], send: Send) -> None:
        """Sends an answer that comes in pieces."""
        ...

    def refusal(self, error: DomainError) -> tuple[Headers, bytes]:
        """Returns the headers and the body of an error."""
        ...

    def headers(self) -> Headers:
        """Returns what every response of the route has besides."""
        ...


class PredictForm:
    """Satisfies Form."""

    __slots__ = ("_request_id",)
    keeps_parts = False
    proves = whole = True

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id

    def read(self, body: bytes) -> RequestContent:
        return RequestContent(read_predict(body, b"").data, bytes(without_mark(body)))

    def shape(self, answer: Answer) -> Answer:
        return answer

    def shown(self, answer: Answer, told: Mapping[str, str]) -> Shown:
        return Shown(200, *whole_answer(answer.payload, told))

    async def send(self, answers: AsyncGenerator[Answer], send: Send) -> None:
        raise NotImplementedError

    def refusal(self, error: DomainError) -> tuple[Headers, bytes]:
        body = error_bytes(error, self._request_id)
        return _with_length(error, body), body

    def headers(self) -> Headers:
        return []


class ChatForm:
    """Satisfies Form, for a conversation in OpenAI's format whose answer is not streamed."""

    __slots__ = ("_request", "_request_id")
    keeps_parts = whole = True
    proves = False

    def __init__(self, request: ChatRequest, request_id: str) -> None:
        self._request = request
        self._request_id = request_id

    def read(self, body: bytes) -> RequestContent:
        """The model is known only after the body is read, so `chat_of` has read it."""
        del body
        request = self._request
        return RequestContent(request.data, (request.data.json or "").encode(), request.config)

    def shape(self, answer: Answer) -> Answer | Awaitable[Answer]:
        return answer_of(self._request, answer, self._request_id)

    def shown(self, answer: Answer, told: Mapping[str, str]) -> Shown:
        return Shown(200, *whole_answer(answer.payload, told))

    async def send(self, answers: AsyncGenerator[Answer], send: Send) -> None:
        raise NotImplementedError

    def refusal(self, error: DomainError) -> tuple[Headers, bytes]:
        body = error_body(error)
        return _with_length(error, body), body

    def headers(self) -> Headers:
        return [(b"x-request-id", self._request_id.encode("latin-1"))]


class PassOnForm:
    """Satisfies Form, for a request that is passed on to an instance."""

    __slots__ = ("_address", "_headers", "_path", "_request_id")
    keeps_parts = proves = whole = False

    def __init__(self, request_id: str, path: str, headers: Headers, address: PublicAddress) -> None:
        self._request_id = request_id
        self._path = path
        self._headers = headers
        self._address = address

    def read(self, body: bytes) -> RequestContent:
        headers = (*to_instance(self._headers), *self._address.headers())
        http = HttpRequest("POST", self._path, headers, len(body))
        return RequestContent(Payload(protobuf=body), body, http=http)

    def shape(self, answer: Answer) -> Answer:
        if answer.http is None or answer.payload.protobuf is None:
            raise BrokenAnswer(reason="it is no HTTP answer")
        return answer

    def shown(self, answer: Answer, told: Mapping[str, str]) -> Shown:
        if answer.http is None:
            raise AssertionError("its shape has made sure of that")
        headers, body = shown_headers(answer.http, told, self._address), answer.payload.protobuf or b""
        if all(name != _LENGTH for name, _ in headers):  # the instance's Connection header may name it
            headers.append((_LENGTH, b"%d" % len(body)))
        return Shown(answer.http.status, [*headers, *SANDBOX], body)

    async def send(self, answers: AsyncGenerator[Answer], send: Send) -> None:
        await send_answers(answers, send, self._address, SANDBOX)

    def refusal(self, error: DomainError) -> tuple[Headers, bytes]:
        body = error_bytes(error, self._request_id)
        return _with_length(error, body), body

    def headers(self) -> Headers:
        return []


def chat_of(body: bytes) -> ChatRequest | None:
    """Reads a conversation. None: it has too many fields to be read here, or is streamed. Raises DomainError."""
    if not Fields.are_few(body):
        return None
    request = read_chat(Fields(read_fields(body)))
    return None if request.streamed else request


def _with_length(error: DomainError, body: bytes) -> Headers:
    given = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in error_headers(error).items()]
    return [*given, (b"content-length", b"%d" % len(body)), _JSON]
