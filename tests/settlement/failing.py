"""Scenarios for each entry: the model answers with an error, at once or, where answers are streamed, after a part."""

from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc
import httpx

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case, Path
from tests.settlement.instance import Turn
from tests.settlement.table import (
    FAILING,
    STREAMED_SPEECH,
    STREAMED_SPEECH_OVER_GRPC,
    STREAMING,
    fails_at,
    fails_later_at,
)
from tests.settlement.ways import WAYS, Rpc, over_http, streamed

if TYPE_CHECKING:
    from mlplace_gateproto.gate_pb2_grpc import GateAsyncStub

_CHUNK = '{"choices": [{"index": 0, "delta": {"content": "hi"}}]}'
_SOUND = b"sound"


async def _error(turn: Turn) -> None:
    await turn.error()


async def _fails(way: Path | Rpc, case: Case) -> None:
    await case.open()
    instance = await case.serve(_error)
    if isinstance(way, Path):
        await case.refused(400, "acme.broken", way)
    else:
        async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
            assert await way(GateStub(channel), case, {}) == ("acme.broken", 400)
    assert len(instance.turns) == 1


async def _fails_later(path: Path, part: str | bytes, case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part(part)
        await turn.error()

    await case.open()
    await case.serve(script)
    url, headers = path.url(case.installation.gateway.url, case.owner, case.model), {"MLP-API-KEY": case.key}
    content, said, whole = path.content(case.owner, case.model), b"", True
    async with case.installation.client.stream(path.method, url, headers=headers, **content) as answer:
        try:
            async for data in answer.aiter_raw():
                said += data
        except httpx.RemoteProtocolError:
            whole = False
    assert answer.status_code == 200
    is_sound = isinstance(part, bytes)
    assert (part if isinstance(part, bytes) else b'"hi"') in said
    assert (whole, b"acme.broken" in said) == (not is_sound, not is_sound), "no sound says that it is not whole"


async def _sound_then_error(case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part(_SOUND)
        await turn.error()

    await case.open()
    await case.serve(script)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        said = [answer async for answer in _synthesis(GateStub(channel), case)]
    assert [(answer.tts.audio_chunk.data, answer.error.code) for answer in said] == [
        (_SOUND, ""), (b"", "acme.broken"),
    ]  # fmt: skip


def _synthesis(stub: "GateAsyncStub", case: Case) -> AsyncIterable[Any]:
    request = pb.ClientTtsRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.tts.text = "hi"
    return stub.processSynthesis(request)


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{fails_at(name): partial(_fails, WAYS[name]) for name in FAILING},
    **{fails_later_at(name): partial(_fails_later, streamed(name), _CHUNK) for name in STREAMING},
    **{fails_later_at(name): partial(_fails_later, over_http(name), _SOUND) for name in STREAMED_SPEECH},
    fails_later_at(STREAMED_SPEECH_OVER_GRPC): _sound_then_error,
}
