"""Instances that answer no calls: nothing counts, moves, replaces or evicts them, and each limit counts them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.autoscaling.repository import AutoscalingRepository
from mlpcore.features.instances.dependencies import convergence_of, single_instances_of
from mlpcore.features.instances.desired.start_answers import _SETTLED
from mlpcore.features.instances.errors import (
    HostingTypeUnavailable,
    InstanceLimitExceeded,
    PrototypeNotStarted,
    ResourceLimitExceeded,
)
from mlpcore.features.instances.loops.comparing import GONE_AFTER, Comparison
from mlpcore.features.instances.loops.draining import LONGEST, Draining
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.scheduling.eviction_repository import EvictionRepository
from mlpcore.features.instances.single import SingleInstances
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.rents.loops import compare_rents
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState
from mlplace_contracts.enums import InstancePurpose
from mlplace_contracts.events import InstanceChanged
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import ModelNotFound, NotFound
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

from .test_hosting import Told, scale
from .test_placement import GPU, allocations, allow, need, set_server
from .test_rents import price
from .test_rents import published as published_rents

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"
FIT, DEVELOP, SERVE = InstancePurpose.FIT, InstancePurpose.DEVELOP, InstancePurpose.SERVE
OTHERS = (FIT, DEVELOP)


class Site:
    """The service `acme/greeting`, and what a task of the platform does with its instances."""

    def __init__(
        self, client: httpx.AsyncClient, world: World, state: CoreState, agent: AgentTwin, gate: GateTwin, told: Told
    ) -> None:
        self.client, self.world, self.state = client, world, state
        self.agent, self.gate, self.told = agent, gate, told
        self.database: Database = state.database
        self.reconciler = Reconciler(state)

    async def start(self, purpose: InstancePurpose = FIT) -> int:
        async with self.database.transaction() as session:
            model = (await session.scalars(sa.select(Model))).one()
            return (await single_instances_of(session, self.state).start(model, purpose)).instance_id

    async def end(self, number: int, *, force: bool = False) -> None:
        async with self.database.transaction() as session:
            model = (await session.scalars(sa.select(Model))).one()
            singles: SingleInstances = single_instances_of(session, self.state)
            await singles.end(model, number, reason="The training has ended", force=force)

    async def run(self, *numbers: int) -> None:
        """The instances run on the server and are connected."""
        await self.agent.beat(*(report(number, P.RUNNING) for number in numbers))
        for number in numbers:
            await self.told(self.gate.connected(number))

    async def scale(self, count: int) -> None:
        answer = await scale(self.client, self.world, count)
        assert answer.status_code == 200, answer.text

    async def states(self) -> dict[int, str]:
        return {row["id"]: row["statusInfo"]["podStatus"] for row in (await self.read("/instance"))["instances"]}

    async def change(self, table: type[Any], **values: object) -> None:
        async with self.database.transaction() as session:
            await session.execute(sa.update(table).values(**values))

    async def read(self, path: str) -> Any:
        answer = await self.client.get(f"{MODEL}{path}", headers=self.world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def requested(self) -> int:
        async with self.database.transaction() as session:
            return await session.scalar(sa.select(HostingRequest.requested).order_by(HostingRequest.model_id)) or 0


@pytest.fixture
async def site(
    client: httpx.AsyncClient, publisher: World, state: CoreState, model_id: int, agent: AgentTwin, gate: GateTwin,
    told: Told,
) -> Site:  # fmt: skip
    return Site(client, publisher, state, agent, gate, told)


class TestStart:
    @pytest.mark.parametrize("purpose", OTHERS)
    async def test_it_gets_room_on_a_server_runs_and_tells_gates_its_purpose(
        self, site: Site, purpose: InstancePurpose
    ) -> None:
        number = await site.start(purpose)
        assert await site.states() == {number: "SCHEDULED"}
        assert await allocations(site.database) == {number: (100, 500, 100)}
        assert list(await site.agent.beat()) == [number]
        await site.run(number)
        assert await site.states() == {number: "STARTED"}
        (event,) = await published(site.database, InstanceChanged)
        assert (event.instance_id, event.purpose, event.accepts_connections) == (number, purpose, True)
        (row,) = (await site.read("/instance"))["instances"]
        assert row["purpose"] == purpose

    async def test_without_room_it_waits_and_the_scheduler_places_it_later(
        self, site: Site, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await set_server(site.database, max_instances=1)
        first, second = await site.start(), await site.start()
        assert await site.states() == {first: "SCHEDULED", second: "IDLE"}
        assert (await site.read(f"/instance/{second}/laststate"))["waiting"]["reason"] is not None
        await site.end(first)
        await site.agent.beat(report(first, P.EXITED, exit_code=0))
        await site.reconciler.turn()
        assert await site.states() == {second: "SCHEDULED"}

    async def test_number_of_serving_ones_is_no_business_of_it(self, site: Site) -> None:
        with pytest.raises(ValueError, match="is requested"):
            await site.start(SERVE)
        assert await site.states() == {}

    @pytest.mark.parametrize(("fields", "refusal"), [
        ({"hosting_type": "EXTERNAL"}, HostingTypeUnavailable),
        ({"prototype": True}, PrototypeNotStarted),
        ({"deleted_at": sa.func.now()}, ModelNotFound),
    ])  # fmt: skip
    async def test_service_that_may_not_run_here_starts_none(
        self, site: Site, fields: dict[str, object], refusal: type[Exception]
    ) -> None:
        await site.change(Model, **fields)
        with pytest.raises(refusal):
            await site.start()
        async with site.database.transaction() as session:
            assert await session.scalar(sa.select(sa.func.count()).select_from(Instance)) == 0


class TestLimits:
    async def test_limit_of_instances_counts_both_kinds(
        self, site: Site, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await allow(client, publisher, baseModelInstanceLimit=2)
        await site.scale(1)
        await site.start()
        with pytest.raises(InstanceLimitExceeded):
            await site.start()
        refused = await scale(client, publisher, 2)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.core.limit_exceeded")

    async def test_limits_of_resources_count_both_kinds(
        self, site: Site, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await allow(client, publisher, memoryLimit="1000Mi")
        await site.start()
        await site.scale(1)
        with pytest.raises(ResourceLimitExceeded):
            await site.start()
        limits = (await client.get(f"{ACCOUNT}/limits/use", headers=publisher.owner)).json()
        assert next(each["used"] for each in limits if each["limit"] == "memoryLimit") == 1000

    async def test_on_a_server_that_goes_it_still_counts(
        self, site: Site, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await allow(client, publisher, baseModelInstanceLimit=1)
        await site.start()
        await set_server(site.database, draining_since=sa.func.now())
        assert (await scale(client, publisher, 1)).status_code == 403, "no replacement starts beside it"

    async def test_it_causes_rent(
        self, site: Site, client: httpx.AsyncClient, world: World, state: CoreState, identities: Identities,
        tell: Teller,
    ) -> None:  # fmt: skip
        await tell(account_changed(identities.account(1, "platform")))
        await price(client, world)
        number = await site.start()
        await compare_rents(state)
        await site.end(number)
        await compare_rents(state)
        begun, ended = await published_rents(state)
        assert (begun.ended_at, ended.ended_at is None) == (None, False)


class TestDesiredNumber:
    async def test_it_is_neither_missing_nor_surplus(self, site: Site) -> None:
        fit = await site.start()
        await site.run(fit)
        await site.reconciler.turn()
        assert await site.states() == {fit: "STARTED"}
        await site.scale(1)
        (serving,) = set(await site.states()) - {fit}
        await site.reconciler.turn()
        assert set(await site.states()) == {fit, serving}
        await site.scale(0)
        await site.reconciler.turn()
        assert await site.states() == {fit: "STARTED", serving: "REMOVING"}

    @pytest.mark.parametrize("purpose", OTHERS)
    async def test_service_with_nothing_else_is_inactive_and_counts_none(
        self, site: Site, purpose: InstancePurpose
    ) -> None:
        number = await site.start(purpose)
        assert (await site.read("/status"))["state"] == "INACTIVE", "it is not starting"
        await site.run(number)
        status = await site.read("/status")
        assert (status["state"], set(status["instances"].values())) == ("INACTIVE", {0})
        assert (await site.read(""))["state"] == "INACTIVE"
        await site.end(number)
        assert (await site.read("/status"))["state"] == "INACTIVE", "it is not removing"

    async def test_reason_for_waiting_of_the_service_is_not_that_of_a_fit(self, site: Site) -> None:
        await set_server(site.database, max_instances=0)
        await site.start()
        assert (await site.read("/status"))["waiting"] is None
        await site.scale(1)
        assert (await site.read("/status"))["waiting"] is not None

    async def test_mean_time_of_a_start_is_that_of_serving_ones(self, site: Site, clock: ManualClock) -> None:
        number = await site.start()
        clock.advance(timedelta(seconds=10))
        await site.run(number)
        assert (await site.read("/status"))["startTimeSeconds"] is None
        await site.scale(1)
        (serving,) = set(await site.states()) - {number}
        clock.advance(timedelta(seconds=4))
        await site.run(number, serving)
        assert (await site.read("/status"))["startTimeSeconds"] == 4

    async def test_capacity_of_autoscaling_is_that_of_serving_ones(self, site: Site, model_id: int) -> None:
        await site.run(await site.start())
        await site.scale(1)
        async with site.database.transaction() as session:
            facts = await AutoscalingRepository(session).of_any_hosting(model_id)
        assert [instance.connected for instance in facts.instances] == [False]

    async def test_start_that_waits_is_not_answered_by_a_fit(self, site: Site, model_id: int) -> None:
        await site.run(await site.start())
        await site.scale(1)
        async with site.database.transaction() as session:
            found = await session.scalar(_SETTLED, {"model_id": model_id, "least": 1})
        assert found is None

    async def test_task_of_a_start_waits_for_a_serving_one(self, site: Site, clock: ManualClock) -> None:
        await site.run(await site.start())
        await site.scale(1)
        clock.advance(timedelta(seconds=6))
        await TaskRunner(site.state, registry.TASKS).turn()
        async with site.database.transaction() as session:
            assert await session.scalar(sa.select(Task.status)) != "COMPLETED"

    async def test_rolling_update_replaces_serving_ones_only(self, site: Site) -> None:
        fit = await site.start()
        await site.scale(1)
        async with site.database.transaction() as session:
            model = (await session.scalars(sa.select(Model))).one()
            found = await convergence_of(session, site.state).active(model)
        assert [instance.instance_id for instance in found] == sorted(set(await site.states()) - {fit})


class TestEviction:
    @pytest.fixture
    async def crowd(self, site: Site, client: httpx.AsyncClient, clock: ManualClock) -> Callable[[int], Any]:
        """The server has room for two, and its group evicts. Returns what becomes of another service's instance later."""
        await set_server(site.database, max_instances=2)
        await site.change(ResourceGroup, enabled_eviction=True)

        async def wanted(days: int) -> str:
            clock.advance(timedelta(days=days))
            await site.change(Server, last_heartbeat_at=clock.now())
            image = (await client.get(f"{MODEL}", headers=site.world.owner)).json()
            body = {
                "modelName": "other", "imageId": image["imageId"], "imageAccountId": image["imageAccountId"],
                "hostingType": "INTERNAL",
            }  # fmt: skip
            made = await client.post(f"{ACCOUNT}/model", json=body, headers=site.world.owner)
            assert made.status_code == 200, made.text
            path = f"{ACCOUNT}/model/other"
            asked = await client.post(f"{path}/instances", json=1, headers=site.world.owner)
            assert asked.status_code == 200, asked.text
            await site.reconciler.turn()
            listed = (await client.get(f"{path}/instance", headers=site.world.owner)).json()["instances"]
            return listed[0]["statusInfo"]["podStatus"]

        return wanted

    @pytest.mark.parametrize("purpose", OTHERS)
    async def test_only_what_serves_makes_room(
        self, site: Site, crowd: Callable[[int], Any], purpose: InstancePurpose
    ) -> None:
        older = await site.start(purpose)
        await site.scale(1)
        (serving,) = set(await site.states()) - {older}
        await site.run(older, serving)
        await crowd(3)
        assert await site.states() == {older: "STARTED", serving: "REMOVING"}
        assert await site.requested() == 0

    async def test_fit_in_progress_stays_although_nothing_else_can_go(
        self, site: Site, crowd: Callable[[int], Any]
    ) -> None:
        numbers = [await site.start(), await site.start()]
        await site.run(*numbers)
        assert await crowd(3) == "IDLE"
        assert await site.states() == dict.fromkeys(numbers, "STARTED")

    async def test_task_that_fits_protects_what_serves_of_its_service(
        self, site: Site, crowd: Callable[[int], Any], model_id: int, clock: ManualClock
    ) -> None:
        await site.scale(2)
        numbers = list(await site.states())
        await site.run(*numbers)
        async with site.database.transaction() as session:
            session.add(_fit_task(site.world.acme.account_id, model_id, clock))
        assert await crowd(3) == "IDLE"
        assert await site.states() == dict.fromkeys(numbers, "STARTED")

    async def test_least_number_of_a_service_counts_no_fit(self, site: Site, model_id: int) -> None:
        await site.start()
        await site.scale(1)
        async with site.database.transaction() as session:
            assert await EvictionRepository(session).staying([model_id]) == {model_id: 1}


