"""Owners are notified when a model reports a higher price than is charged, once a day per model."""

from datetime import timedelta

import httpx
import pytest

from mlpcore import registry
from mlpcore.state import CoreState
from mlplace_contracts.events import ChargeCapped
from mlplace_kit.clock import ManualClock
from mlplace_testing.world import World

NOTIFICATIONS = "/api/mlpcore/account/acme/notification"


@pytest.fixture
def capped(state: CoreState, clock: ManualClock, world: World):
    """Passes an event to the consumer in a transaction, as the consumer's loop does."""
    clock.advance(timedelta(days=1) - timedelta(seconds=clock.now().timestamp() % 86_400))  # the start of a day

    async def run(**about: object) -> None:
        values: dict[str, object] = {
            "account_id": world.acme.account_id, "model_id": 7, "model_name": "ner", "request_id": "r",
            "capped_by": "model", "reported_amount_nano": 5 * 10**9, "amount_nano": 25 * 10**8, "currency": "RUBLE",
            "occurred_at": clock.now(), **about,
        }  # fmt: skip
        consumers = [make(state) for make in registry.CONSUMERS]
        consumer = next(consumer for consumer in consumers if consumer.name == "mlpcore.capped-charges")
        async with state.database.transaction() as session:
            await consumer.handle(session, [ChargeCapped.model_validate(values)])

    return run


class TestOwner:
    async def test_owner_is_notified_of_the_reported_and_charged_amounts(
        self, client: httpx.AsyncClient, world: World, capped
    ) -> None:
        await capped()
        await capped(capped_by="caller")
        by_payer, own = (await client.get(NOTIFICATIONS, headers=world.owner)).json()
        assert (own["severity"], own["textKey"], own["entity"]["key"]["modelId"]) == ("WARNING", "CHARGE_CAPPED", 7)
        assert own["textArgs"] == {"model": "ner", "reported": "5", "amount": "2.5", "currency": "RUBLE"}
        assert own["textMessage"].endswith("above its maximal price: 2.5 RUBLE were charged")
        assert (by_payer["severity"], by_payer["textKey"]) == ("INFO", "CHARGE_CAPPED_BY_PAYER")

    async def test_owner_is_notified_once_a_day_per_model(
        self, client: httpx.AsyncClient, world: World, capped, clock: ManualClock
    ) -> None:
        for _ in range(3):
            await capped()
            clock.advance(timedelta(minutes=10))
        await capped(model_id=8)
        assert len((await client.get(NOTIFICATIONS, headers=world.owner)).json()) == 2
        clock.advance(timedelta(days=1))
        await capped()
        assert len((await client.get(NOTIFICATIONS, headers=world.owner)).json()) == 3
