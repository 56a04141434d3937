"""One scenario for each entry at which a caller pays: the most important refusals, all with one model.

Visitors' calls and requests that call no model are no such entries.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import grpc
from aiohttp import web

from mlplace_contracts.events import BalanceChanged
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.money import Currency
from tests.settlement.case import Case, Values
from tests.settlement.entries import PASSED_ON, PAYING, STREAMING, refused_at, refused_stream_at
from tests.settlement.http_server import answer, serving
from tests.settlement.key_limits import ONE_BYTE, ONE_CALL_A_DAY
from tests.settlement.paths import Path
from tests.settlement.scripts import any_form
from tests.settlement.table import PRICE
from tests.settlement.ways import WAYS, Headers, Rpc, streamed

_RICH, _POOR, _BLOCKED = 0, 100, 200
"""Accounts, by their distance to the payer."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a caller gets, whose key is like `key`."""

    status: int
    code: str
    key: Values = field(default_factory=dict[str, object])
    account: int = _RICH
    headers: Headers = field(default_factory=dict[str, str])


_USED_UP = "used-up key"
REFUSED: Mapping[str, Refusal] = {
    "no valid key": Refusal(401, "mlp.gate.unauthorized", {"active": False}),
    "no right to call": Refusal(403, "mlp.gate.access_denied", {"permissions": ("read", "write")}),
    "blocked account": Refusal(403, "mlp.billing.account_blocked", account=_BLOCKED),
    "too large a request": Refusal(413, "mlp.gate.request_too_large", {"limits": ONE_BYTE}),
    "price above the caller's": Refusal(402, "mlp.gate.price_above_cap", headers={"MLP_Max_Price": "0.000000999"}),
    _USED_UP: Refusal(429, "mlp.gate.key_limit_exceeded", {"limits": ONE_CALL_A_DAY}),
    "too little money": Refusal(402, "mlp.billing.insufficient_funds", account=_POOR),
}


async def _keys(case: Case) -> Mapping[str, str]:
    """Returns the key of each refused caller. A call of a free model has used up one of them.

    A debt takes seconds, so an event says that the account is blocked. `refused.py` has a scenario with a debt.
    """
    made = {what: case.key_of(case.payer + refusal.account, **refusal.key) for what, refusal in REFUSED.items()}
    blocked = BalanceChanged(
        version=1, account_id=case.payer + _BLOCKED, currency=Currency.RUBLE, main_nano=-1, income_nano=0, blocked=True
    )
    await case.installation.publish(blocked, *(event for event, _ in made.values()))
    await case.installation.refill(case.payer + _POOR, PRICE - 1)
    await case.known()
    keys = {what: secret for what, (_, secret) in made.items()}
    assert (await case.installation.marker.call(MLP_API_KEY=keys[_USED_UP])).status_code == 200
    return keys


@asynccontextmanager
async def _open(name: str, case: Case) -> AsyncGenerator[Sequence[object]]:
    """Opens the case. Yields the requests that reach the model."""
    asked: list[object] = []

    async def answering(request: web.Request) -> web.StreamResponse:
        asked.append(request)
        return await answer(request)

    if name in PASSED_ON:
        async with serving(case, answering):
            yield asked
    else:
        await case.open()
        instance = await case.serve(any_form)
        yield instance.turns


async def _refuses(name: str, way: Path | Rpc, case: Case) -> None:
    async with _open(name, case) as asked, grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        keys = await _keys(case)
        for what, refusal in REFUSED.items():
            case.key = keys[what]
            if isinstance(way, Path):
                await case.refused(refusal.status, refusal.code, way, MLP_API_KEY=case.key, **refusal.headers)
            else:
                assert await way(GateStub(channel), case, refusal.headers) == (refusal.code, refusal.status), what
        assert not asked


SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{refused_at(name): partial(_refuses, name, WAYS[name]) for name in PAYING},
    **{refused_stream_at(name): partial(_refuses, name, streamed(name)) for name in STREAMING},
}
