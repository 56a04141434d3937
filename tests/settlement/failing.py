"""Scenarios for each entry: the model fails, at once or, where answers are streamed, after a part."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

import grpc
import httpx

from mlplace_gateproto import codes
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case
from tests.settlement.entries import (
    FAILING,
    STREAMED_RPCS,
    STREAMED_SPEECH,
    STREAMING,
    fails_at,
    fails_later_at,
    half_a_part_at,
    half_an_answer_at,
)
from tests.settlement.instance import Script, Turn
from tests.settlement.parts import READ, SAID
from tests.settlement.paths import Path
from tests.settlement.scripts import fails, says_half
from tests.settlement.ways import ANSWERS, WAYS, over_http, streamed

_TEXT = "part"


async def _says_half_a_part(turn: Turn) -> None:
    await turn.part('{"n":')


@dataclass(frozen=True, slots=True)
class Failure:
    """What the instance does at once, what it does `later`, after a part, and the error that the caller gets."""

    at_once: Script
    later: Script
    code: str
    status: int


ERROR = Failure(fails, fails, "acme.broken", 400)
HALF = Failure(says_half, _says_half_a_part, codes.INTERNAL_ERROR, 502)
"""What claims to be JSON, and is not."""


async def _fails(name: str, failure: Failure, case: Case) -> None:
    way = WAYS[name]
    await case.open()
    instance = await case.serve(failure.at_once)
    if isinstance(way, Path):
        await case.refused(failure.status, failure.code, way)
    else:
        async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
            assert await way(GateStub(channel), case, {}) == (failure.code, failure.status)
    assert len(instance.turns) == 1


async def _fails_later(name: str, failure: Failure, path: Path, case: Case) -> None:
    await _begins(name, failure, case)
    url, headers = path.url(case.installation.gateway.url, case.owner, case.model), {"MLP-API-KEY": case.key}
    content, said, whole = path.content(case.owner, case.model), b"", True
    async with case.installation.client.stream(path.method, url, headers=headers, **content) as answer:
        try:
            async for data in answer.aiter_raw():
                said += data
        except httpx.RemoteProtocolError:
            whole = False
    assert (answer.status_code, _TEXT.encode() in said) == (200, True)
    is_text = name in STREAMING
    assert (whole, failure.code.encode() in said) == (is_text, is_text), "no sound says that it is not whole"


async def _part_then_error(name: str, failure: Failure, case: Case) -> None:
    await _begins(name, failure, case)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        first, *others = [answer async for answer in ANSWERS[name](GateStub(channel), case, {})]
    assert (READ[name](first), [answer.error.code for answer in others]) == (_TEXT, [failure.code])


async def _begins(name: str, failure: Failure, case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part(SAID[name](_TEXT))
        await failure.later(turn)

    await case.open()
    await case.serve(script)


_AT_ONCE = ((fails_at, ERROR), (half_an_answer_at, HALF))
_LATER = ((fails_later_at, ERROR), (half_a_part_at, HALF))
SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{at(name): partial(_fails, name, failure) for at, failure in _AT_ONCE for name in FAILING},
    **{at(name): partial(_fails_later, name, how, streamed(name)) for at, how in _LATER for name in STREAMING},
    **{at(name): partial(_fails_later, name, how, over_http(name)) for at, how in _LATER for name in STREAMED_SPEECH},
    **{at(name): partial(_part_then_error, name, how) for at, how in _LATER for name in STREAMED_RPCS},
}
