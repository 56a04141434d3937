"""Who pays for a stream that ends because another service has not confirmed its caller for too long."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta

import pytest
from msgspec import structs

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.pipeline.open_streams import OpenStreams
from mlpgateway.policy.access.confirmation import UNCONFIRMED_SECONDS
from mlplace_contracts.events import ModelBilling, ModelPublicity
from mlplace_kit.errors import Unavailable
from mlplace_kit.pricing import BillingUnit

OPEN = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
FOR_EVER = timedelta(hours=1).total_seconds()


class Doubt:
    """A person's stream. Then accountsadmin does not answer about the session."""

    def __init__(self, world, kit, clock, billing: ModelBilling) -> None:
        world.know(kit.model_changed(billing=billing, publicity=OPEN))
        world.people.user(world.people.account(kit.DEMO, "demo"))
        (secret,) = world.people._sessions
        call: Call = kit.call_with({"MLP-API-KEY": secret}, timeout_seconds=FOR_EVER)
        self._call = structs.replace(call, caller=structs.replace(call.caller, credential_is_session=True))
        self._world, self._clock, self._now = world, clock, 1000.0
        self._pipeline = world.components.pipeline
        self._pipeline.open_streams = OpenStreams(self._pipeline.before, check_seconds=0.01, now=lambda: self._now)
        self.read: list[str | None] = []
        self.asked = asyncio.Event()

    def instance(self, *parts: str, **headers: str) -> None:
        """Sends these parts and then nothing."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}

        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            for place, text in enumerate(parts):
                yield Answer(Payload(json=text), told, first=place == 0, last=False, partial=True)
            self.asked.set()
            await asyncio.Event().wait()

        self._world.instance(script)

    async def stream(self) -> None:
        async with aclosing(self._pipeline.stream(self._call)) as answers:
            async for answer in answers:
                self.read.append(answer.payload.json)

    def begin(self) -> None:
        """From now on nobody answers, and the gate has forgotten what it was told before."""

        async def silent(_secret: str) -> None:
            await asyncio.Event().wait()

        self._world.people.session = silent
        self._clock.advance(timedelta(seconds=31))

    async def lasts(self, seconds: float) -> None:
        """After so much time the gate looks at its streams."""
        self._now += seconds
        await self._pipeline.open_streams.look()
        await self._pipeline.open_streams.ask()


def billed(kit, unit: BillingUnit) -> ModelBilling:
    return kit.CALLS.model_copy(update={"unit": unit})


async def ends(doubt: Doubt) -> None:
    streaming = asyncio.create_task(doubt.stream())
    async with asyncio.timeout(60):
        await doubt.asked.wait()
    doubt.begin()
    await doubt.lasts(UNCONFIRMED_SECONDS - 1)
    assert not streaming.done()
    await doubt.lasts(1)
    with pytest.raises(Unavailable):
        await asyncio.wait_for(streaming, 60)


class TestUnconfirmedStream:
    @pytest.mark.parametrize(
        ("unit", "amount"), [(BillingUnit.CALLS, 10), (BillingUnit.CUSTOM, 60)], ids=["calls", "custom"]
    )
    async def test_parts_until_its_end_are_charged(self, world, kit, clock, unit, amount) -> None:
        doubt = Doubt(world, kit, clock, billed(kit, unit))
        doubt.instance("1", "2", Z_custom_billing="3")
        await ends(doubt)
        assert doubt.read == ["1", "2"]
        assert [(usage.payer_account_id, usage.amount_nano) for usage in await world.usage()] == [(kit.DEMO, amount)]

    async def test_stream_without_a_part_costs_nothing(self, world, kit, clock) -> None:
        doubt = Doubt(world, kit, clock, kit.CALLS)
        doubt.instance()
        await ends(doubt)
        assert (doubt.read, await world.usage()) == ([], [])
