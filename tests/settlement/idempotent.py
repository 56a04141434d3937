"""Scenarios of calls with an `Idempotency-Key`, and of those that do not serve it or `Prefer: respond-async`."""

import asyncio

import grpc

from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import CHAT, EMBEDDINGS, MONEY, PREDICT, STREAM, STREAMED_CHAT, Case, Path, answers
from tests.settlement.installation import KEPT_BYTES
from tests.settlement.instance import Turn
from tests.settlement.served import any_form
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


async def _of_two_accounts(case: Case, path: Path) -> None:
    await case.open()
    instance = await case.serve(any_form)
    stranger = case.payer + 100
    await case.installation.refill(stranger, MONEY)
    foreign = await case.another_key(stranger)
    for key in (case.key, foreign):
        answer = await case.call(path, MLP_API_KEY=key, Idempotency_Key="once")
        assert (answer.status_code, "z-idempotent-replayed" in answer.headers) == (200, False)
    assert len(instance.turns) == 2


async def the_same_key_of_another_account(case: Case) -> None:
    await _of_two_accounts(case, PREDICT)


async def the_same_key_of_another_account_at_an_adapter(case: Case) -> None:
    await _of_two_accounts(case, EMBEDDINGS)


async def key_of_another_request(case: Case) -> None:
    await case.open()
    instance = await case.serve(answers)
    assert (await case.call(MLP_API_KEY=case.key, Idempotency_Key="once")).status_code == 200
    other = Path("predict", {"text": "another"})
    await case.refused(422, "mlp.gate.idempotency_key_reused", other, MLP_API_KEY=case.key, Idempotency_Key="once")
    assert len(instance.turns) == 1


async def key_of_a_running_call(case: Case) -> None:
    again = asyncio.Event()

    async def script(turn: Turn) -> None:
        await again.wait()
        await turn.answer()

    await case.open()
    instance = await case.serve(script)
    first = asyncio.create_task(case.call(MLP_API_KEY=case.key, Idempotency_Key="once"))
    async with asyncio.timeout(60):
        await instance.asked.wait()
    await case.refused(409, "mlp.gate.idempotent_call_running", MLP_API_KEY=case.key, Idempotency_Key="once")
    again.set()
    assert (await first).status_code == 200
    assert len(instance.turns) == 1


async def answer_too_large_to_keep(case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.answer(f'"{"x" * KEPT_BYTES}"')

    await case.open()
    await case.serve(script)
    await case.refused(502, "mlp.gate.answer_too_large_to_keep", MLP_API_KEY=case.key, Idempotency_Key="once")


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
