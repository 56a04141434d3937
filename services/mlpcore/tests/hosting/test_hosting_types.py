"""What a change of the hosting type, or into a prototype and back, does to the instances of a service."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.autoscaling.scaler import Autoscaler
from mlpcore.features.instances.dependencies import scaling_of
from mlpcore.features.instances.desired.scaling import RequestMoved
from mlpcore.features.instances.errors import HostingTypeUnavailable, PrototypeNotStarted
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.tables import HostingRequest
from mlpcore.features.models.tables import Model
from mlpcore.features.rents.loops import compare_rents
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

from .test_hosting import Told, scale
from .test_placement import allocations
from .test_rents import price, published

MODEL = "/api/mlpcore/account/acme/model/greeting"
OWN_TYPES = ("INTERNAL", "AUTOMATIC", "HOSTING_SERVER")
LEAVING: tuple[dict[str, object], ...] = ({"hostingType": "EXTERNAL"}, {"prototype": True})


class Service:
    """The service `acme/greeting`, as its owner changes and sees it."""

    def __init__(self, client: httpx.AsyncClient, world: World, database: Database) -> None:
        self.client = client
        self.world = world
        self.database = database

    async def change(self, **fields: object) -> httpx.Response:
        body = {"modelName": "greeting", **fields}
        return await self.client.post(MODEL, json=body, headers=self.world.owner)

    async def changed(self, **fields: object) -> None:
        answer = await self.change(**fields)
        assert answer.status_code == 200, answer.text

    async def read(self, path: str) -> Any:
        answer = await self.client.get(f"{MODEL}{path}", headers=self.world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def shown(self) -> list[tuple[int, str]]:
        rows = (await self.read("/instance"))["instances"]
        return [(row["id"], row["statusInfo"]["totalStatus"]) for row in rows]

    async def scaled(self, count: int) -> httpx.Response:
        return await scale(self.client, self.world, count)

    async def requested(self) -> int | None:
        async with self.database.transaction() as session:
            return await session.scalar(sa.select(HostingRequest.requested))

    async def tasks(self) -> list[str]:
        async with self.database.transaction() as session:
            return list(await session.scalars(sa.select(Task.operation).order_by(Task.task_id)))


@pytest.fixture
def service(client: httpx.AsyncClient, publisher: World, model_id: int, database: Database) -> Service:
    return Service(client, publisher, database)


@pytest.fixture
def autoscaler(state: CoreState) -> Autoscaler:
    return Autoscaler(state)


@pytest.fixture
async def run(service: Service, agent: AgentTwin, gate: GateTwin, told: Told) -> Callable[[str], Awaitable[int]]:
    """Gives the service a hosting type and one connected instance. Returns the instance."""

    async def started(hosting_type: str) -> int:
        await service.changed(hostingType=hosting_type)
        assert (await service.scaled(1)).status_code == 200
        (number,) = await agent.beat()
        await told(gate.connected(number))
        await agent.beat(report(number, P.RUNNING))
        assert await service.shown() == [(number, "RUNNING")]
        return number

    return started


class TestLeavingThePlatform:
    @pytest.mark.parametrize("fields", LEAVING)
    @pytest.mark.parametrize("before", OWN_TYPES)
    async def test_instances_end_gracefully_and_their_room_is_freed(
        self,
        service: Service,
        run: Callable[[str], Awaitable[int]],
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
        clock: ManualClock,
        before: str,
        fields: dict[str, object],
    ) -> None:
        number = await run(before)
        await service.changed(**fields)
        wanted = (await agent.beat(report(number, P.RUNNING)))[number]
        assert not wanted.stop, "calls that it answers may end first"
        assert (await service.read("/instance"))["instances"][0]["statusInfo"]["isDeleted"] is True
        clock.advance(timedelta(minutes=1))
        wanted = (await agent.beat(report(number, P.RUNNING)))[number]
        assert (wanted.stop, wanted.force) == (True, False)
        await agent.beat(report(number, P.EXITED, exit_code=0))
        await reconciler.turn()
        assert await agent.beat() == {}
        assert (await allocations(database), await service.shown(), await service.requested()) == ({}, [], 0)
        assert (await service.read("/status"))["state"] == "INACTIVE"

    @pytest.mark.parametrize("fields", LEAVING)
    async def test_people_see_why_in_the_history_and_as_a_task(
        self, service: Service, run: Callable[[str], Awaitable[int]], fields: dict[str, object]
    ) -> None:
        number = await run("INTERNAL")
        await service.changed(**fields)
        events = (await service.read(f"/instance/{number}/events"))["events"]
        why = "The service is a prototype now" if "prototype" in fields else "The service runs outside the platform now"
        assert [event["message"] for event in events if event["reason"] == "Stopping"] == [why]
        assert await service.tasks() == ["RUN", "SCALE_DOWN"]

    async def test_instance_that_waits_for_a_server_is_gone_at_once(self, service: Service) -> None:
        await service.scaled(1)
        ((_, status),) = await service.shown()
        await service.changed(hostingType="EXTERNAL")
        assert (status, await service.shown()) == ("WAITING", [])

    async def test_connections_of_the_owner_s_own_instances_stay(
        self, service: Service, run: Callable[[str], Awaitable[int]]
    ) -> None:
        number = await run("HOSTING_SERVER")
        made = await service.client.post(f"{MODEL}/external", headers=service.world.owner)
        own = made.json()["id"]["instanceId"]
        await service.changed(hostingType="EXTERNAL")
        assert await service.shown() == [(number, "DELETED"), (own, "WAITING")]
        await service.changed(hostingType="EXTERNAL", prototype=True)
        assert await service.shown() == [(number, "DELETED"), (own, "WAITING")]

    async def test_rolling_update_under_way_starts_no_replacement(
        self,
        service: Service,
        run: Callable[[str], Awaitable[int]],
        agent: AgentTwin,
        state: CoreState,
        reconciler: Reconciler,
        clock: ManualClock,
    ) -> None:
        number = await run("INTERNAL")
        answer = await service.client.post(f"{MODEL}/rolling-update", headers=service.world.owner)
        assert answer.status_code == 200, answer.text
        runner = TaskRunner(state, registry.TASKS)
        clock.advance(timedelta(seconds=6))
        await runner.turn()
        both = set(await agent.beat(report(number, P.RUNNING)))
        assert len(both) == 2
        await service.changed(hostingType="EXTERNAL")
        clock.advance(timedelta(seconds=6))
        await runner.turn()
        await reconciler.turn()
        assert dict(await service.shown()) == dict.fromkeys(both, "DELETED")

    async def test_refused_change_ends_nothing(self, service: Service, run: Callable[[str], Awaitable[int]]) -> None:
        number = await run("INTERNAL")
        assert (await service.change(hostingType="EXTERNAL", imageId=999_999)).status_code == 400
        assert (await service.shown(), await service.requested()) == ([(number, "RUNNING")], 1)

    async def test_another_account_changes_nothing(
        self, service: Service, run: Callable[[str], Awaitable[int]]
    ) -> None:
        number = await run("INTERNAL")
        body = {"modelName": "greeting", "hostingType": "EXTERNAL"}
        answers = [
            await service.client.post(MODEL, json=body, headers=headers)
            for headers in (service.world.stranger, service.world.user)
        ]
        assert {answer.status_code for answer in answers} <= {403, 404}
        assert (await service.shown(), await service.requested()) == ([(number, "RUNNING")], 1)


class TestRent:
    @pytest.mark.parametrize("fields", LEAVING)
    async def test_rent_of_a_group_ends(
        self,
        service: Service,
        run: Callable[[str], Awaitable[int]],
        state: CoreState,
        identities: Identities,
        tell: Teller,
        fields: dict[str, object],
    ) -> None:
        await tell(account_changed(identities.account(1, "platform")))
        await price(service.client, service.world)
        await run("INTERNAL")
        await compare_rents(state)
        await service.changed(**fields)
        await compare_rents(state)
        begun, ended = await published(state)
        assert (begun.ended_at, ended.ended_at is None) == (None, False)


class TestNumberOfInstances:
    @pytest.mark.parametrize(("fields", "code"), [
        ({"hostingType": "EXTERNAL"}, "mlp.core.hosting_type_unavailable"),
        ({"prototype": True}, "mlp.core.prototype_not_started"),
        ({"prototype": True, "hostingType": "AUTOMATIC", "minInstancesCount": 1}, "mlp.core.prototype_not_started"),
    ])  # fmt: skip
    async def test_zero_is_accepted_and_more_is_refused(
        self, service: Service, fields: dict[str, object], code: str
    ) -> None:
        await service.changed(**fields)
        assert (await service.scaled(0)).status_code == 200
        refused = await service.scaled(1)
        assert (refused.status_code, refused.json()["code"]) == (400, code)
        assert await service.shown() == []

    @pytest.mark.parametrize(("column", "value"), [("hosting_type", "EXTERNAL"), ("prototype", True)])
    async def test_zero_and_the_next_change_end_what_an_earlier_release_left(
        self, service: Service, run: Callable[[str], Awaitable[int]], column: str, value: object
    ) -> None:
        first = await run("INTERNAL")
        async with service.database.transaction() as session:
            await session.execute(sa.update(Model).values({column: value}))
        assert (await service.scaled(0)).status_code == 200
        assert (await service.shown(), await service.requested()) == ([(first, "DELETED")], 0)
        async with service.database.transaction() as session:
            await session.execute(sa.update(HostingRequest).values(requested=2))
        await service.changed(displayName="Greeting")
        assert await service.requested() == 0

    @pytest.mark.parametrize(("fields", "refusal"), [
        ({"hostingType": "EXTERNAL"}, HostingTypeUnavailable), ({"prototype": True}, PrototypeNotStarted),
    ])  # fmt: skip
    async def test_start_that_read_the_service_before_the_change_is_refused(
        self, service: Service, state: CoreState, fields: dict[str, object], refusal: type[Exception]
    ) -> None:
        async with state.database.transaction() as session:
            stale = (await session.scalars(sa.select(Model))).one()
            await service.changed(**fields)
            with pytest.raises(refusal):
                await scaling_of(session, state).request(stale, 1)
        assert await service.shown() == []

    async def test_autoscaling_leaves_a_service_that_became_a_prototype_meanwhile(
        self, service: Service, state: CoreState
    ) -> None:
        await service.changed(hostingType="AUTOMATIC")
        async with state.database.transaction() as session:
            stale = (await session.scalars(sa.select(Model))).one()
            await service.changed(prototype=True)
            with pytest.raises(RequestMoved):
                await scaling_of(session, state).adjust(stale, before=0, wanted=1)


class TestStayingOnThePlatform:
    async def test_other_changes_of_the_type_keep_number_and_instances(
        self, service: Service, run: Callable[[str], Awaitable[int]], reconciler: Reconciler
    ) -> None:
        number = await run("INTERNAL")
        for hosting_type in ("AUTOMATIC", "HOSTING_SERVER", "INTERNAL", "HOSTING_SERVER", "AUTOMATIC", "INTERNAL"):
            await service.changed(hostingType=hosting_type)
            await reconciler.turn()
            assert (await service.shown(), await service.requested()) == ([(number, "RUNNING")], 1), hosting_type

    @pytest.mark.parametrize(("fields", "back"), [
        ({"hostingType": "EXTERNAL"}, {"hostingType": "INTERNAL"}),
        ({"hostingType": "EXTERNAL"}, {"hostingType": "HOSTING_SERVER"}),
        ({"prototype": True}, {"prototype": False}),
    ])  # fmt: skip
    async def test_service_that_comes_back_starts_when_it_is_asked_for(
        self,
        service: Service,
        run: Callable[[str], Awaitable[int]],
        agent: AgentTwin,
        reconciler: Reconciler,
        fields: dict[str, object],
        back: dict[str, object],
    ) -> None:
        first = await run("INTERNAL")
        await service.changed(**fields)
        await agent.beat(report(first, P.EXITED, exit_code=0))
        await service.changed(**back)
        await reconciler.turn()
        assert await service.shown() == []
        assert (await service.scaled(1)).status_code == 200
        (second,) = await agent.beat()
        assert second != first

    @pytest.mark.parametrize(("fields", "back"), [
        ({"hostingType": "EXTERNAL"}, {"hostingType": "AUTOMATIC"}), ({"prototype": True}, {"prototype": False}),
    ])  # fmt: skip
    async def test_automatic_service_that_comes_back_sleeps_until_it_is_woken(
        self,
        service: Service,
        run: Callable[[str], Awaitable[int]],
        agent: AgentTwin,
        autoscaler: Autoscaler,
        fields: dict[str, object],
        back: dict[str, object],
    ) -> None:
        await service.changed(autoScalingConfiguration={"enabled": True, "minInstanceCount": 1, "maxInstanceCount": 2})
        first = await run("AUTOMATIC")
        await autoscaler.register()
        await service.changed(**fields)
        await agent.beat(report(first, P.EXITED, exit_code=0))
        for state in ("INACTIVE", "SLEEPING"):
            await autoscaler.register()
            await autoscaler.turn()
            assert (await service.shown(), (await service.read("/status"))["state"]) == ([], state)
            await service.changed(**back)
        assert (await service.scaled(1)).status_code == 200
        assert len(await agent.beat()) == 1