class TestEnds:
    async def test_it_ends_gracefully_and_its_room_is_freed(self, site: Site, clock: ManualClock) -> None:
        number = await site.start()
        await site.run(number)
        await site.end(number)
        await site.end(number)
        assert not (await site.agent.beat(report(number, P.RUNNING)))[number].stop
        clock.advance(timedelta(minutes=1))
        assert (await site.agent.beat(report(number, P.RUNNING)))[number].stop
        await site.agent.beat(report(number, P.EXITED, exit_code=0))
        assert (await site.states(), await allocations(site.database)) == ({}, {})
        assert [e.accepts_connections for e in await published(site.database, InstanceChanged)] == [True, False]
        events = (await site.read(f"/instance/{number}/events"))["events"]
        assert [e["message"] for e in events if e["reason"] == "Stopping"] == ["The training has ended"]
        await site.end(number)

    async def test_forced_end_does_not_wait(self, site: Site) -> None:
        number = await site.start()
        await site.run(number)
        await site.end(number, force=True)
        wanted = (await site.agent.beat(report(number, P.RUNNING)))[number]
        assert (wanted.stop, wanted.force) == (True, True)

    async def test_one_without_a_server_is_gone_at_once(self, site: Site) -> None:
        await set_server(site.database, max_instances=0)
        await site.end(await site.start())
        assert await site.states() == {}

    async def test_one_that_serves_looks_like_a_missing_one(self, site: Site) -> None:
        await site.scale(1)
        (serving,) = await site.states()
        for number in (serving, serving + 1):
            with pytest.raises(NotFound):
                await site.end(number)
        assert await site.states() == {serving: "SCHEDULED"}

    async def test_one_of_another_service_looks_like_a_missing_one(self, site: Site) -> None:
        number = await site.start()
        async with site.database.transaction() as session:
            model = (await session.scalars(sa.select(Model))).one()
            session.expunge(model)
            model.account_id = site.world.globex.account_id
            with pytest.raises(NotFound):
                await single_instances_of(session, site.state).end(model, number, reason="no")
        assert await site.states() == {number: "SCHEDULED"}

    @pytest.mark.parametrize("how", ["stop", "terminate"])
    async def test_owner_stops_it_and_the_requested_number_stays(
        self, site: Site, client: httpx.AsyncClient, publisher: World, how: str
    ) -> None:
        await site.scale(1)
        number = await site.start()
        path = f"{MODEL}/instance/{number}/{how}"
        assert (await client.post(path, headers=publisher.stranger)).status_code in {403, 404}
        assert (await client.post(path, headers=publisher.owner)).status_code == 200
        assert ((await site.states())[number], await site.requested()) == ("REMOVING", 1)

    async def test_it_ends_with_its_service(self, site: Site, client: httpx.AsyncClient, publisher: World) -> None:
        number = await site.start()
        await client.delete(MODEL, headers=publisher.owner)
        async with site.database.transaction() as session:
            assert await session.scalar(sa.select(Instance.state)) == "REMOVING"
        await site.agent.beat(report(number, P.EXITED, exit_code=0))
        assert await allocations(site.database) == {}

    async def test_it_ends_when_the_service_leaves_the_platform(
        self, site: Site, client: httpx.AsyncClient, publisher: World
    ) -> None:
        number = await site.start()
        body = {"modelName": "greeting", "hostingType": "EXTERNAL"}
        assert (await client.post(MODEL, json=body, headers=publisher.owner)).status_code == 200
        assert await site.states() == {number: "REMOVING"}

    async def test_run_that_is_killed_is_started_again_in_its_place(self, site: Site) -> None:
        number = await site.start()
        await site.agent.beat(report(number, P.BACKOFF, exit_code=137, exit_reason="Killed", restart_count=1))
        assert await site.states() == {number: "FAILED"}
        await site.agent.beat(report(number, P.RUNNING, restart_count=1))
        await site.reconciler.turn()
        assert (await site.states(), len(await allocations(site.database))) == ({number: "SCHEDULED"}, 1)


