"""An account that runs instances on a priced group of another account rents it."""

import asyncio
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.instances.loops.draining import Draining
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.scheduling.evicting import UNUSED
from mlpcore.features.placement.allocations import ROOM_CHANGED
from mlpcore.features.rents.loops import compare_rents
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.state import CoreState
from mlplace_contracts.events import RentChanged, decode
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO
from mlplace_runtime.db.messaging import outbox
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

from .test_hosting import Told, scale

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
        await agent.beat()
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


class TestEnd:
    @pytest.fixture
    async def rented(
        self, client: httpx.AsyncClient, world: World, state: CoreState, agent: AgentTwin, reconciler: Reconciler
    ) -> RentChanged:
        """The rent of acme for an instance on the only server of the group."""
        await price(client, world)
        await scale(client, world, 1)
        await reconciler.turn()
        await compare_rents(state)
        (begun,) = await published(state)
        return begun

    async def test_evicted_instance_ends_its_rent_though_it_still_holds_its_room(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        state: CoreState,
        agent: AgentTwin,
        reconciler: Reconciler,
        rented: RentChanged,
        clock: ManualClock,
    ) -> None:
        await let_evict(state)
        clock.advance(UNUSED + timedelta(minutes=1))
        await agent.beat()
        state.database.signal(ROOM_CHANGED).clear()
        await crowd(client, publisher)
        assert state.database.signal(ROOM_CHANGED).is_set(), "the loop compares at once"
        evicted_at = clock.now()
        await compare_rents(state)
        ended = (await published(state))[-1]
        assert (ended.payer_account_id, ended.ended_at) == (publisher.acme.account_id, evicted_at)
        # Whoever waits for the room rents it from when it is free.
        (evicted, *_) = await agent.beat()
        await agent.beat(report(evicted, ReportedPhase.EXITED))
        await reconciler.turn()
        clock.advance(timedelta(seconds=10))
        await agent.beat()
        await compare_rents(state)
        begun = (await published(state))[-1]
        assert (begun.payer_account_id, begun.started_at) == (publisher.globex.account_id, clock.now())

    async def test_instance_of_a_deleted_server_ends_its_rent(
        self,
        client: httpx.AsyncClient,
        world: World,
        state: CoreState,
        agent: AgentTwin,
        reconciler: Reconciler,
        rented: RentChanged,
        gate: GateTwin,
        told: Told,
        clock: ManualClock,
    ) -> None:
        (number,) = await agent.beat()
        await told(gate.connected(number))
        clock.advance(timedelta(seconds=31))
        await compare_rents(state)
        assert await published(state) == [rented], "the instance is connected, so it runs"
        path = f"{GROUP}/server/{agent.enrolled.server_id}"
        assert (await client.delete(path, headers=world.admin)).status_code == 200
        state.database.signal(ROOM_CHANGED).clear()
        await reconciler.turn()
        assert state.database.signal(ROOM_CHANGED).is_set()
        await compare_rents(state)
        assert (await published(state))[-1].ended_at == clock.now()

    async def test_instance_on_a_server_that_is_being_removed_is_rented_until_the_server_goes(
        self, client: httpx.AsyncClient, world: World, state: CoreState, agent: AgentTwin, rented: RentChanged,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        path = f"{GROUP}/server/{agent.enrolled.server_id}"
        assert (await client.delete(path, headers=world.admin)).status_code == 200
        await compare_rents(state)
        assert await published(state) == [rented]
        clock.advance(timedelta(minutes=11))
        await agent.beat()
        await compare_rents(state)
        assert await published(state) == [rented]
        await Draining(state).turn()
        await compare_rents(state)
        assert (await published(state))[-1].ended_at == clock.now()

    async def test_lost_server_is_not_paid_for_until_it_is_back(
        self, state: CoreState, agent: AgentTwin, rented: RentChanged, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(seconds=30))
        await compare_rents(state)
        assert await published(state) == [rented]
        clock.advance(timedelta(seconds=1))
        await compare_rents(state)
        assert (await published(state))[-1].ended_at == clock.now()
        clock.advance(timedelta(minutes=1))
        await agent.beat()
        await compare_rents(state)
        back = (await published(state))[-1]
        assert (back.version, back.ended_at, back.changed_at) == (3, None, clock.now())

    async def test_instance_that_has_lost_its_room_ends_its_rent(
        self, state: CoreState, agent: AgentTwin, rented: RentChanged
    ) -> None:
        async with state.database.transaction() as session:
            await session.execute(sa.text("DELETE FROM allocation"))
        await compare_rents(state)
        assert (await published(state))[-1].ended_at is not None


async def let_evict(state: CoreState) -> None:
    async with state.database.transaction() as session:
        await session.execute(sa.update(ResourceGroup).values(enabled_eviction=True, access="PUBLIC"))


async def crowd(client: httpx.AsyncClient, world: World) -> None:
    """Another account starts an instance that needs most of the only server."""

    async def post(path: str, body: object) -> httpx.Response:
        answer = await client.post(f"/api/mlpcore/account/globex/{path}", json=body, headers=world.stranger)
        assert answer.status_code == 200, answer.text
        return answer

    image = (await post("image", {"name": "i", "image": "globex/i:1"})).json()["id"]
    limits = {"cpuRequest": "100m", "memoryLimit": "3800Mi", "ephemeralDiskLimit": "100Mi"}
    where = {"imageId": image["imageId"], "imageAccountId": image["accountId"]}
    await post("model", {"modelName": "large", "resourceLimits": limits, **where})
    await post("model/large/instances", 1)
