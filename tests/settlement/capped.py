"""Scenarios in which a model reports more than the call may cost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import grpc

import mlplace
from mlplace.context import Context, enter_context
from mlplace_contracts.events import CappedBy, ChargeCapped, ModelBatches
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_testing.waiting import eventually
from tests.settlement.case import CUSTOM, DIRECT, Case
from tests.settlement.installation import PATIENCE
from tests.settlement.instance import Turn
from tests.settlement.key_limits import spending
from tests.settlement.paths import STREAM
from tests.settlement.scripts import answers_with, in_parts
from tests.settlement.table import UNITS

ABSURD = "999999999999999999"
PUBLISHED = {"max_price_nano": 2000}
CAP = "0.0000006"


@asynccontextmanager
async def _capped(case: Case, by: CappedBy, *units: int, reported: str = ABSURD) -> AsyncGenerator[None]:
    """The bound caps the charges of the block to these units: usage and the metric say so of each, an event of the first."""
    before = await case.installation.capped_charges(by)
    yield
    assert await case.installation.capped_charges(by) == before + len(units)
    await case.settled()
    query = "SELECT units, reported_units, capped_by FROM usage WHERE model_id = $1 ORDER BY units"
    rows = await case.installation.billing_books.fetch(query, case.model)
    assert [tuple(row) for row in rows] == [(charged, int(reported), by) for charged in units]

    async def told() -> list[tuple[int, str]]:
        events = await case.installation.published(ChargeCapped)
        return [(event.account_id, event.capped_by) for event in events if event.model_id == case.model]

    assert await eventually(told, seconds=PATIENCE) == [(case.owner, by)]


async def _answered(case: Case, by: CappedBy, units: int, **headers: Any) -> None:
    await case.serve(answers_with(Z_custom_billing=ABSURD))
    async with _capped(case, by, units):
        answer = await case.call(MLP_API_KEY=case.key, **headers)
        assert answer.status_code == 200, answer.text


async def above_the_published_price(case: Case) -> None:
    await case.open(billing=CUSTOM, model=PUBLISHED)
    await _answered(case, "model", 2 * UNITS)


async def above_it_with_an_amount(case: Case) -> None:
    await case.open(billing=DIRECT, model=PUBLISHED)
    await _answered(case, "model", 2000)


async def above_it_in_parts(case: Case) -> None:
    await case.open(billing=DIRECT, model=PUBLISHED)
    await case.serve(in_parts(*({"Z_custom_billing": "900"} for _ in range(5))))
    async with _capped(case, "model", 2000, reported="4500"):
        assert len((await case.call(STREAM)).text.splitlines()) == 5


async def above_the_platforms_price(case: Case) -> None:
    await case.open(money=500 * 10**9, billing=DIRECT)
    await _answered(case, "platform", 100 * 10**9)


async def above_it_with_free_units(case: Case) -> None:
    await case.open(billing={**CUSTOM, "free_unit_quota": 50 * UNITS}, model=PUBLISHED)
    await _answered(case, "model", 2 * UNITS)


async def above_the_callers_price(case: Case) -> None:
    await case.open(billing=DIRECT, model=PUBLISHED)
    await _answered(case, "caller", 600, MLP_Max_Price=CAP)


async def above_the_keys_price(case: Case) -> None:
    await case.open(billing=DIRECT, key={"max_price_nano": 600})
    await _answered(case, "key", 600)


async def above_the_billing_keys_price(case: Case) -> None:
    await case.open(billing=DIRECT, key={"max_price_nano": 600})
    await case.serve(answers_with(Z_custom_billing=ABSURD))
    key = await case.another_key(case.payer + 100)
    async with _capped(case, "key", 600):
        assert (await case.call(MLP_API_KEY=key, MLP_BILLING_KEY=case.key)).status_code == 200


async def above_it_over_grpc(case: Case) -> None:
    await case.open(billing=DIRECT)
    await case.serve(answers_with(Z_custom_billing=ABSURD))
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.predict.data.json = "{}"
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        async with _capped(case, "caller", 600):
            answer = await GateStub(channel).process(request, metadata=(("mlp-max-price", CAP),))
            assert answer.predict.data.json == '"done"'
        request.headers["mlp-max-price"] = "a lot"
        refused = await GateStub(channel).process(request)
    assert refused.error.code == "mlp.core.validation_error"


async def above_it_in_a_batch(case: Case) -> None:
    """Each call has its own bound."""

    async def script(turn: Turn) -> None:
        await turn.answer_batch(Z_custom_billing=ABSURD)

    await case.open(billing=CUSTOM, model={"batches": ModelBatches(size=2, wait_ms=int(PATIENCE * 1000))})
    instance = await case.serve(script, takes_batches=True)
    bounds = ("0.0000006", "0.0000009")
    calls = [case.call(MLP_API_KEY=case.key, MLP_Max_Price=bound) for bound in bounds]
    async with _capped(case, "caller", 6, 9):
        told = [(answer.status_code, answer.headers["MLP-Cost"]) for answer in await asyncio.gather(*calls)]
    assert (told, len(instance.turns)) == ([(200, bound) for bound in bounds], 1)


async def above_the_expense_limit(case: Case) -> None:
    await case.open(billing=DIRECT, key={"limits": spending(1500, daily=False)})
    await _answered(case, "key_limit", 1500)
    await case.refused(429, "mlp.gate.key_spending_limit_exceeded")


async def above_a_spending_limit(case: Case) -> None:
    await case.open(billing=DIRECT, key={"limits": spending(1500, daily=True)})
    await _answered(case, "key_limit", 1500)


async def more_than_there_is(case: Case) -> None:
    await case.open(money=1000, billing=DIRECT)
    await _answered(case, "balance", 1000)
    standing = "SELECT main_nano, owed_nano FROM balance WHERE account_id = $1"
    assert tuple(await case.installation.billing_books.fetchrow(standing, case.payer) or ()) == (0, 0)
    await case.refused(402, "mlp.billing.insufficient_funds")


async def above_it_in_a_nested_call(case: Case) -> None:
    """The SDK passes the caller's bound on with the key that pays."""
    await case.open(billing=DIRECT)
    await case.serve(answers_with(Z_custom_billing=ABSURD))
    outer, asked = Case(case.installation), []
    await outer.open(money=0, billing=DIRECT)
    its_own = await case.another_key(outer.owner)

    async def asks(turn: Turn) -> None:
        enter_context(Context("nested", turn.headers))
        async with mlplace.AsyncClient(case.installation.gateway.url, its_own) as client:
            asked.append(await client.predict(str(case.owner), str(case.model), {"text": "hi"}))
        await turn.answer(Z_custom_billing="0")

    try:
        await outer.serve(asks)
        async with _capped(case, "caller", 600):
            answer = await outer.call(MLP_API_KEY=case.key, MLP_BILLING_KEY=case.key, MLP_Max_Price=CAP)
            assert (answer.status_code, asked) == (200, ["done"])
    finally:
        await outer.close()
