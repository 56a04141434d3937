"""Scenarios for each entry that serves an `Idempotency-Key`."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import grpc

from mlpgateway.features.storage.counting import ROW_BYTES
from mlplace_gateproto import codes
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_testing.waiting import eventually
from tests.settlement.callers import calling
from tests.settlement.case import MONEY, Case
from tests.settlement.cost_told import NOTHING, THE_PRICE, told
from tests.settlement.entries import (
    KEYED,
    KEYED_OVER_HTTP,
    again_after_failures_at,
    again_after_leaving_at,
    again_at,
    of_two_accounts_at,
    of_two_keys_at,
    of_two_people_at,
    refused_key_at,
    too_large_to_keep_at,
    without_room_at,
)
from tests.settlement.installation import KEPT_BYTES, PATIENCE
from tests.settlement.instance import Turn
from tests.settlement.key_limits import ONE_CALL_A_DAY
from tests.settlement.paths import Adapter, Path, otherwise
from tests.settlement.scripts import any_form, fails, hangs, says_half
from tests.settlement.table import PRICE
from tests.settlement.ways import WAYS, NamedByQuery, metadata_of, request_of

_REPLAYED = "z-idempotent-replayed"
_KEY = {"Idempotency_Key": "once"}
_LARGE = "x" * KEPT_BYTES
_LARGE_IN_ANY_FORM = json.dumps({
    "choices": [{"index": 0, "message": {"content": _LARGE}}], "data": [{"b64_json": _LARGE}], "text": _LARGE,
    "audio_base64": base64.b64encode(bytes(KEPT_BYTES + 2)).decode(),
})  # fmt: skip
_OWN_FORM = ("openaiDirectChatCompletions",)
"""Adapters that pass on whatever JSON their model answers."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the caller gets. `code`: that of the error, else empty. `cost`: what the headers say about it."""

    status: int
    code: str
    said: bytes
    is_replayed: bool
    cost: tuple[str | None, str | None]

    @property
    def refusal(self) -> tuple[int, str]:
        return self.status, self.code


_SERVED = (200, "")


async def keyed_call(
    name: str, case: Case, *, secret: str = "", session: str = "", other: bool = False, **headers: str
) -> Outcome:
    """Calls with the payer's API key, or with `secret`, or over HTTP with the cookies of a session, and always with the
    same idempotency key, unless `headers` have another one. `other`: the request is another one.
    """
    way, secret, headers = WAYS[name], secret or case.key, _KEY | headers
    if isinstance(way, Path):
        caller = {"Cookie": session} if session else {"MLP_API_KEY": secret}
        answer = await case.call(otherwise(way) if other else way, **caller, **headers)
        body = answer.json() if answer.status_code >= 400 else {}
        code = body.get("error", body).get("code", "")
        return Outcome(answer.status_code, code, answer.content, _REPLAYED in answer.headers, told(answer.headers))
    if name != "process":
        raise LookupError(f"{name}: say how to read its answer")
    request = request_of(case)
    request.authToken = secret
    request.predict.data.json = '{"other":true}' if other else "{}"
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        said = await GateStub(channel).process(request, metadata=metadata_of(headers))
    is_replayed = _REPLAYED in {header.lower() for header in said.headers}
    text = said.predict.data.json.encode()
    return Outcome(said.error.status or 200, said.error.code, text, is_replayed, told(said.headers))


async def _again(name: str, case: Case) -> None:
    """The first call uses up the payer's API key and money, so that other calls are refused. The same call, which allows
    no price, costs nothing.
    """
    await case.open(money=PRICE, key={"limits": ONE_CALL_A_DAY})
    instance = await case.serve(any_form)
    first = await keyed_call(name, case)
    assert (first.refusal, first.is_replayed, first.cost) == (_SERVED, False, THE_PRICE)
    assert (await keyed_call(name, case, Idempotency_Key="twice")).refusal == (429, "mlp.gate.key_limit_exceeded")
    unlimited = await case.another_key(case.payer)
    assert (await keyed_call(name, case, secret=unlimited)).refusal == (402, "mlp.billing.insufficient_funds")
    again = await keyed_call(name, case, MLP_Max_Price="0.000000001")
    assert (again.refusal, again.is_replayed, again.said, again.cost) == (_SERVED, True, first.said, NOTHING)
    assert len(instance.turns) == 1


async def _no_form(turn: Turn) -> None:
    await turn.answer('{"ok": 1}')


async def _again_after_failures(name: str, case: Case) -> None:
    """No failure is kept, not even an answer that only the adapter cannot read: the same call is served again."""
    failures = [(fails, (400, "acme.broken")), (says_half, (502, codes.INTERNAL_ERROR))]
    if isinstance(WAYS[name], Adapter | NamedByQuery) and name not in _OWN_FORM:
        failures.append((_no_form, (502, codes.INTERNAL_ERROR)))
    await case.open()
    instance = await case.serve(any_form)
    for instance.script, refusal in failures:
        assert (await keyed_call(name, case)).refusal == refusal
    instance.script = any_form
    served, replayed = [await keyed_call(name, case) for _ in range(2)]
    assert [(each.refusal, each.is_replayed) for each in (served, replayed)] == [(_SERVED, False), (_SERVED, True)]
    assert len(instance.turns) == len(failures) + 1


