"""Scenarios for each entry: the model answers with an error, at once or, where answers are streamed, after a part."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import grpc
import httpx

from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case, Path
from tests.settlement.instance import Turn
from tests.settlement.table import (
    FAILING,
    STREAMED_SPEECH,
    STREAMING,
    fails_at,
    fails_later_at,
)
from tests.settlement.ways import STREAMED_RPCS, WAYS, Rpc, over_http, streamed

_CHUNK = '{"choices": [{"index": 0, "delta": {"content": "hi"}}]}'
_SOUND = b"sound"
_PARTS: Mapping[str, tuple[str | bytes, Callable[[Any], str | bytes]]] = {
    "processResponseStream": ('"part"', lambda answer: answer.partialPredict.data.json),
    "processStream": ('"part"', lambda answer: answer.partialPredict.data.json),
    "processSynthesis": (_SOUND, lambda answer: answer.tts.audio_chunk.data),
    "processRecognition": (
        '{"alternatives": [{"text": "hi"}]}',
        lambda answer: json.dumps({"alternatives": [{"text": answer.asr.chunks[0].alternatives[0].text}]}),
    ),
}
"""By RPC: what an instance says, and how to find it in the answer."""


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


async def _part_then_error(name: str, case: Case) -> None:
    part, read = _PARTS[name]

    async def script(turn: Turn) -> None:
        await turn.part(part)
        await turn.error()

    await case.open()
    await case.serve(script)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        first, *others = [answer async for answer in STREAMED_RPCS[name](GateStub(channel), case, {})]
    assert (read(first), [answer.error.code for answer in others]) == (part, ["acme.broken"])


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{fails_at(name): partial(_fails, WAYS[name]) for name in FAILING},
    **{fails_later_at(name): partial(_fails_later, streamed(name), _CHUNK) for name in STREAMING},
    **{fails_later_at(name): partial(_fails_later, over_http(name), _SOUND) for name in STREAMED_SPEECH},
    **{fails_later_at(name): partial(_part_then_error, name) for name in STREAMED_RPCS},
}
