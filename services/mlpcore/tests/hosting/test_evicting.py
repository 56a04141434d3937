"""Eviction in a group that allows it: who has to go, what people see, and when nobody goes."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.scheduling.evicting import UNUSED
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState
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
    """A server with room for two instances, and the models `a` to `d` that need half of it each."""

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
        for name in "abcd":
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

    async def refuse(self, name: str, count: int) -> None:
        """Asks for instances beyond a limit, which is refused."""
        answer = await self._client.post(f"{ACCOUNT}/model/{name}/instances", json=count, headers=self._world.owner)
        assert (answer.status_code, answer.json()["code"]) == (403, "mlp.core.limit_exceeded")

    async def requested(self, name: str) -> int:
        return (await self.read(f"/model/{name}/instances"))["internalRequested"]

    @property
    def account_id(self) -> int:
        return self._world.acme.account_id

    async def move_to_another_server(self, instance_id: int) -> None:
        async with self._database.transaction() as session:
            (server,) = await session.scalars(sa.select(Server))
            columns = {c.name: getattr(server, c.name) for c in Server.__table__.columns if c.name != "server_id"}
            other = Server(**{**columns, "name": "other", "secret_hash": None, "enrolment_hash": None})
            session.add(other)
            await session.flush()
            for table in (Instance, Allocation):
                chosen = sa.update(table).where(table.instance_id == instance_id)
                await session.execute(chosen.values(server_id=other.server_id))

    async def drain_server_of(self, instance_id: int) -> None:
        here = sa.select(Instance.server_id).where(Instance.instance_id == instance_id).scalar_subquery()
        async with self._database.transaction() as session:
            await session.execute(
                sa.update(Server).where(Server.server_id == here).values(draining_since=sa.func.now())
            )

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
def runner(state: CoreState) -> TaskRunner:
    return TaskRunner(state, registry.TASKS)


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
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler, runner: TaskRunner
    ) -> None:
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["REMOVING"], ["SCHEDULED"], ["IDLE"]]
        assert (await floor.read("/model/a/instances"))["internalRequested"] == 0
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
        for _ in range(3):
            await runner.turn()
        told = [each["textMessage"] for each in await floor.read("/notification") if each["operationType"] == "EVICT"]
        assert told == [f"Eviction of a #{full[0]} completed"]

    @pytest.mark.parametrize(
        "limit", [{"base_model_instance_limit": 2}, {"cpu_limit": "250m"}, {"memory_limit": "4500Mi"}]
    )
    async def test_start_beyond_a_limit_evicts_the_account_s_own_service(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler, limit: dict[str, object]
    ) -> None:
        await floor.change(PlatformAccount, **limit)
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["REMOVING"], ["SCHEDULED"], ["IDLE"]]
        (entry,) = [entry for entry in await floor.read("/model/a/logs") if entry["code"] == "INSTANCE_EVICTED"]
        assert entry["message"] == f"Instance {full[0]} was evicted within account scope"
        assert (await floor.read("/model/c/status"))["waiting"]["reason"] == "AccountLimit"
        await floor.agent.beat(report(full[0], ReportedPhase.EXITED))
        await reconciler.turn()
        assert [await floor.state(name) for name in "abc"] == [[], ["SCHEDULED"], ["SCHEDULED"]]

    async def test_start_beyond_a_limit_is_refused_when_nobody_can_go(
        self, floor: Floor, full: tuple[int, int]
    ) -> None:
        await floor.change(PlatformAccount, base_model_instance_limit=2)
        for name in "ab":
            await floor.post(f"/model/{name}/activity", None)
        await floor.refuse("c", 1)
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], []]
        assert await floor.requested("c") == 0

    async def test_start_of_two_is_refused_and_nobody_goes_when_one_can_go(
        self, floor: Floor, full: tuple[int, int]
    ) -> None:
        await floor.change(PlatformAccount, base_model_instance_limit=2)
        await floor.post("/model/b/activity", None)
        await floor.refuse("c", 2)
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], []]
        assert ([await floor.requested(name) for name in "abc"], await floor.tasks("EVICT")) == ([1, 1, 0], [])

    async def test_room_that_an_eviction_makes_is_not_promised_twice(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler
    ) -> None:
        await floor.change(PlatformAccount, base_model_instance_limit=2)
        await floor.post("/model/b/activity", None)
        await floor.start("c")
        await floor.refuse("d", 1)
        await floor.agent.beat(report(full[0], ReportedPhase.EXITED))
        await floor.refuse("d", 1)
        await reconciler.turn()
        assert [await floor.state(name) for name in "abcd"] == [[], ["SCHEDULED"], ["SCHEDULED"], []]

    async def test_instances_that_wait_do_not_count_as_the_least_number_of_a_service(
        self, floor: Floor, full: tuple[int, int]
    ) -> None:
        await floor.change(Model, min_instances_count=1)
        await floor.post("/model/b/instances", 2)
        assert await floor.state("b") == ["SCHEDULED", "IDLE"]
        await floor.change(PlatformAccount, base_model_instance_limit=3)
        await floor.refuse("c", 1)

    async def test_replacements_on_drained_servers_evict_nobody_although_they_wait_for_a_limit(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler
    ) -> None:
        """What the instance on the drained server holds will be free when it has moved."""
        await floor.move_to_another_server(full[1])
        await floor.change(PlatformAccount, cpu_limit="250m")
        await floor.drain_server_of(full[0])
        for _ in range(2):
            await reconciler.turn()
        assert [await floor.state(name) for name in "ab"] == [["SCHEDULED", "IDLE"], ["SCHEDULED"]]
        assert (await floor.read("/model/a/status"))["waiting"]["reason"] == "AccountLimit"

    async def test_call_of_a_stranger_evicts_nobody_for_a_limit(
        self, floor: Floor, full: tuple[int, int], client: httpx.AsyncClient, world: World
    ) -> None:
        await floor.change(PlatformAccount, base_model_instance_limit=2)
        await floor.post("/model/c/public-settings", {"isPublic": True, "publicTestingAllowed": True})
        answer = await client.post(f"{ACCOUNT}/model/c/instances/single", headers=world.stranger)
        assert answer.status_code == 403, answer.text
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], []]

    async def test_lowered_limit_evicts_nobody_for_an_instance_that_is_missing(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler, clock: ManualClock
    ) -> None:
        for name in "ab":
            await floor.post(f"/model/{name}/activity", None)
        await floor.start("c")
        await floor.change(PlatformAccount, base_model_instance_limit=1)
        clock.advance(2 * UNUSED)
        await floor.agent.beat()
        await reconciler.turn()
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]
        assert (await floor.read("/model/c/status"))["waiting"]["reason"] == "AccountLimit"

    async def test_stop_of_one_instance_requests_no_more_than_before(
        self, floor: Floor, full: tuple[int, int], client: httpx.AsyncClient, world: World
    ) -> None:
        for name in "ab":
            await floor.post(f"/model/{name}/activity", None)
        await floor.post("/model/a/instances", 2)
        configuration = {"enabled": True, "minInstanceCount": 1000, "maxInstanceCount": 1000}
        await floor.change(Model, hosting_type="AUTOMATIC", auto_scaling_configuration=configuration)
        stopped = await client.post(f"{ACCOUNT}/model/a/instance/{full[0]}/stop", headers=world.owner)
        assert stopped.status_code == 200, stopped.text
        assert await floor.requested("a") == 2

    async def test_instance_that_moves_is_not_evicted_since_it_frees_what_it_holds_anyway(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler
    ) -> None:
        await floor.move_to_another_server(full[1])
        await floor.post("/model/b/activity", None)
        await floor.change(PlatformAccount, base_model_instance_limit=1)
        await floor.drain_server_of(full[0])
        await reconciler.turn()
        await floor.refuse("c", 1)
        assert ([await floor.requested(name) for name in "abc"], await floor.tasks("EVICT")) == ([1, 1, 0], [])

    async def test_services_used_a_moment_ago_stay_in_a_private_group(
        self, floor: Floor, full: tuple[int, int], clock: ManualClock
    ) -> None:
        await floor.change(ResourceGroup, access="PRIVATE", account_id=floor.account_id)
        for name in "ab":
            await floor.post(f"/model/{name}/activity", None)
        await floor.start("c")
        assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]

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

    async def test_nobody_goes_in_vain_while_another_one_that_has_to_go_is_being_changed(
        self, floor: Floor, full: tuple[int, int], reconciler: Reconciler, database: Database
    ) -> None:
        await floor.post("/model/c", {"modelName": "c", "resourceLimits": {**HALF, "memoryLimit": "4000Mi"}})
        async with database.transaction() as session:
            await session.execute(sa.select(Instance).where(Instance.instance_id == full[1]).with_for_update())
            await floor.start("c")
            assert [await floor.state(name) for name in "abc"] == [["SCHEDULED"], ["SCHEDULED"], ["IDLE"]]
        await reconciler.turn()
        assert [await floor.state(name) for name in "abc"] == [["REMOVING"], ["REMOVING"], ["IDLE"]]
