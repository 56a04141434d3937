"""How to call each entry of `entry/call_options.py`. A new entry needs a row in WAYS."""

from collections.abc import AsyncIterable, Awaitable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from mlplace_gateproto import gate_pb2 as pb
from tests.settlement.paths import (
    CHAT,
    COMPLETION,
    EMBEDDINGS,
    IMAGES,
    METHOD,
    PREDICT,
    SAID,
    SAID_BY_NAME,
    SAID_BY_QUERY,
    SHORT,
    SPEECH,
    STREAM,
    TRANSCRIPTION,
    VENDORS_CHAT,
    WITH_CONFIG,
    WITH_TEXTS,
    Adapter,
    NamedByQuery,
    Path,
    Predictions,
)

if TYPE_CHECKING:
    from mlplace_gateproto.gate_pb2_grpc import GateAsyncStub

Headers = dict[str, str]


class Called(Protocol):
    """The account of a model, the model, and the key with which it is called."""

    @property
    def owner(self) -> int: ...
    @property
    def model(self) -> int: ...
    @property
    def key(self) -> str: ...


class Rpc(Protocol):
    """Calls an RPC with these headers as metadata. Returns the code and the status of its error."""

    def __call__(self, stub: "GateAsyncStub", case: Called, headers: Headers) -> Awaitable[tuple[str, int]]: ...


class Answers(Protocol):
    """Calls an RPC with these headers as metadata. Yields its answers."""

    def __call__(self, stub: "GateAsyncStub", case: Called, headers: Headers) -> AsyncIterable[Any]: ...


def request_of(case: Called) -> pb.ClientRequestProto:
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.predict.data.json = "{}"
    return request


def metadata_of(headers: Headers) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", "-").lower(), value) for name, value in headers.items())


async def _process(stub: "GateAsyncStub", case: Called, headers: Headers) -> tuple[str, int]:
    answer = await stub.process(request_of(case), metadata=metadata_of(headers))
    return answer.error.code, answer.error.status


def _response_stream(stub: "GateAsyncStub", case: Called, headers: Headers) -> AsyncIterable[Any]:
    return stub.processResponseStream(request_of(case), metadata=metadata_of(headers))


def _stream(stub: "GateAsyncStub", case: Called, headers: Headers) -> AsyncIterable[Any]:
    return stub.processStream(iter([request_of(case)]), metadata=metadata_of(headers))


def _synthesis(stub: "GateAsyncStub", case: Called, headers: Headers) -> AsyncIterable[Any]:
    request = pb.ClientTtsRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.tts.text = "hi"
    return stub.processSynthesis(request, metadata=metadata_of(headers))


def _recognition(stub: "GateAsyncStub", case: Called, headers: Headers) -> AsyncIterable[Any]:
    first = pb.ClientAsrRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    first.asr.config.SetInParent()
    return stub.processRecognition(iter([first]), metadata=metadata_of(headers))


ANSWERS: Mapping[str, Answers] = {
    "processResponseStream": _response_stream,
    "processStream": _stream,
    "processSynthesis": _synthesis,
    "processRecognition": _recognition,
}
"""By RPC whose answers come in parts."""


async def _only(answers: Answers, stub: "GateAsyncStub", case: Called, headers: Headers) -> tuple[str, int]:
    (answer,) = [each async for each in answers(stub, case, headers)]
    return answer.error.code, answer.error.status


WAYS: Mapping[str, Path | Rpc] = {
    "predict": PREDICT,
    "predictWithConfig": WITH_CONFIG,
    "predictWithConfig_v2": WITH_TEXTS,
    "predictWithConfig_v2_stream": STREAM,
    "ext": METHOD,
    "servletPredict": SHORT,
    "tryWithoutSigningIn": Path("try", {"text": "hi"}),
    "httpInterface": Path("http/predict", {"text": "hi"}),
    "openaiChatCompletions": CHAT,
    "openaiCompletions": COMPLETION,
    "openaiDirectChatCompletions": VENDORS_CHAT,
    "openaiEmbeddings": EMBEDDINGS,
    "openaiImages": IMAGES,
    "openaiSpeech": SPEECH,
    "openaiTranscriptions": TRANSCRIPTION,
    "ttsByQuery": NamedByQuery("tts", {"text": "hi"}),
    "ttsByBody": SAID_BY_NAME,
    "tts": SAID_BY_QUERY,
    "postTts": SAID,
    "process": _process,
    **{name: partial(_only, answers) for name, answers in ANSWERS.items()},
    "control": Predictions("predictions", {}),
}
"""How to call each entry that may refuse a header."""


def streamed(name: str) -> Path:
    """Returns how to ask the adapter for a stream."""
    way = WAYS[name]
    if not isinstance(way, Adapter) or not isinstance(way.body, dict):
        raise TypeError(f"{name} takes no body that could ask for a stream")
    return Adapter(way.name, {**way.body, "stream": True})


def over_http(name: str) -> Path:
    way = WAYS[name]
    if not isinstance(way, Path):
        raise TypeError(f"{name} is no entry over HTTP")
    return way


def over_grpc(name: str) -> Rpc:
    way = WAYS[name]
    if isinstance(way, Path):
        raise TypeError(f"{name} is an entry over HTTP")
    return way
