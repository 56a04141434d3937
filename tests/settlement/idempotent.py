"""Scenarios of calls with an `Idempotency-Key`, and of those that do not serve it or `Prefer: respond-async`."""

import grpc

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.case import (
    CHAT,
    COMPLETION,
    EMBEDDINGS,
    IMAGES,
    METHOD,
    MONEY,
    PREDICT,
    SAID,
    SAID_BY_NAME,
    SAID_BY_QUERY,
    SHORT,
    SPEECH,
    STREAM,
    STREAMED_CHAT,
    TRANSCRIPTION,
    VENDORS_CHAT,
    WITH_CONFIG,
    WITH_TEXTS,
    Case,
    Path,
    answers,
)
from tests.settlement.instance import Turn

_ANSWER = '{"choices": [{"index": 0, "message": {"content": "hi"}}], "data": [], "audio_base64": "AAAA", "text": "hi"}'


async def _any_form(turn: Turn) -> None:
    """Every adapter finds its answer in this one."""
    await turn.answer(_ANSWER)


async def _again(case: Case, path: Path) -> None:
    await case.open()
    instance = await case.serve(_any_form)
    first, second = [await case.call(path, MLP_API_KEY=case.key, Idempotency_Key="once") for _ in range(2)]
    assert (first.status_code, second.status_code) == (200, 200), first.text
    assert first.content == second.content
    assert second.headers["z-idempotent-replayed"] == "true"
    assert len(instance.turns) == 1


async def the_same_call_again(case: Case) -> None:
    await _again(case, PREDICT)


async def the_same_chat_again(case: Case) -> None:
    await _again(case, CHAT)


async def the_same_embeddings_again(case: Case) -> None:
    await _again(case, EMBEDDINGS)


async def the_same_images_again(case: Case) -> None:
    await _again(case, IMAGES)


async def the_same_speech_again(case: Case) -> None:
    await _again(case, SPEECH)


async def the_same_completion_again(case: Case) -> None:
    await _again(case, COMPLETION)


async def the_same_chat_of_a_vendor_again(case: Case) -> None:
    await _again(case, VENDORS_CHAT)


async def the_same_transcription_again(case: Case) -> None:
    await _again(case, TRANSCRIPTION)


async def the_same_call_with_a_config_again(case: Case) -> None:
    await _again(case, WITH_CONFIG)


async def the_same_call_with_texts_again(case: Case) -> None:
    await _again(case, WITH_TEXTS)


async def the_same_method_again(case: Case) -> None:
    await _again(case, METHOD)


async def the_same_call_at_the_short_address_again(case: Case) -> None:
    await _again(case, SHORT)


async def the_same_text_said_again(case: Case) -> None:
    await _again(case, SAID)


async def the_same_text_said_by_name_again(case: Case) -> None:
    await _again(case, SAID_BY_NAME)


async def the_same_text_said_by_query_again(case: Case) -> None:
    await _again(case, SAID_BY_QUERY)


async def the_same_call_again_after_a_kill(case: Case) -> None:
    """Another process of the gateway has the answer, too."""
    await case.open()
    instance = await case.serve(_any_form)
    first = await case.call(EMBEDDINGS, MLP_API_KEY=case.key, Idempotency_Key="once")
    case.installation.gateway.kill()
    await case.installation.gateway.start()
    second = await case.call(EMBEDDINGS, MLP_API_KEY=case.key, Idempotency_Key="once")
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert len(instance.turns) == 1


def _request(case: Case) -> pb.ClientRequestProto:
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    request.predict.data.json = "{}"
    return request


async def the_same_call_again_over_grpc(case: Case) -> None:
    await case.open()
    instance = await case.serve(answers)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        stub = GateStub(channel)
        first, second = [await stub.process(_request(case), metadata=(("idempotency-key", "once"),)) for _ in range(2)]
    assert first.predict.data.json == second.predict.data.json == '"done"'
    assert second.headers["Z-idempotent-replayed"] == "true"
    assert len(instance.turns) == 1


async def idempotency_key_of_a_stream_over_grpc(case: Case) -> None:
    await case.open()
    await case.serve(answers)
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel:
        call = GateStub(channel).processResponseStream(_request(case), metadata=(("idempotency-key", "once"),))
        said = [answer async for answer in call]
    assert [(answer.error.code, answer.error.status) for answer in said] == [
        ("mlp.gate.idempotency_not_for_streams", 400)
    ]
    _nobody_asked(case)


async def _of_two_accounts(case: Case, path: Path) -> None:
    await case.open()
    instance = await case.serve(_any_form)
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


# ---- Refused


def _nobody_asked(case: Case) -> None:
    assert [instance.turns for instance in case.instances] == [[]]


async def _refused(case: Case, code: str, path: Path, **headers: str) -> None:
    await case.open()
    await case.serve(_any_form)
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
