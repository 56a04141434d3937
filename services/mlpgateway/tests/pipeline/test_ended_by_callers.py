"""Answers in parts that end by their callers: who falls silent, who sends on to an instance that hangs, who does not read."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.errors.calls import CallerSilent, PredictTimeout
from mlpgateway.errors.gate import AnswerNotRead
from mlpgateway.instances.peers.messages import error_of, failed_with
from mlplace_contracts.events import ModelTimeouts
from mlplace_kit.errors import DomainError

PRICE = 10
PART = Answer(Payload(json='"a"'), {}, last=False, partial=True)


async def answers_once(_request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
    """An instance that answers the first part of a request, and only reads what follows."""
    async with aclosing(inputs):
        await anext(inputs)
        yield PART
        async for _ in inputs:
            pass
    await asyncio.Event().wait()


async def silent() -> AsyncGenerator[Payload]:
    yield Payload(json="1")
    await asyncio.Event().wait()


async def sending_on() -> AsyncGenerator[Payload]:
    while True:
        yield Payload(json="1")
        await asyncio.sleep(0.01)


async def complete() -> AsyncGenerator[Payload]:
    yield Payload(json="1")


async def heard_until_the_error(answers: AsyncGenerator[Answer]) -> tuple[list[str | None], DomainError]:
    heard = list[str | None]()
    try:
        async with aclosing(answers):
            async for part in answers:
                heard.append(part.payload.json)
    except DomainError as error:
        return heard, error
    raise AssertionError(f"no error after {heard}")


@pytest.mark.parametrize(
    ("caller", "error", "price", "to_blame"),
    [
        (silent, CallerSilent, PRICE, False),
        (sending_on, PredictTimeout, PRICE, True),
        (complete, PredictTimeout, 0, True),
    ],
)
async def test_answer_that_ends_with_the_models_time(world, kit, caller, error, price, to_blame) -> None:
    """Until the request is complete, the parts of the answer are charged. The instance fails unless the caller is silent."""
    world.know(kit.model_changed(billing=kit.CALLS, timeouts=ModelTimeouts(pod_start=60, predict=2, fit=60)))
    world.instance().send_stream = answers_once
    call = kit.call_with(world.key(), data=None)
    heard, ended = await heard_until_the_error(world.components.pipeline.duplex(call, caller()))
    assert (heard, type(ended)) == (['"a"'], error)
    assert sum(usage.amount_nano for usage in await world.usage()) == price
    assert world.components.queues.breakers.any is to_blame


@pytest.mark.parametrize(
    ("error", "price"),
    [
        (error_of(failed_with(AnswerNotRead())), PRICE),
        (InstanceError(code=AnswerNotRead.code, message="m", status=408, details={}, headers={}), 0),
    ],
    ids=["another gate says so", "the instance says so"],
)
async def test_answer_that_its_caller_does_not_read(world, kit, error, price) -> None:
    async def breaks_off(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        yield PART
        raise error

    world.know(kit.model_changed(billing=kit.CALLS))
    world.instance(breaks_off)
    heard, ended = await heard_until_the_error(world.components.pipeline.stream(kit.call_with(world.key())))
    assert (heard, ended.code) == (['"a"'], AnswerNotRead.code)
    assert sum(usage.amount_nano for usage in await world.usage()) == price