class TestServerGoes:
    async def test_it_stays_on_a_draining_server_and_ends_with_it(self, site: Site, clock: ManualClock) -> None:
        fit = await site.start()
        await site.run(fit)
        await set_server(site.database, draining_since=clock.now())
        draining = Draining(site.state)
        await draining.turn()
        await site.reconciler.turn()
        assert await site.states() == {fit: "STARTED"}, "no replacement starts, and nothing moves"
        clock.advance(LONGEST)
        await site.agent.beat(report(fit, P.RUNNING))
        await draining.turn()
        await site.reconciler.turn()
        assert (await site.states(), await allocations(site.database)) == ({}, {})
        events = (await site.read(f"/instance/{fit}/events"))["events"]
        assert "ServerGone" in [event["reason"] for event in events]

    async def test_server_goes_as_soon_as_it_has_ended(self, site: Site, clock: ManualClock) -> None:
        fit = await site.start()
        await site.run(fit)
        await set_server(site.database, draining_since=clock.now())
        await site.end(fit)
        await site.agent.beat(report(fit, P.EXITED, exit_code=0))
        await Draining(site.state).turn()
        async with site.database.transaction() as session:
            assert await session.scalar(sa.select(sa.func.count()).select_from(Server)) == 0

    async def test_serving_one_beside_it_moves(self, site: Site, clock: ManualClock) -> None:
        fit = await site.start()
        await site.scale(1)
        (serving,) = set(await site.states()) - {fit}
        await site.run(fit, serving)
        await set_server(site.database, draining_since=clock.now())
        await Draining(site.state).turn()
        await site.reconciler.turn()
        (replacement,) = set(await site.states()) - {fit, serving}
        assert await site.states() == {fit: "STARTED", serving: "STARTED", replacement: "IDLE"}

    async def test_it_ends_when_its_gpu_is_gone(
        self, site: Site, client: httpx.AsyncClient, publisher: World, clock: ManualClock
    ) -> None:
        await set_server(site.database, gpus=[GPU])
        await allow(client, publisher, gpuModelInstanceLimit=1)
        await need(client, publisher, gpuRequested=True)
        fit = await site.start()
        assert await site.states() == {fit: "SCHEDULED"}
        comparison = Comparison(site.state)
        await set_server(site.database, gpus=[])
        await comparison.turn()
        clock.advance(GONE_AFTER)
        await set_server(site.database, last_heartbeat_at=clock.now())
        await comparison.turn()
        assert (await site.states(), await allocations(site.database)) == ({}, {})


class TestPreviousRelease:
    async def test_row_that_it_writes_serves(self, site: Site) -> None:
        await site.scale(1)
        async with site.database.transaction() as session:
            columns = [c.name for c in Instance.__table__.columns if c.name not in {"instance_id", "purpose"}]
            names = ", ".join(columns)
            shown = names.replace("token_hash", "token_hash || 'x'")
            await session.execute(sa.text(f"INSERT INTO instance ({names}) SELECT {shown} FROM instance"))
            found = await session.scalars(sa.select(Instance.purpose))
        assert list(found) == ["serve", "serve"]


def _fit_task(account_id: int, model_id: int, clock: ManualClock) -> Task:
    now = clock.now()
    return Task(
        account_id=account_id, kind="instances.stop", operation="FIT", depth=0, entity={}, model_id=model_id,
        entity_display_name="greeting", status="RUN", step=0, step_name="", percentage=0, interrupted=False,
        interruptible=False, wait_for=[], data={"instances": []}, created_at=now, due_at=now + timedelta(days=9),
        attempts=0,
    )  # fmt: skip
