"""An account that runs instances on a priced group of another account rents it."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.rents.loops import compare_rents
from mlpcore.state import CoreState
from mlplace_contracts.events import RentChanged, decode
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO
from mlplace_runtime.db.messaging import outbox
from mlplace_testing.agents import AgentTwin
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

from .test_hosting import scale

GROUP = "/api/mlpcore/account/1/resource-groups/default"
PRICED = {"price": 2.5, "tarifficationPeriod": "DAY", "currency": "RUBLE"}

pytestmark = pytest.mark.usefixtures("model_id", "platform")


@pytest.fixture
async def platform(identities: Identities, tell: Teller) -> None:
    """The account that owns the public group."""
    await tell(account_changed(identities.account(1, "platform")))


async def published(state: CoreState) -> list[RentChanged]:
    async with state.database.transaction() as session:
        rows = (await session.execute(outbox.select().order_by(outbox.c.id))).all()
    events = [decode(row.value)[1] for row in rows]
    return [event for event in events if isinstance(event, RentChanged)]


async def price(client: httpx.AsyncClient, world: World, **terms: object) -> None:
    answer = await client.post(GROUP, json=PRICED | terms, headers=world.admin)
    assert answer.status_code == 200, answer.text


class TestRents:
    async def test_rent_begins_with_the_first_instance_follows_the_price_and_ends_with_the_last(
        self,
        client: httpx.AsyncClient,
        world: World,
        state: CoreState,
        agent: AgentTwin,
        reconciler: Reconciler,
        clock: ManualClock,
    ) -> None:
        await price(client, world)
        await compare_rents(state)
        assert await published(state) == []
        await scale(client, world, 2)
        await reconciler.turn()
        await asyncio.gather(*(compare_rents(state) for _ in range(3)))
        (begun,) = await published(state)
        assert (begun.source_type, begun.source_name, begun.price_nano) == ("RESOURCE_GROUP", "default", 5 * NANO // 2)
        assert (begun.payer_account_id, begun.owner_account_id) == (world.acme.account_id, 1)
        assert (begun.period, begun.currency, begun.ended_at) == ("DAY", "RUBLE", None)
        clock.advance(timedelta(hours=1))
        await price(client, world, price=3)
        await compare_rents(state)
        changed = (await published(state))[-1]
        assert (changed.rent_id, changed.version, changed.price_nano) == (begun.rent_id, 2, 3 * NANO)
        await scale(client, world, 0)
        for _ in range(3):
            await reconciler.turn()
            await agent.beat()
            clock.advance(timedelta(seconds=30))
        await compare_rents(state)
        ended = (await published(state))[-1]
        assert (ended.version, ended.ended_at) == (3, clock.now())
        await compare_rents(state)
        assert len(await published(state)) == 3

    async def test_group_without_a_price_causes_no_rent(
        self, client: httpx.AsyncClient, world: World, state: CoreState, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        await scale(client, world, 1)
        await reconciler.turn()
        await compare_rents(state)
        assert await published(state) == []