async def _again_after_leaving(name: str, case: Case) -> None:
    await case.open()
    instance = await case.serve(hangs)
    async with _calling(name, case):
        await asyncio.wait_for(instance.asked.wait(), PATIENCE)
    await case.installation.no_call_in_progress()
    instance.script = any_form
    # The key is free again some moments after the call has ended.
    served = await eventually(partial(keyed_call, name, case), until=lambda made: made.status != 409, seconds=PATIENCE)
    assert (served.refusal, served.is_replayed) == (_SERVED, False)
    assert len(instance.turns) == 2


@asynccontextmanager
async def _calling(name: str, case: Case) -> AsyncGenerator[None]:
    """Sends the call of `keyed_call`. The caller disconnects at the end."""
    way = WAYS[name]
    if isinstance(way, Path):
        async with calling(case, way, **_KEY):
            yield
    else:
        async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
            call = GateStub(channel).process(request_of(case), metadata=metadata_of(_KEY))
            yield
            call.cancel()


async def _refused_key(name: str, case: Case) -> None:
    ends = asyncio.Event()

    async def script(turn: Turn) -> None:
        await ends.wait()
        await any_form(turn)

    await case.open()
    instance = await case.serve(script)
    first = asyncio.create_task(keyed_call(name, case))
    await asyncio.wait_for(instance.asked.wait(), PATIENCE)
    reused = (422, "mlp.gate.idempotency_key_reused")
    assert (await keyed_call(name, case)).refusal == (409, "mlp.gate.idempotent_call_running")
    assert (await keyed_call(name, case, other=True)).refusal == reused
    ends.set()
    assert (await first).refusal == _SERVED
    assert (await keyed_call(name, case, other=True)).refusal == reused
    assert len(instance.turns) == 1


async def _of_two_accounts(name: str, case: Case) -> None:
    await case.open()
    instance = await case.serve(any_form)
    stranger = case.payer + 100
    await case.installation.refill(stranger, MONEY)
    for secret in (case.key, await case.another_key(stranger)):
        outcome = await keyed_call(name, case, secret=secret)
        assert (outcome.refusal, outcome.is_replayed) == (_SERVED, False)
    assert len(instance.turns) == 2
    await case.settled()
    assert await case.spent(stranger) == await case.spent(case.payer)


async def _of_two_keys(name: str, case: Case) -> None:
    await case.open()
    instance = await case.serve(any_form)
    for secret in (case.key, await case.another_key(case.payer)):
        outcome = await keyed_call(name, case, secret=secret)
        assert (outcome.refusal, outcome.is_replayed) == (_SERVED, False)
    assert len(instance.turns) == 2


async def _of_two_people(name: str, case: Case) -> None:
    """The second one gets the answer of the first one."""
    await case.open(publicity={"public_testing_allowed": True})
    instance = await case.serve(any_form)
    first, second = [await keyed_call(name, case, session=case.session()) for _ in range(2)]
    assert (first.refusal, first.is_replayed) == (_SERVED, False)
    assert (second.refusal, second.is_replayed, second.said) == (_SERVED, True, first.said)
    assert len(instance.turns) == 1


async def _not_kept(name: str, case: Case, refusal: tuple[int, str]) -> None:
    """The second call is served anew."""
    (instance,) = case.instances
    for _ in range(2):
        assert (await keyed_call(name, case)).refusal == refusal
    assert len(instance.turns) == 2


async def _too_large_to_keep(name: str, case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.answer(_LARGE_IN_ANY_FORM)

    await case.open()
    await case.serve(script)
    await _not_kept(name, case, (502, "mlp.gate.answer_too_large_to_keep"))


async def _without_room(name: str, case: Case) -> None:
    """The account may store the record of the call, and two bytes of its answer."""
    await case.open(limits={"storage_bytes": ROW_BYTES + 2})
    await case.serve(any_form)
    await _not_kept(name, case, (413, "mlp.gate.storage_limit_exceeded"))


_SCENARIOS: Mapping[Callable[[str], str], Callable[[str, Case], Awaitable[None]]] = {
    again_at: _again,
    again_after_failures_at: _again_after_failures,
    again_after_leaving_at: _again_after_leaving,
    refused_key_at: _refused_key,
    of_two_accounts_at: _of_two_accounts,
    of_two_keys_at: _of_two_keys,
    too_large_to_keep_at: _too_large_to_keep,
    without_room_at: _without_room,
}
SCENARIOS: Mapping[str, Callable[[Case], Awaitable[None]]] = {
    **{at(name): partial(scenario, name) for at, scenario in _SCENARIOS.items() for name in KEYED},
    **{of_two_people_at(name): partial(_of_two_people, name) for name in KEYED_OVER_HTTP},
}
