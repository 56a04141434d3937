"""One scenario for each entry: it refuses the headers that it does not serve, and an invalid idempotency key.

A new entry of `entry/call_options.py` needs a row in WAYS.
"""

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import grpc

from mlpgateway.entry.call_options import SERVED, Served
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import (
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
    Case,
    Path,
    Query,
    answers,
)
from tests.settlement.table import REFUSING, STREAMING, of_entry, of_stream

if TYPE_CHECKING:
    from mlplace_gateproto.gate_pb2_grpc import GateAsyncStub

Headers = dict[str, str]


class Rpc(Protocol):
    """Calls an RPC with these headers as metadata. Returns the code and the status of its error."""

    def __call__(self, stub: "GateAsyncStub", case: Case, headers: Headers) -> Awaitable[tuple[str, int]]: ...


_INVALID, _STREAM, _UNSERVED = (
    "mlp.core.validation_error", "mlp.gate.idempotency_not_for_streams", "mlp.gate.header_not_served",
)  # fmt: skip
_KEY, _INVALID_KEY = {"Idempotency_Key": "once"}, {"Idempotency_Key": "x" * 256}
_PREFER = {"Prefer": "respond-async"}
_WEBHOOKS = ({"MLP_Webhook": "https://example.org/"}, {"MLP_Webhook_Events": "started"})


class NamedByQuery(Query):
    """An address of an adapter whose parameters name the model, too."""

    def url(self, base: str, account: int, model: int) -> str:
        del account, model
        return f"{base}/api/adapters/{self.name}"

    def content(self, owner: int, model: int) -> dict[str, Any]:
        return {"params": {"model": f"{owner}/{model}", **super().content(owner, model)["params"]}}


class Predictions(Path):
    """The predictions of an account, which are deleted."""

    method = "DELETE"

    def url(self, base: str, account: int, model: int) -> str:
        del model
        return f"{base}/api/mlpgateway/account/{account}/{self.name}"


def refusals_of(served: Served, *, streamed: bool = False) -> Iterable[tuple[Headers, str]]:
    """Yields each header that the entry refuses, with the code. `streamed`: the body asks for a stream."""
    if served.reads:
        return
    yield from ((webhook, _UNSERVED) for webhook in _WEBHOOKS)
    if served.passed_on:
        return
    if served.key:
        yield _INVALID_KEY, _INVALID
    if streamed or not served.key:
        yield _KEY, _STREAM if streamed or served.streamed else _UNSERVED
    if not served.respond_async:
        yield _PREFER, _UNSERVED
        yield from ((_PREFER | webhook, _UNSERVED) for webhook in _WEBHOOKS)


# ---- RPCs


def _request(case: Case) -> pb.ClientRequestProto:
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.predict.data.json = "{}"
    return request


def _metadata(headers: Headers) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", "-").lower(), value) for name, value in headers.items())


async def _only(said: AsyncIterable[Any]) -> tuple[str, int]:
    (answer,) = [each async for each in said]
    return answer.error.code, answer.error.status


async def _process(stub: "GateAsyncStub", case: Case, headers: Headers) -> tuple[str, int]:
    answer = await stub.process(_request(case), metadata=_metadata(headers))
    return answer.error.code, answer.error.status


async def _response_stream(stub: "GateAsyncStub", case: Case, headers: Headers) -> tuple[str, int]:
    return await _only(stub.processResponseStream(_request(case), metadata=_metadata(headers)))


async def _stream(stub: "GateAsyncStub", case: Case, headers: Headers) -> tuple[str, int]:
    return await _only(stub.processStream(iter([_request(case)]), metadata=_metadata(headers)))


async def _synthesis(stub: "GateAsyncStub", case: Case, headers: Headers) -> tuple[str, int]:
    request = pb.ClientTtsRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.tts.text = "hi"
    return await _only(stub.processSynthesis(request, metadata=_metadata(headers)))


async def _recognition(stub: "GateAsyncStub", case: Case, headers: Headers) -> tuple[str, int]:
    first = pb.ClientAsrRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    first.asr.config.SetInParent()
    return await _only(stub.processRecognition(iter([first]), metadata=_metadata(headers)))


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
    "processResponseStream": _response_stream,
    "processStream": _stream,
    "processSynthesis": _synthesis,
    "processRecognition": _recognition,
    "control": Predictions("predictions", {}),
}
"""How to call each entry that may refuse a header."""


async def _refuses(way: Path | Rpc, refusals: Iterable[tuple[Headers, str]], case: Case) -> None:
    await case.open(model={"visitor_calls_per_day": 1000}, publicity={"public_testing_allowed": True})
    await case.serve(answers)
    for headers, code in refusals:
        if isinstance(way, Path):
            await case.refused(400, code, way, MLP_API_KEY=case.key, **headers)
        else:
            async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
                assert await way(GateStub(channel), case, headers) == (code, 400), headers
    assert [instance.turns for instance in case.instances] == [[]]


def _streamed(name: str) -> Path:
    """Returns how to ask the adapter for a stream."""
    way = WAYS[name]
    if not isinstance(way, Adapter) or not isinstance(way.body, dict):
        raise TypeError(f"{name} takes no body that could ask for a stream")
    return Adapter(way.name, {**way.body, "stream": True})


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{of_entry(name): partial(_refuses, WAYS[name], tuple(refusals_of(SERVED[name]))) for name in REFUSING},
    **{
        of_stream(name): partial(_refuses, _streamed(name), tuple(refusals_of(SERVED[name], streamed=True)))
        for name in STREAMING
    },
}
