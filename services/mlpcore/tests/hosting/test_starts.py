"""How far a start is, since when, and how long starts usually take: for owners, callers, lists and instances."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.tables import Instance
from mlpcore.state import CoreState
from mlplace_contracts.enums import InstancePurpose
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.statements import Statements
from mlplace_testing.world import World

from .test_hosting import Told
from .test_placement import set_server
from .test_purposes import Site

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"
NOON = datetime.fromisoformat("2031-03-12T12:00:00+00:00")


def after(seconds: float) -> datetime:
    """Tests begin at noon."""
    return NOON + timedelta(seconds=seconds)


def read_start(start: dict[str, Any] | None) -> tuple[str, datetime] | None:
    return None if start is None else (start["phase"], datetime.fromisoformat(start["since"]))


class Watched(Site):
    """The service `acme/greeting`, and what is told of its start."""

    async def start_told(self) -> tuple[str, datetime] | None:
        """Returns what the service and its status both tell."""
        service, status = await self.read(""), await self.read("/status")
        assert service["start"] == status["start"]
        return read_start(status["start"])

    async def starts_of_instances(self) -> list[tuple[str, datetime] | None]:
        return [read_start(row["start"]) for row in (await self.read("/instance"))["instances"]]

    async def numbers(self) -> list[int]:
        return sorted(await self.states())


@pytest.fixture
def service(
    client: httpx.AsyncClient, publisher: World, state: CoreState, model_id: int, agent: AgentTwin, gate: GateTwin,
    told: Told,
) -> Watched:  # fmt: skip
    return Watched(client, publisher, state, agent, gate, told)


class TestPhase:
    async def test_start_goes_from_preparing_to_connecting_and_is_over_when_it_is_connected(
        self, service: Watched, clock: ManualClock
    ) -> None:
        assert await service.start_told() is None
        await service.scale(1)
        assert await service.start_told() == ("PREPARING", NOON)
        (number,) = await service.numbers()
        clock.advance(timedelta(seconds=3))
        await service.agent.beat(report(number, P.STARTING))
        assert await service.start_told() == ("PREPARING", NOON)
        await service.agent.beat(report(number, P.RUNNING))
        assert await service.start_told() == ("CONNECTING", NOON)
        assert await service.starts_of_instances() == [("CONNECTING", NOON)]
        await service.run(number)
        assert (await service.start_told(), await service.starts_of_instances()) == (None, [None])

    async def test_instance_that_no_server_takes_waits_for_one(self, service: Watched) -> None:
        await set_server(service.database, max_instances=0)
        await service.scale(1)
        assert await service.start_told() == ("WAITING_FOR_SERVER", NOON)
        assert await service.starts_of_instances() == [("WAITING_FOR_SERVER", NOON)]

    async def test_instance_for_which_no_server_was_looked_for_is_being_scheduled(self, service: Watched) -> None:
        await set_server(service.database, max_instances=0)
        await service.scale(1)
        await service.change(Instance, waiting_reason=None)
        assert await service.start_told() == ("SCHEDULING", NOON)

    async def test_service_tells_the_instance_that_is_furthest_and_that_another_waits(
        self, service: Watched, clock: ManualClock
    ) -> None:
        await set_server(service.database, max_instances=1)
        await service.scale(1)
        clock.advance(timedelta(seconds=2))
        await service.scale(2)
        assert await service.start_told() == ("PREPARING", NOON)
        assert await service.starts_of_instances() == [("PREPARING", NOON), ("WAITING_FOR_SERVER", after(2))]
        status = await service.read("/status")
        assert (status["state"], status["waiting"]["reason"]) == ("STARTING", "NotEnoughRoom")

    async def test_of_equally_far_instances_the_first_request_counts(
        self, service: Watched, clock: ManualClock
    ) -> None:
        await service.scale(1)
        clock.advance(timedelta(seconds=2))
        await service.scale(2)
        assert await service.start_told() == ("PREPARING", NOON)

    async def test_service_with_one_instance_that_runs_does_not_start(self, service: Watched) -> None:
        await service.scale(2)
        first, _ = await service.numbers()
        await service.run(first)
        assert (await service.read(""))["state"] == "RUNNING"
        assert await service.start_told() is None
        assert await service.starts_of_instances() == [None, ("PREPARING", NOON)]

    @pytest.mark.parametrize("phase", [P.BACKOFF, P.REFUSED, P.EXITED, P.STOPPING])
    async def test_instance_that_has_ended_does_not_start(self, service: Watched, phase: P) -> None:
        await service.scale(1)
        (number,) = await service.numbers()
        await service.agent.beat(report(number, phase, exit_code=1))
        assert (await service.start_told(), await service.starts_of_instances()) == (None, [None])

    async def test_nothing_is_known_to_start_on_a_silent_server(self, service: Watched, clock: ManualClock) -> None:
        await service.scale(1)
        clock.advance(timedelta(seconds=31))
        assert (await service.start_told(), await service.starts_of_instances()) == (None, [None])
        await service.agent.beat()
        assert await service.start_told() == ("PREPARING", NOON)

    async def test_external_instance_does_not_start_before_it_connects(self, service: Watched) -> None:
        made = await service.client.post(f"{MODEL}/external", headers=service.world.owner)
        assert made.status_code == 200, made.text
        assert (await service.start_told(), await service.starts_of_instances()) == (None, [None])

    async def test_instance_that_is_stopped_does_not_start(self, service: Watched) -> None:
        await service.scale(1)
        await service.scale(0)
        assert (await service.start_told(), await service.starts_of_instances()) == (None, [None])


class TestSince:
    async def test_time_of_the_wait_for_a_server_belongs_to_the_start(
        self, service: Watched, clock: ManualClock, reconciler: Reconciler
    ) -> None:
        await set_server(service.database, max_instances=0)
        await service.scale(1)
        clock.advance(timedelta(seconds=20))
        await set_server(service.database, max_instances=None)
        await reconciler.turn()
        assert await service.start_told() == ("PREPARING", NOON)

    async def test_restart_after_a_crash_begins_with_the_restart(self, service: Watched, clock: ManualClock) -> None:
        await service.scale(1)
        (number,) = await service.numbers()
        stream = service.gate.connected(number)
        await service.agent.beat(report(number, P.RUNNING))
        await service.told(stream)
        clock.advance(timedelta(hours=1))
        await service.told(service.gate.lost(stream))
        await service.agent.beat(report(number, P.BACKOFF, exit_code=1))
        assert await service.start_told() is None
        clock.advance(timedelta(seconds=10))
        await service.agent.beat(report(number, P.STARTING, restart_count=1))
        clock.advance(timedelta(seconds=5))
        assert await service.start_told() == ("PREPARING", after(3610))

    async def test_instance_that_fails_before_it_ever_answered_is_still_the_same_start(
        self, service: Watched, clock: ManualClock
    ) -> None:
        await service.scale(1)
        (number,) = await service.numbers()
        clock.advance(timedelta(seconds=8))
        await service.agent.beat(report(number, P.BACKOFF, exit_code=1))
        await service.agent.beat(report(number, P.STARTING, restart_count=1))
        assert await service.start_told() == ("PREPARING", NOON)

    async def test_instance_that_loses_its_server_waits_since_then(
        self, service: Watched, clock: ManualClock, reconciler: Reconciler
    ) -> None:
        await service.scale(1)
        (number,) = await service.numbers()
        stream = service.gate.connected(number)
        await service.agent.beat(report(number, P.RUNNING))
        await service.told(stream)
        clock.advance(timedelta(hours=1))
        await service.told(service.gate.lost(stream))
        await set_server(service.database, max_instances=0)
        await service.change(Instance, server_id=987_654)
        await reconciler.turn()
        clock.advance(timedelta(seconds=5))
        assert await service.start_told() == ("WAITING_FOR_SERVER", after(3600))


class TestUsualSeconds:
    async def usual(self, service: Watched) -> list[float | None]:
        """Returns what the service tells, and then each of its instances."""
        rows = (await service.read("/instance"))["instances"]
        return [(await service.read(""))["start"]["usualSeconds"], *(row["start"]["usualSeconds"] for row in rows)]

    async def test_it_is_unknown_at_first_then_as_the_owner_states_and_then_measured(
        self, service: Watched, clock: ManualClock
    ) -> None:
        await service.scale(1)
        assert await self.usual(service) == [None, None]
        body = {"modelName": "greeting", "startTimeSec": 42}
        changed = await service.client.post(MODEL, json=body, headers=service.world.owner)
        assert changed.status_code == 200, changed.text
        assert await self.usual(service) == [42, 42]
        (number,) = await service.numbers()
        clock.advance(timedelta(seconds=4))
        await service.run(number)
        await service.scale(0)
        await service.agent.beat(report(number, P.EXITED))
        await service.scale(1)
        assert await self.usual(service) == [4, 4]

    async def test_instance_that_answers_no_calls_has_its_start_and_no_usual_time(self, service: Watched) -> None:
        body = {"modelName": "greeting", "startTimeSec": 42}
        await service.client.post(MODEL, json=body, headers=service.world.owner)
        await service.start(InstancePurpose.FIT)
        (row,) = (await service.read("/instance"))["instances"]
        assert (read_start(row["start"]), row["start"]["usualSeconds"]) == (("PREPARING", NOON), None)
        assert await service.start_told() is None


class TestReaders:
    async def test_visitor_and_caller_see_the_phase_and_nothing_of_servers(self, service: Watched) -> None:
        settings = {"isPublic": True, "publicTestingAllowed": True}
        url = f"{MODEL}/public-settings"
        assert (await service.client.post(url, json=settings, headers=service.world.owner)).status_code == 200
        await set_server(service.database, max_instances=0)
        await service.scale(1)
        start = {
            "phase": "WAITING_FOR_SERVER",
            "since": (await service.read(""))["start"]["since"],
            "usualSeconds": None,
        }
        visitor = (await service.client.get(MODEL)).json()
        caller = (await service.client.get(f"{MODEL}/status", headers=service.world.stranger)).json()
        assert (visitor["start"], caller["start"], caller["waiting"]) == (start, start, None)

    async def test_private_service_of_another_account_is_missing(self, service: Watched) -> None:
        await service.scale(1)
        answer = await service.client.get(MODEL, headers=service.world.stranger)
        assert (answer.status_code, "start" in answer.json()) == (404, False)

    async def test_list_tells_each_service_its_own_start_without_a_statement_more(
        self, service: Watched, clock: ManualClock, statements: Statements
    ) -> None:
        async def listed() -> dict[str, tuple[str, datetime] | None]:
            statements.clear()
            answer = await service.client.get(f"{ACCOUNT}/model", headers=service.world.owner)
            return {record["modelName"]: read_start(record["start"]) for record in answer.json()["records"]}

        await service.scale(1)
        await listed()
        assert await listed() == {"greeting": ("PREPARING", NOON)}
        before = len(statements.seen)
        image = (await service.read(""))["image"]["id"]
        for name in ("second", "third"):
            body = {"modelName": name, "hostingType": "HOSTING_SERVER", "imageAccountId": image["accountId"]}
            made = await service.client.post(
                f"{ACCOUNT}/model", json=body | {"imageId": image["imageId"]}, headers=service.world.owner
            )
            assert made.status_code == 200, made.text
        clock.advance(timedelta(seconds=5))
        started = await service.client.post(f"{ACCOUNT}/model/second/instances", json=1, headers=service.world.owner)
        assert started.status_code == 200, started.text
        shown = await listed()
        assert shown == {"greeting": ("PREPARING", NOON), "second": ("PREPARING", after(5)), "third": None}
        assert len(statements.seen) == before
