"""Scenarios of calls with an `Idempotency-Key`, and of those that do not serve it or `Prefer: respond-async`."""

import grpc

from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import Case
from tests.settlement.key_limits import ONE_CALL_A_DAY
from tests.settlement.paths import CHAT, EMBEDDINGS, PREDICT, STREAM, STREAMED_CHAT, Path
from tests.settlement.scripts import answers, any_form
from tests.settlement.table import PRICE
from tests.settlement.ways import request_of


async def the_same_call_again_after_a_kill(case: Case) -> None:
    """Another process of the gateway has the answer, too."""
    await case.open()
    instance = await case.serve(any_form)
    first = await case.call(EMBEDDINGS, MLP_API_KEY=case.key, Idempotency_Key="once")
    case.installation.gateway.kill()
    await case.installation.gateway.start()
    second = await case.call(EMBEDDINGS, MLP_API_KEY=case.key, Idempotency_Key="once")
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert len(instance.turns) == 1


async def _answered_again(case: Case, status: int, code: str, **headers: str) -> None:
    """The same call is answered again, although a new one is refused."""
    instance = await case.serve(answers)
    keyed = {"MLP_API_KEY": case.key, "Idempotency_Key": "once"}
    first = await case.call(PREDICT, **keyed)
    await case.refused(status, code, PREDICT, MLP_API_KEY=case.key, **headers)
    again = await case.call(PREDICT, **keyed, **headers)
    assert [(each.status_code, each.text, "MLP-Cost" in each.headers) for each in (first, again)] == [
        (200, '"done"', True), (200, '"done"', False),
    ]  # fmt: skip
    assert len(instance.turns) == 1


async def the_same_call_again_with_a_used_up_key(case: Case) -> None:
    await case.open(key={"limits": ONE_CALL_A_DAY})
    await _answered_again(case, 429, "mlp.gate.key_limit_exceeded")


async def the_same_call_again_with_an_empty_balance(case: Case) -> None:
    await case.open(money=PRICE)
    await _answered_again(case, 402, "mlp.billing.insufficient_funds")


async def the_same_call_again_below_its_price(case: Case) -> None:
    await case.open()
    await _answered_again(case, 402, "mlp.gate.price_above_cap", MLP_Max_Price="0.000000001")


async def idempotency_key_of_a_stream_over_grpc(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        call = GateStub(channel).processResponseStream(request_of(case), metadata=(("idempotency-key", "once"),))
        said = [answer async for answer in call]
    assert [(answer.error.code, answer.error.status) for answer in said] == [
        ("mlp.gate.idempotency_not_for_streams", 400)
    ]
    _nobody_asked(case)


async def keyed_call_without_storage(case: Case) -> None:
    """The account may store nothing, not even the record of the call."""
    await case.open(limits={"storage_bytes": 0})
    await case.serve(answers)
    await case.refused(413, "mlp.gate.storage_limit_exceeded", MLP_API_KEY=case.key, Idempotency_Key="once")
    _nobody_asked(case)


# ---- Refused


def _nobody_asked(case: Case) -> None:
    assert [instance.turns for instance in case.instances] == [[]]


async def _refused(case: Case, code: str, path: Path, **headers: str) -> None:
    await case.open()
    await case.serve(any_form)
    await case.refused(400, code, path, MLP_API_KEY=case.key, **headers)
    _nobody_asked(case)


async def invalid_idempotency_key(case: Case) -> None:
    await _refused(case, "mlp.core.validation_error", EMBEDDINGS, Idempotency_Key="x" * 256)


async def idempotency_key_of_a_stream(case: Case) -> None:
    await _refused(case, "mlp.gate.idempotency_not_for_streams", STREAM, Idempotency_Key="once")


async def idempotency_key_of_a_streamed_chat(case: Case) -> None:
    await _refused(case, "mlp.gate.idempotency_not_for_streams", STREAMED_CHAT, Idempotency_Key="once")


async def stream_in_the_background(case: Case) -> None:
    await _refused(case, "mlp.gate.header_not_served", STREAM, Prefer="respond-async")


async def adapter_in_the_background(case: Case) -> None:
    await _refused(case, "mlp.gate.header_not_served", CHAT, Prefer="respond-async")
