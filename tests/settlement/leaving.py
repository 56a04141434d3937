"""Scenarios of callers who disconnect."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import grpc

from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.callers import calling
from tests.settlement.case import CUSTOM, Case
from tests.settlement.entries import (
    PASSED_ON,
    STREAMED_RPCS,
    STREAMED_SPEECH,
    STREAMING,
    leaves_before_parts_at,
    leaves_between_parts_at,
)
from tests.settlement.http_server import parts_then_nothing as parts_over_http
from tests.settlement.http_server import serving
from tests.settlement.installation import PATIENCE
from tests.settlement.instance import Instance, Turn
from tests.settlement.parts import READ, SAID
from tests.settlement.paths import PREDICT, STREAM, Path
from tests.settlement.scripts import answers, hangs, parts_then_nothing
from tests.settlement.table import UNITS_OF_A_PART
from tests.settlement.ways import ANSWERS, over_http, streamed

_TEXTS = ("part-1", "part-2")


async def _hangs_up_unanswered(case: Case, path: Path) -> None:
    await case.open()
    instance = await case.serve(hangs)
    async with calling(case, path) as caller:
        async with asyncio.timeout(60):
            await instance.asked.wait()
        caller.hang_up()
        await case.installation.no_call_in_progress()


async def client_gone(case: Case) -> None:
    await _hangs_up_unanswered(case, PREDICT)


async def client_gone_before_parts(case: Case) -> None:
    await _hangs_up_unanswered(case, STREAM)


async def _hangs_up_between_parts(case: Case) -> None:
    async with calling(case, STREAM) as caller:
        await caller.hears('"part 2"')
        caller.hang_up()
        await case.installation.no_call_in_progress()


async def client_gone_between_parts(case: Case) -> None:
    await case.open()
    await case.serve(parts_then_nothing("7"))
    await _hangs_up_between_parts(case)


async def client_gone_between_custom_parts(case: Case) -> None:
    await case.open(billing=CUSTOM)
    await case.serve(parts_then_nothing("2"))
    await _hangs_up_between_parts(case)


async def client_gone_at_the_end(case: Case) -> None:
    """The client disconnects while the usage is being written."""
    await case.open()
    await case.serve(answers)
    await case.settled()  # the event of the connected instance is recorded too
    async with case.installation.outbox_locked(), calling(case, Idempotency_Key="once") as caller:
        await case.installation.someone_waits_for_the_lock()
        caller.hang_up()
        await case.installation.no_call_in_progress()
    await case.installation.nothing_in_the_outbox()


# ---- At each entry whose answers come in parts. The model reports units with each part.


async def _serve(name: str, texts: Sequence[str], case: Case) -> Instance:
    async def script(turn: Turn) -> None:
        for text in texts:
            await turn.part(SAID[name](text), Z_custom_billing=str(UNITS_OF_A_PART))

    await case.open(billing=CUSTOM)
    return await case.serve(script)


async def _leaves_over_http(name: str, texts: Sequence[str], path: Path, case: Case) -> None:
    instance = await _serve(name, texts, case)
    async with calling(case, path) as caller, asyncio.timeout(PATIENCE):
        await instance.asked.wait()
        if texts:
            await caller.hears(texts[-1])
        caller.hang_up()
        await case.installation.no_call_in_progress()


async def _leaves_over_grpc(name: str, texts: Sequence[str], case: Case) -> None:
    instance = await _serve(name, texts, case)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel, asyncio.timeout(PATIENCE):
        call: Any = ANSWERS[name](GateStub(channel), case, {})
        reading = aiter(call)
        assert [READ[name](await anext(reading)) for _ in texts] == [*texts]
        await instance.asked.wait()
        call.cancel()
        await case.installation.no_call_in_progress()


async def _leaves_while_passed_on(name: str, texts: Sequence[str], case: Case) -> None:
    """The server reports the units of all parts in the headers of its answer: a part has none."""
    asked = asyncio.Event()
    units = str(UNITS_OF_A_PART * len(texts))
    server = serving(case, parts_over_http(asked, *texts, Z_custom_billing=units), billing=CUSTOM)
    async with server, calling(case, over_http(name)) as caller, asyncio.timeout(PATIENCE):
        await asked.wait()
        if texts:
            await caller.hears(texts[-1])
        caller.hang_up()
        await case.installation.no_call_in_progress()


_LEAVING: Sequence[tuple[Callable[[str], str], Sequence[str]]] = (
    (leaves_before_parts_at, ()), (leaves_between_parts_at, _TEXTS),
)  # fmt: skip
SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{
        at(name): partial(_leaves_over_http, name, texts, streamed(name))
        for at, texts in _LEAVING
        for name in STREAMING
    },
    **{
        at(name): partial(_leaves_over_http, name, texts, over_http(name))
        for at, texts in _LEAVING
        for name in STREAMED_SPEECH
    },
    **{at(name): partial(_leaves_over_grpc, name, texts) for at, texts in _LEAVING for name in STREAMED_RPCS},
    **{at(name): partial(_leaves_while_passed_on, name, texts) for at, texts in _LEAVING for name in PASSED_ON},
}
