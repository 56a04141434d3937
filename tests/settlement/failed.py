"""Scenarios in which the model, an instance or the client fails."""

import asyncio
from typing import Any

import grpc

from mlplace_contracts.limits import KeyLimits, SizeRule
from mlplace_gateproto import codes
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.settlement.callers import calling
from tests.settlement.case import MONEY, Case, Values
from tests.settlement.instance import Turn
from tests.settlement.money import in_debt
from tests.settlement.paths import EMBEDDINGS, PREDICT, STREAM, STREAMED_CHAT, Path
from tests.settlement.scripts import answers, dies, fails, hangs, parts_then_nothing
from tests.settlement.table import PRICE, Figures

_KIB_OF_A_PART, _MORE_PARTS_THAN_FIT = 64, 1000


async def error(case: Case) -> None:
    await case.open()
    await case.serve(fails)
    await case.refused(400, "acme.broken")


async def error_after_parts(case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part()
        await turn.error()

    await case.open()
    await case.serve(script)
    lines = (await case.call(STREAM)).text.splitlines()
    assert lines[0] == '"part"'
    assert '"acme.broken"' in lines[1]


async def _begins(turn: Turn) -> None:
    await turn.part()
    await hangs(turn)


async def key_deleted_between_parts(case: Case) -> None:
    await case.open()
    await case.serve(_begins)
    async with calling(case, STREAM) as caller:
        await caller.hears('"part"')
        await case.delete_key()
        assert '"mlp.gate.unauthorized"' in await caller.hears_the_end()


async def right_lost_between_parts(case: Case) -> None:
    await case.open()
    await case.serve(_begins)
    async with calling(case, STREAM) as caller:
        await caller.hears('"part"')
        await case.make_private()
        assert '"code"' in await caller.hears_the_end()


async def account_blocked_between_parts(case: Case) -> None:
    """A dear call of another model leaves the payer in debt while the stream is open."""
    await case.open()
    await case.serve(_begins)
    async with calling(case, STREAM) as caller:
        await caller.hears('"part"')
        async with in_debt(case):
            assert '"mlp.billing.account_blocked"' in await caller.hears_the_end()
            await case.settled()
            assert await case.figures() == Figures(pays=PRICE, usages=1)
            await case.installation.refill(case.payer, 2 * MONEY)


async def half_a_part(case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part()
        await turn.part('{"n":')
        await turn.part(last=True)

    await case.open()
    await case.serve(script)
    first, last = (await case.call(STREAM)).text.splitlines()
    assert first == '"part"'
    assert f'"{codes.INTERNAL_ERROR}"' in last


async def answer_without_the_adapters_form(case: Case) -> None:
    await case.open(model={"task_type": "text2vec"})
    await case.serve(answers)
    await case.refused(502, codes.INTERNAL_ERROR, EMBEDDINGS)


async def part_without_the_adapters_form(case: Case) -> None:
    async def script(turn: Turn) -> None:
        await turn.part('{"choices":[]}')
        await turn.part(b"no text")
        await turn.part('{"choices":[]}', last=True)

    await case.open(model={"task_type": "chat-completion"})
    await case.serve(script)
    said = (await case.call(STREAMED_CHAT)).text
    assert '"error"' in said
    assert "[DONE]" not in said


async def no_instance(case: Case) -> None:
    await case.open()
    await case.refused(503, "mlp.gate.no_active_instances")


async def instance_killed(case: Case) -> None:
    await case.open()
    await case.serve(dies)
    assert (await case.call()).status_code == 503


async def instance_killed_after_parts(case: Case) -> None:
    read = asyncio.Event()

    async def script(turn: Turn) -> None:
        await turn.part()
        await read.wait()
        turn.die()

    await case.open()
    await case.serve(script)
    async with calling(case, STREAM) as caller:
        await caller.hears('"part"')
        read.set()
        assert '"code"' in await caller.hears_the_end()


async def instance_ends_without_a_last_part(case: Case) -> None:
    """Its stream ends cleanly, but in the middle of an answer."""

    async def script(turn: Turn) -> None:
        await turn.part()
        await turn.instance.leave()

    await case.open()
    await case.serve(script)
    assert '"code"' in (await case.call(STREAM)).text


async def _second_answers(case: Case, path: Path) -> None:
    """The instance that is asked first dies; the second one answers."""
    asked: list[Turn] = []

    async def script(turn: Turn) -> None:
        asked.append(turn)
        if len(asked) == 1:
            turn.die()
        else:
            await turn.answer()

    await case.open()
    await case.serve(script)
    await case.serve(script)
    answer = await case.call(path)
    assert (answer.status_code, answer.text.strip(), len(asked)) == (200, '"done"', 2)


async def retried(case: Case) -> None:
    await _second_answers(case, PREDICT)


async def retried_stream(case: Case) -> None:
    await _second_answers(case, STREAM)


async def timeout(case: Case) -> None:
    await case.open(predict_seconds=1)
    await case.serve(hangs)
    await case.refused(504, "mlp.gate.predict_timeout")


async def one_part_then_nothing(turn: Turn) -> None:
    await turn.part()


async def timeout_after_parts(case: Case) -> None:
    await case.open(predict_seconds=1)
    await case.serve(one_part_then_nothing)
    await case.refused(504, "mlp.gate.predict_timeout")


async def stream_timeout(case: Case) -> None:
    await case.open(predict_seconds=1)
    await case.serve(one_part_then_nothing)
    assert "mlp.gate.predict_timeout" in (await case.call(STREAM)).text


async def _sends_between_parts(
    case: Case,
    bad: pb.ClientRequestProto | None,
    status: int,
    *,
    config: str = "",
    model: Values | None = None,
    limits: KeyLimits | None = None,
) -> None:
    """The caller sends its request in parts over gRPC, and once it has two of the answer a bad part or, for None, nothing."""
    await case.open(predict_seconds=60 if bad else 5, model=model, key={"limits": limits} if limits else None)
    await case.serve(parts_then_nothing("7"))
    first = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key)
    first.partialPredict.start, first.partialPredict.data.json = True, "{}"
    if config:
        first.partialPredict.config.json = config
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel, asyncio.timeout(60):
        call: Any = GateStub(channel).processStream()  # type: ignore[call-arg]  # without an iterator: messages are written
        await call.write(first)
        assert [(await call.read()).partialPredict.data.json for _ in range(2)] == ['"part 1"', '"part 2"']
        if bad is not None:
            await call.write(bad)
        assert (await call.read()).error.status == status


async def bad_part_between_parts(case: Case) -> None:
    bad = pb.ClientRequestProto()
    bad.partialPredict.data.json = '{"broken'
    await _sends_between_parts(case, bad, 400)


async def part_above_the_keys_size_between_parts(case: Case) -> None:
    bad = pb.ClientRequestProto()
    bad.partialPredict.data.json = '"hello"'
    await _sends_between_parts(case, bad, 413, limits=KeyLimits(size=SizeRule(most=8, unit="BYTES")))


async def language_model_that_the_key_may_not_use_between_parts(case: Case) -> None:
    bad = pb.ClientRequestProto()
    bad.partialPredict.data.json = '{"model":"other"}'
    chat, allowed = {"task_type": "chat-completion"}, KeyLimits(llms=("gpt",))
    await _sends_between_parts(case, bad, 403, config='{"model":"gpt"}', model=chat, limits=allowed)


async def other_message_between_parts(case: Case) -> None:
    bad = pb.ClientRequestProto()
    bad.ext.methodName = "other"
    await _sends_between_parts(case, bad, 400)


async def silent_between_parts(case: Case) -> None:
    await _sends_between_parts(case, None, 504)


async def callers_time_over_between_parts(case: Case) -> None:
    """The caller allows one second, the model sixty."""
    await case.open()
    await case.serve(parts_then_nothing("7"))
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key, timeoutSec=1)
    request.predict.data.json = "{}"
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel, asyncio.timeout(60):
        *parts, last = [answer async for answer in GateStub(channel).processResponseStream(request)]
    assert [part.partialPredict.data.json for part in parts] == ['"part 1"', '"part 2"']
    assert last.error.code == "mlp.gate.predict_timeout"


async def callers_time_over(case: Case) -> None:
    await case.open()
    await case.serve(hangs)
    request = pb.ClientRequestProto(account=str(case.owner), model=str(case.model), authToken=case.key, timeoutSec=1)
    request.predict.data.json = "{}"
    async with grpc.aio.insecure_channel(case.installation.grpc_address) as channel, asyncio.timeout(60):
        (answer,) = [answer async for answer in GateStub(channel).processResponseStream(request)]
    assert answer.error.code == "mlp.gate.predict_timeout"


async def stream_not_read(case: Case) -> None:
    """The instance sends more than the gateway holds, as one without `window` does; then the client reads on."""
    read, sent = asyncio.Event(), asyncio.Event()

    async def script(turn: Turn) -> None:
        await turn.part()
        await read.wait()
        for _ in range(_MORE_PARTS_THAN_FIT):
            await turn.part(f'"{"x" * _KIB_OF_A_PART * 1024}"')
        sent.set()

    await case.open()
    await case.serve(script)
    async with calling(case, STREAM) as caller:
        await caller.hears('"part"')
        read.set()
        async with asyncio.timeout(60):
            await sent.wait()
        assert '"mlp.gate.answer_not_read"' in await caller.hears_the_end()
