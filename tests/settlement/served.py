"""One scenario for each entry that serves an idempotency key, and for each that serves `Prefer: respond-async`."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import grpc

from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case, Path, answers
from tests.settlement.instance import Turn
from tests.settlement.predicted import ends
from tests.settlement.table import BACKGROUND, KEYED, again_at, in_the_background_at
from tests.settlement.ways import WAYS, metadata_of, over_http, request_of

_ANSWER = '{"choices": [{"index": 0, "message": {"content": "hi"}}], "data": [], "audio_base64": "AAAA", "text": "hi"}'
_REPLAYED = "z-idempotent-replayed"


async def any_form(turn: Turn) -> None:
    """Every adapter finds its answer in this one."""
    await turn.answer(_ANSWER)


async def _again(path: Path, case: Case) -> None:
    await case.open()
    instance = await case.serve(any_form)
    first, second = [await case.call(path, MLP_API_KEY=case.key, Idempotency_Key="once") for _ in range(2)]
    assert (first.status_code, second.status_code) == (200, 200), first.text
    assert first.content == second.content
    assert second.headers[_REPLAYED] == "true"
    assert len(instance.turns) == 1


async def _again_over_grpc(case: Case) -> None:
    await case.open()
    instance = await case.serve(answers)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        stub, metadata = GateStub(channel), metadata_of({"Idempotency_Key": "once"})
        first, second = [await stub.process(request_of(case), metadata=metadata) for _ in range(2)]
    assert first.predict.data.json == second.predict.data.json == '"done"'
    assert second.headers["Z-idempotent-replayed"] == "true"
    assert len(instance.turns) == 1


async def _in_the_background(path: Path, case: Case) -> None:
    await case.open()
    await case.serve(answers)
    assert await ends(case, await case.begin_in_background(path)) == "succeeded"


def _again_at(name: str) -> Callable[[Case], Awaitable[None]]:
    way = WAYS[name]
    return partial(_again, way) if isinstance(way, Path) else _again_over_grpc


def _background_at(name: str) -> Callable[[Case], Awaitable[None]]:
    return partial(_in_the_background, over_http(name))


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{again_at(name): _again_at(name) for name in KEYED},
    **{in_the_background_at(name): _background_at(name) for name in BACKGROUND},
}
