"""What one gate is told holds at all of them."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import pytest

from mlplace_contracts.events import ApiKeyChanged, BalanceChanged
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import Currency
from mlplace_testing.waiting import eventually
from tests.crashes.installation import PAYER, SECRET, Installation
from tests.gates.callers import OK, Caller, caller_of
from tests.gates.conftest import Instances

_SOON_SECONDS = 2.0


@pytest.fixture
async def callers(installation: Installation, instances: Instances) -> AsyncGenerator[list[Caller]]:
    """One for each of two gates, both with an instance."""
    key = await installation.tell_of_model(price_nano=0)
    gates = [installation.gate(), installation.gate()]
    for gate in gates:
        await gate.process.start()
    await instances.run(1, *gates)
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(caller_of(gate, key)) for gate in gates]
        for caller in opened:
            await eventually(caller.connected, seconds=60)
            assert (await caller.over_http(), await caller.over_grpc()) == (OK, OK)
        yield opened


async def refused_soon(callers: list[Caller], code: str) -> None:
    """At every gate and on every way, all within the time that the platform promises."""
    began = time.monotonic()
    await asyncio.gather(*(caller.until(code, seconds=_SOON_SECONDS) for caller in callers))
    assert time.monotonic() - began <= _SOON_SECONDS + 0.5


class TestRevocation:
    async def test_a_revoked_key_is_refused_at_both(self, installation: Installation, callers: list[Caller]) -> None:
        key = callers[0].key
        await installation.publish(
            ApiKeyChanged(
                version=2, key_id=1, account_id=PAYER, name="k", permissions=("predict",), allowed_models=None,
                key_hash=KeyedHasher(bytes.fromhex(SECRET)).digest(key), expires_at=None, active=False,
            )
        )  # fmt: skip
        await refused_soon(callers, "mlp.gate.unauthorized")

    async def test_a_blocked_account_is_refused_at_both_and_served_again_when_it_is_not(
        self, installation: Installation, callers: list[Caller]
    ) -> None:
        await installation.publish(balance(version=1, blocked=True))
        await refused_soon(callers, "mlp.billing.account_blocked")
        await installation.publish(balance(version=2, blocked=False))
        await refused_soon(callers, OK)

    async def test_a_revoked_instance_loses_its_streams_to_both(
        self, instances: Instances, callers: list[Caller]
    ) -> None:
        await instances.allow(1, version=2, accepts=False)
        await refused_soon(callers, "mlp.gate.no_active_instances")
        for caller in callers:
            await eventually(caller.connected, until=lambda streams: streams == 0, seconds=_SOON_SECONDS)


def balance(*, version: int, blocked: bool) -> BalanceChanged:
    return BalanceChanged(
        version=version, account_id=PAYER, currency=Currency.RUBLE, main_nano=0, income_nano=0, blocked=blocked
    )
