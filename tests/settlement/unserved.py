"""One scenario for each entry: it refuses the headers that it does not serve, and an invalid idempotency key.

A new entry of `entry/call_options.py` needs a row in WAYS.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

import grpc

from mlpgateway.entry.call_options import SERVED, ServedOptions
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case
from tests.settlement.entries import REFUSING, STREAMING, of_entry, of_stream
from tests.settlement.paths import Path
from tests.settlement.scripts import answers
from tests.settlement.ways import WAYS, Headers, Rpc, streamed

_INVALID, _STREAM, _UNSERVED = (
    "mlp.core.validation_error", "mlp.gate.idempotency_not_for_streams", "mlp.gate.header_not_served",
)  # fmt: skip
_KEY, _INVALID_KEY = {"Idempotency_Key": "once"}, {"Idempotency_Key": "x" * 256}
_PREFER = {"Prefer": "respond-async"}
_CHOICES = ({"MLP_BILLING_KEY": "x"}, {"MLP_Max_Price": "1"}, {"Z_Priority": "1"})
_WEBHOOKS = ({"MLP_Webhook": "https://example.org/"}, {"MLP_Webhook_Events": "started"})


def refusals_of(served: ServedOptions, *, streamed: bool = False) -> Iterable[tuple[Headers, str]]:
    """Yields each header that the entry refuses, with the code. `streamed`: the body asks for a stream."""
    if served.reads:
        return
    yield from ((webhook, _UNSERVED) for webhook in _WEBHOOKS)
    if served.passed_on:
        return
    if served.without_choice:
        yield from ((choice, _UNSERVED) for choice in _CHOICES)
    if served.key:
        yield _INVALID_KEY, _INVALID
    if streamed or not served.key:
        yield _KEY, _STREAM if streamed or served.streamed else _UNSERVED
    if not served.respond_async:
        yield _PREFER, _UNSERVED
        yield from ((_PREFER | webhook, _UNSERVED) for webhook in _WEBHOOKS)


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


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{of_entry(name): partial(_refuses, WAYS[name], tuple(refusals_of(SERVED[name]))) for name in REFUSING},
    **{
        of_stream(name): partial(_refuses, streamed(name), tuple(refusals_of(SERVED[name], streamed=True)))
        for name in STREAMING
    },
}
