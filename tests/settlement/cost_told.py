"""One scenario for each entry at which a caller pays: whether its answer says what the call cost."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import grpc
from aiohttp import web

from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case
from tests.settlement.entries import (
    PASSED_ON,
    STREAMED_SPEECH,
    STREAMING,
    TELLING,
    TELLING_MESSAGES,
    tells_cost_at,
    tells_no_cost_at,
)
from tests.settlement.http_server import answer, serving
from tests.settlement.instance import Turn
from tests.settlement.parts import SAID
from tests.settlement.paths import STREAM, Path
from tests.settlement.scripts import any_form
from tests.settlement.ways import ANSWERS, over_http, request_of, streamed

THE_PRICE = ("1", "0.000001")
NOTHING = (None, None)
"""What the headers say of a call of one unit, and when they are absent."""


def told(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Returns what the headers say about the cost: `MLP-Units` and `MLP-Cost`."""
    found = {name.lower(): value for name, value in headers.items()}
    return found.get("mlp-units"), found.get("mlp-cost")


async def _whole(path: Path, case: Case) -> None:
    await case.open()
    await case.serve(any_form)
    found = await case.call(path)
    assert (found.status_code, told(found.headers)) == (200, THE_PRICE)


async def _in_parts(path: Path, said: Callable[[str], str | bytes], case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part(said("a1"))
        await turn.part(said("a2"), last=True)

    await case.open()
    await case.serve(script)
    found = await case.call(path)
    assert (found.status_code, told(found.headers)) == (200, NOTHING)


async def _passed_on(path: Path, case: Case) -> None:
    async with serving(case, answer):
        found = await case.call(path)
    assert (found.status_code, told(found.headers)) == (200, THE_PRICE)


async def _passed_on_in_parts(path: Path, case: Case) -> None:
    """The second part comes when the caller has the headers."""
    heard = asyncio.Event()

    async def answering(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"1")
        await heard.wait()
        await response.write(b"2")
        return response

    async with serving(case, answering):
        url = path.url(case.installation.gateway.url, case.owner, case.model)
        sent = path.content(case.owner, case.model)
        headers = {"MLP-API-KEY": case.key}
        async with case.installation.client.stream(path.method, url, headers=headers, **sent) as found:
            heard.set()
            said = await found.aread()
    assert (said, told(found.headers)) == (b"12", NOTHING)


async def _message(case: Case) -> None:
    await case.open()
    await case.serve(any_form)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        found = await GateStub(channel).process(request_of(case))
    assert told(found.headers) == THE_PRICE


async def _last_message(name: str, case: Case) -> None:
    """The headers of each message are its own."""

    async def script(turn: Turn) -> None:
        await turn.part()
        await turn.part(last=True)

    await case.open()
    await case.serve(script)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        said = [told(answer.headers) async for answer in ANSWERS[name](GateStub(channel), case, {})]
    assert said == [NOTHING, THE_PRICE]


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{tells_cost_at(name): partial(_whole, over_http(name)) for name in TELLING},
    tells_cost_at("process"): _message,
    **{tells_cost_at(name): partial(_last_message, name) for name in TELLING_MESSAGES},
    **{tells_cost_at(name): partial(_passed_on, over_http(name)) for name in PASSED_ON},
    tells_no_cost_at("predictWithConfig_v2_stream"): partial(_in_parts, STREAM, json.dumps),
    **{tells_no_cost_at(name): partial(_in_parts, streamed(name), SAID[name]) for name in STREAMING},
    **{tells_no_cost_at(name): partial(_in_parts, over_http(name), SAID[name]) for name in STREAMED_SPEECH},
    **{tells_no_cost_at(name): partial(_passed_on_in_parts, over_http(name)) for name in PASSED_ON},
}
