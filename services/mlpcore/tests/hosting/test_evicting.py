"""Eviction in a group that allows it: who has to go, what people see, and when nobody goes."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.instances.evicting import UNUSED
from mlpcore.features.instances.reconciler import Reconciler
from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.tasks.tables import Task
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
WHOLE_DAY = {
    "startTime": {"hour": 0, "minute": 0}, "endTime": {"hour": 0, "minute": 0}, "minInstances": 1, "maxInstances": 1,
}  # fmt: skip
HALF = {"cpuRequest": "100m", "memoryLimit": "2000Mi", "ephemeralDiskLimit": "100Mi"}


class Floor:
    """A server with room for two instances, and the models `a`, `b` and `c` that need one place each."""

    def __init__(self, client: httpx.AsyncClient, world: World, database: Database, agent: AgentTwin) -> None:
        self._client = client
        self._world = world
        self._database = database
        self.agent = agent

    async def post(self, path: str, body: object) -> Any:
        answer = await self._client.post(f"{ACCOUNT}{path}", json=body, headers=self._world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.content else None

    async def read(self, path: str) -> Any:
        answer = await self._client.get(f"{ACCOUNT}{path}", headers=self._world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def begin(self) -> None:
        image = (await self.post("/image", {"name": "i", "image": "acme/i:1"}))["id"]
        for name in "abc":
            where = {"imageId": image["imageId"], "imageAccountId": image["accountId"]}
            await self.post("/model", {"modelName": name, "resourceLimits": HALF, **where})
        await self.change(ResourceGroup, enabled_eviction=True, access="PUBLIC")

    async def change(self, table: type[Any], **values: object) -> None:
        async with self._database.transaction() as session:
            await session.execute(sa.update(table).values(**values))

    async def start(self, name: str) -> int:
        await self.post(f"/model/{name}/instances", 1)
        (row,) = (await self.read(f"/model/{name}/instance"))["instances"]
        return row["id"]

    async def tasks(self, operation: str) -> list[int | None]:
        """Returns the instances of the tasks with this operation."""
        async with self._database.transaction() as session:
            return list(await session.scalars(sa.select(Task.instance_id).where(Task.operation == operation)))

    async def state(self, name: str) -> list[str]:
        rows = (await self.read(f"/model/{name}/instance"))["instances"]
        return [row["statusInfo"]["podStatus"] for row in rows]


@pytest.fixture
async def floor(client: httpx.AsyncClient, publisher: World, database: Database, agent: AgentTwin) -> Floor:
    made = Floor(client, publisher, database, agent)
    await made.begin()
    return made


@pytest.fixture
async def full(floor: Floor, clock: ManualClock) -> tuple[int, int]:
    """The instances of `a` and `b`, which have not been used for more than two days; `a` for longer."""
    first = await floor.start("a")
    clock.advance(timedelta(hours=1))
    await floor.agent.beat()
    second = await floor.start("b")
    clock.advance(UNUSED)
    await floor.agent.beat()
    return first, second


class TestEviction:
    async def test_least_recently_used_makes_room_and_people_are_told(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler
    ) -> None:
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["REMOVING"], ["SCHEDULED"], ["IDLE"]]
        assert (await floor.read("/model/a/instances"))["hostingServerRequested"] == 0
        events = (await floor.read(f"/model/a/instance/{full[0]}/events"))["events"]
        expected = f"Instance {full[0]} was evicted within resource group scope"
        assert [event["message"] for event in events if event["reason"] == "Evicted"] == [expected]
        (entry,) = [entry for entry in await floor.read("/model/a/logs") if entry["code"] == "INSTANCE_EVICTED"]
        assert (entry["level"], entry["message"]) == ("ERROR", expected)
        assert await floor.tasks("EVICT") == [full[0]]
        await reconciler.turn()
        assert await floor.state("b") == ["SCHEDULED"], "one place is enough"
        await floor.agent.beat(report(full[0], ReportedPhase.EXITED))
        await reconciler.turn()
        assert [await floor.state(name) for name in "abc"] == [[], ["SCHEDULED"], ["SCHEDULED"]]

    async def test_nobody_goes_in_a_group_without_eviction(self, floor: Floor, full: tuple[int, int]) -> None:
        await floor.change(ResourceGroup, enabled_eviction=False)
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]

    async def test_services_used_within_two_days_stay_in_a_public_group(
        self, floor: Floor, full: tuple[int, int]
    ) -> None:
        for name in "ab":
            await floor.post(f"/model/{name}/activity", None)
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]

    @pytest.mark.parametrize(
        "settings",
        [
            {"hosting_type": "AUTOMATIC", "auto_scaling_configuration": {"minInstanceCount": 1}},
            {
                "hosting_type": "AUTOMATIC",
                "auto_scaling_configuration": {
                    "enabled": True,
                    "minInstanceCount": 0,
                    "maxInstanceCount": 1,
                    "scheduledInstanceCountSettings": [WHOLE_DAY],
                },
            },
            {"hosting_type": "INTERNAL", "min_instances_count": 1},
        ],
    )
    async def test_minimal_number_of_a_service_stays(
        self, floor: Floor, full: tuple[int, int], settings: dict[str, object]
    ) -> None:
        await floor.change(Model, **settings)
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]

    async def test_nobody_goes_for_what_no_server_can_take(self, floor: Floor, full: tuple[int, int]) -> None:
        await floor.post("/model/c", {"modelName": "c", "resourceLimits": {**HALF, "memoryLimit": "4100Mi"}})
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]
