"""A rent from the allocation in mlpcore to the charge in mlpbilling, over the bus, and what a crash between leaves."""

from datetime import timedelta
from enum import Enum, auto

import pytest
import sqlalchemy as sa

from mlpcore.features.instances.scheduling.evicting import UNUSED
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlplace_testing.identities import Identities
from tests.rents.conftest import PLATFORM
from tests.rents.installation import Installation

HOUR = timedelta(hours=1)


class Kill(Enum):
    """Where a process dies, between the allocation and the charge."""

    NOWHERE = auto()
    CORE_BEFORE_ITS_RENT_IS_STORED = auto()
    CORE_WHEN_THE_BUS_HAS_THE_EVENT = auto()
    BILLING_BEFORE_ITS_RENT_IS_STORED = auto()
    BILLING_BEFORE_IT_ACKNOWLEDGES = auto()
    BILLING_BEFORE_ITS_CHARGE_IS_STORED = auto()


async def pass_on(installation: Installation, kill: Kill = Kill.NOWHERE) -> None:
    """Takes a change of allocations all the way to the books. After a crash, other processes go on."""
    if kill is Kill.CORE_BEFORE_ITS_RENT_IS_STORED:
        await installation.compare(killed=True)
    await installation.compare()
    if kill is Kill.CORE_WHEN_THE_BUS_HAS_THE_EVENT:
        await installation.ship(killed=True)
    await installation.ship()
    if kill is Kill.BILLING_BEFORE_ITS_RENT_IS_STORED:
        await installation.hear(killed=True)
    if kill is Kill.BILLING_BEFORE_IT_ACKNOWLEDGES:
        await installation.hear(acknowledged=False)
    await installation.hear()
    if kill is Kill.BILLING_BEFORE_ITS_CHARGE_IS_STORED:
        await installation.charge(killed=True)
    await installation.charge()


@pytest.mark.parametrize("kill", list(Kill), ids=lambda kill: kill.name.lower())
async def test_rent_is_charged_from_the_allocation_until_the_stop_and_once_whatever_dies(
    installation: Installation, identities: Identities, kill: Kill
) -> None:
    acme = installation.world.acme.account_id
    begun = installation.clock.now()
    await installation.scale(1)
    await pass_on(installation, kill)
    assert await installation.charges(acme) == [(begun, 1)]
    await installation.pass_time(minutes=90)
    await installation.charge()
    expected = [(begun, 1), (begun + HOUR, 1)]
    assert await installation.charges(acme) == expected
    await installation.scale(0)
    await pass_on(installation, kill)
    await installation.pass_time(hours=5)
    await installation.charge()
    assert await installation.charges(acme) == expected
    assert await installation.reported(acme, "spending", installation.world.owner) == 2.0
    owner = identities.user(identities.account(PLATFORM, "platform"))
    assert await installation.reported(PLATFORM, "income", owner) == 2.0


async def test_evicted_instance_ends_the_rent_and_the_next_one_begins_with_its_room(
    installation: Installation,
) -> None:
    acme, globex = installation.world.acme.account_id, installation.world.globex.account_id
    async with installation.core_state.database.transaction() as session:
        await session.execute(sa.update(ResourceGroup).values(enabled_eviction=True, access="PUBLIC"))
    begun = installation.clock.now()
    await installation.scale(1)
    await pass_on(installation)
    await installation.pass_time(seconds=UNUSED.total_seconds() + 60)
    await installation.charge()
    paid = [(begun, 1), (begun + HOUR, 48)]
    assert await installation.charges(acme) == paid
    await crowd(installation)
    await pass_on(installation)  # acme's instance leaves, and still holds the room
    assert await installation.charges(globex) == []
    await installation.settle()
    await installation.settle()
    moved = installation.clock.now()
    await pass_on(installation)
    await installation.pass_time(hours=2)
    await installation.charge()
    assert await installation.charges(acme) == paid
    assert await installation.charges(globex) == [(moved, 1), (moved + HOUR, 2)]


async def crowd(installation: Installation) -> None:
    """globex starts an instance that needs most of the only server."""

    async def post(path: str, body: object) -> dict[str, dict[str, int]]:
        url, headers = f"/api/mlpcore/account/globex/{path}", installation.world.stranger
        answer = await installation.core.post(url, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.content else {}

    image = (await post("image", {"name": "i", "image": "globex/i:1"}))["id"]
    limits = {"cpuRequest": "100m", "memoryLimit": "3800Mi", "ephemeralDiskLimit": "100Mi"}
    where = {"imageId": image["imageId"], "imageAccountId": image["accountId"]}
    await post("model", {"modelName": "large", "resourceLimits": limits, **where})
    await post("model/large/instances", 1)
