"""An event that reaches one gate takes effect at all gates."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count

import pytest

from mlplace_contracts.events import ApiKeyChanged, BalanceChanged
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import Currency
from mlplace_testing.waiting import eventually
from tests.crashes.installation import PAYER, SECRET, Gate, Installation
from tests.gates.callers import OK, Caller, caller_of
from tests.gates.conftest import Instances

_numbers = count(1)


@pytest.fixture(scope="module")
async def gates(installation: Installation) -> list[Gate]:
    opened = [installation.gate(), installation.gate()]
    for gate in opened:
        await gate.process.start()
    return opened


@dataclass(frozen=True, slots=True)
class Served:
    """One caller for each of the two gates, which both have the instance."""

    callers: list[Caller]
    key_id: int
    instance_id: int


@pytest.fixture
async def served(installation: Installation, instances: Instances, gates: list[Gate]) -> AsyncGenerator[Served]:
    """With a key and an instance that no other test has changed."""
    key_id = instance_id = next(_numbers)
    key = await installation.publish_model(price_nano=0, key_id=key_id)
    await instances.run(instance_id, *gates)
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(caller_of(gate, key)) for gate in gates]
        for caller in opened:
            await eventually(caller.connected, seconds=60)
            assert (await caller.over_http(), await caller.over_grpc()) == (OK, OK)
        yield Served(opened, key_id, instance_id)
        await instances.allow(instance_id, version=3, accepts=False)
        for caller in opened:
            await eventually(caller.connected, until=lambda streams: streams == 0, seconds=60)


@pytest.fixture
def callers(served: Served) -> list[Caller]:
    return served.callers


async def all_get(callers: list[Caller], outcome: str) -> None:
    """At every gate, over HTTP and gRPC, because of the event: what a gate knows of keys and accounts never expires."""
    await asyncio.gather(*(caller.until(outcome) for caller in callers))


class TestRevocation:
    async def test_a_revoked_key_is_refused_at_both(self, installation: Installation, served: Served) -> None:
        key = served.callers[0].key
        await installation.publish(
            ApiKeyChanged(
                version=2, key_id=served.key_id, account_id=PAYER, name="k", permissions=("predict",), allowed_models=None,
                key_hash=KeyedHasher(bytes.fromhex(SECRET)).digest(key), expires_at=None, active=False,
            )
        )  # fmt: skip
        await all_get(served.callers, "mlp.gate.unauthorized")

    async def test_both_refuse_a_blocked_account_until_it_is_unblocked(
        self, installation: Installation, callers: list[Caller]
    ) -> None:
        await installation.publish(balance(version=1, blocked=True))
        await all_get(callers, "mlp.billing.account_blocked")
        await installation.publish(balance(version=2, blocked=False))
        await all_get(callers, OK)

    async def test_both_end_the_streams_of_a_revoked_instance(self, instances: Instances, served: Served) -> None:
        await instances.allow(served.instance_id, version=2, accepts=False)
        await all_get(served.callers, "mlp.gate.no_active_instances")
        for caller in served.callers:
            await eventually(caller.connected, until=lambda streams: streams == 0)


def balance(*, version: int, blocked: bool) -> BalanceChanged:
    return BalanceChanged(
        version=version, account_id=PAYER, currency=Currency.RUBLE, main_nano=0, income_nano=0, blocked=blocked
    )
