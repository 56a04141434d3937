"""The loop of autoscaling with samples of gates, on a real database."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.autoscaling.changes import Applied, Changes, Finding
from mlpcore.features.autoscaling.loops import forget_decisions
from mlpcore.features.autoscaling.scaler import Autoscaler
from mlpcore.features.autoscaling.tables import ModelScaling
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.scaling_rules.tables import ScalingDecision
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState
from mlplace_contracts.events import GateMembersChanged, ModelScaled, WakeUpWanted
from mlplace_testing.events import published
from mlplace_testing.gate_samples import Gate, sample

from .conftest import ACCOUNT, MODEL, Site

pytestmark = pytest.mark.own_database  # it has partitions
UP = {"scaleUpActiveRequestsThreshold": 3, "scaleDownActiveRequestsThreshold": 1}
BUSY = {"answered": 100, "active_ms": 80_000}
"""Eight calls in progress on average."""
PERIOD = {"startTime": {"hour": 8, "minute": 0}, "endTime": {"hour": 18, "minute": 30}}
CALM = {"answered": 5, "active_ms": 2_000}
INTERNAL = {"modelName": "greeting", "hostingType": "INTERNAL"}


class LateChanges(Changes):
    """Somebody else changes something after the model was read and before its decision is applied."""

    def __init__(self, state: CoreState, change: Callable[[], Awaitable[None]]) -> None:
        super().__init__(state)
        self._change = change

    async def apply(self, finding: Finding) -> Applied:
        await self._change()
        return await super().apply(finding)


async def decisions(site: Site) -> list[ScalingDecision]:
    async with site.state.database.transaction() as session:
        found = await session.scalars(sa.select(ScalingDecision).order_by(ScalingDecision.decision_id))
        return list(found)


def _left_out() -> float | None:
    return REGISTRY.get_sample_value("mlp_core_scaling_gates_left_out")


async def operations(site: Site) -> list[tuple[str, str]]:
    async with site.state.database.transaction() as session:
        rows = await session.execute(sa.select(Task.operation, Task.status).order_by(Task.task_id))
        return [(row[0], row[1]) for row in rows]


async def running(site: Site, **scaling: object) -> None:
    await site.configure(**scaling)
    await site.request(1)
    await site.connect()


class TestUp:
    async def test_load_above_a_threshold_adds_what_is_missing_and_stores_the_numbers(self, site: Site) -> None:
        await running(site, **UP)
        site.clock.advance(timedelta(minutes=5))
        await site.measure(**BUSY)
        assert await site.decide() == 3  # 8 calls in progress, 3 for each instance
        (decision,) = await decisions(site)
        assert (decision.kind, decision.reason, decision.before, decision.after) == (
            "SCALE_UP", "activeRequests", 1, 3,
        )  # fmt: skip
        assert decision.numbers["values"] == {
            "activeRequests": 8.0, "requestsPerMinute": 600.0, "queueTimeMs": 0.0,
        }  # fmt: skip
        assert (decision.connected, decision.least, decision.most, decision.scheduled) == (1, 1, 5, False)
        assert (await operations(site))[-1][0] == "SCALE_UP"
        event = (await published(site.state.database, ModelScaled))[-1]
        assert (event.decision_id, event.kind, event.before, event.after) == (decision.decision_id, "SCALE_UP", 1, 3)
        logs = await site.read("/logs")
        assert [log["args"]["after"] for log in logs if log["code"] == "MODEL_SCALED"] == [3]

    async def test_cooldown_passes_between_two_steps(self, site: Site) -> None:
        await running(site, **UP)
        await site.measure(**BUSY)
        assert await site.decide() == 1
        await site.measure(300, **BUSY)
        assert await site.decide() == 3

    async def test_instances_that_start_count(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 3
        await site.measure(**BUSY)
        assert await site.decide() == 3

    async def test_calls_that_their_callers_left_are_no_requests(self, site: Site) -> None:
        await running(site, scaleUpRequestsPerMinuteThreshold=10, cooldownDurationMinutes=0)
        await site.measure(refused=1000)
        assert await site.decide() == 1
        await site.measure(failed=10)
        assert await site.decide() > 1

    async def test_maximum_holds_and_is_told_once(self, site: Site) -> None:
        await running(site, **UP, maxInstanceCount=2, cooldownDurationMinutes=0)
        for expected in (2, 2, 2):
            await site.measure(**BUSY)
            assert await site.decide() == expected
            await site.connect()
        assert [(each.kind, each.reason) for each in await decisions(site)] == [
            ("SCALE_UP", "activeRequests"), ("HELD", "maximum"),
        ]  # fmt: skip

    async def test_silent_gates_change_nothing(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        site.clock.advance(timedelta(seconds=40))
        assert await site.decide() == 1

    async def test_nothing_is_decided_while_the_report_of_one_gate_is_missing(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 3
        await site.connect()
        gates = GateMembersChanged(members=("gate:1", "gate:2"), occurred_at=site.clock.now())
        await site.told("mlpcore.connections", gates)
        await site.measure(**CALM)
        assert await site.decide() == 3
        late = Gate()
        for age in range(52, 0, -10):
            ended_at = site.clock.now() - timedelta(seconds=age)
            await site.hear(late.report(ended_at, sample(site.model_id, **CALM)))
        site.clock.advance(timedelta(seconds=15))
        assert await site.decide() == 2

    async def test_gate_without_a_report_for_five_minutes_is_left_out_until_it_reports(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        hung = Gate()
        await site.measure(**CALM)
        gates = GateMembersChanged(members=("gate:1", "gate:2"), occurred_at=site.clock.now())
        await site.told("mlpcore.connections", gates)
        await site.hear(hung.report(site.clock.now(), sample(site.model_id, **CALM)))
        for _ in range(4):
            await site.measure(**BUSY)
            assert await site.decide() == 1
        assert _left_out() == 0
        await site.measure(**BUSY)
        with capture_logs() as logs:
            assert await site.decide() == 3
        assert [entry["log_level"] for entry in logs if entry["event"] == "scaling_gates_left_out"] == ["warning"]
        assert _left_out() == 1
        await site.hear(hung.report(site.clock.now(), sample(site.model_id, **CALM)))
        site.clock.advance(timedelta(seconds=15))
        await site.decide()
        assert _left_out() == 0

    async def test_processor_time_of_all_instances_counts(self, site: Site) -> None:
        await running(site, scaleUpCpuThresholdMilliCores=100, cooldownDurationMinutes=0)
        await site.measure(**CALM)
        assert await site.decide() == 1
        async with site.state.database.transaction() as session:
            await session.execute(
                sa.text(
                    "INSERT INTO gauge_sample (kind, owner_id, start, subject_id, figures) SELECT 1, :model, start, 1, "
                    "ARRAY[250,1,1,0,0,0,1,0,0,0,0,0]::real[] FROM sample_period WHERE seconds = 10"
                ),
                {"model": site.model_id},
            )
        await site.measure(20, **CALM)
        assert await site.decide() == 3


class TestDown:
    async def test_low_load_removes_the_newest_starting_one_first(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 3
        connected = await site.connect()
        await site.measure(**CALM)
        assert await site.decide() == 2
        rows = (await site.read("/instance"))["instances"]
        assert [row["id"] for row in rows if row["statusInfo"]["isDeleted"]] == [max(connected)]
        assert (await decisions(site))[-1].kind == "SCALE_DOWN"
        assert (await operations(site))[-1][0] == "SCALE_DOWN"

    async def test_number_sinks_although_a_limit_refuses_what_the_model_lacks(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 3
        lost = (await site.connect())[1:]
        account = (await site.client.get(ACCOUNT, headers=site.world.owner)).json()
        body = {**account["limits"], "baseModelInstanceLimit": 1}
        path = "/api/mlpcore/admin/account/acme/limits"
        assert (await site.client.post(path, json=body, headers=site.world.admin)).status_code == 200
        async with site.state.database.transaction() as session:
            await session.execute(sa.update(Instance).where(Instance.instance_id.in_(lost)).values(state="DELETED"))
        await site.measure(**CALM)
        assert await site.decide() == 2
        await site.measure(**CALM)
        assert await site.decide() == 1

    async def test_minimum_holds(self, site: Site) -> None:
        await running(site, **UP, minInstanceCount=2, cooldownDurationMinutes=0)
        assert await site.requested() == 2
        await site.measure(**CALM)
        assert await site.decide() == 2

    async def test_raised_minimum_applies_at_once(self, site: Site) -> None:
        await running(site, **UP)
        await site.configure(**UP, minInstanceCount=3)
        await site.measure(20, **CALM)
        assert await site.decide() == 3

    async def test_disabled_configuration_keeps_the_minimum(self, site: Site) -> None:
        await running(site, **UP, enabled=False, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 1


class TestIdle:
    async def asleep(self, site: Site) -> None:
        await running(site, minInstanceCount=0, idleTimeMinutes=10)
        await site.measure(600, **CALM)
        assert await site.decide() == 1
        await site.measure(590)
        assert await site.decide() == 1
        await site.measure(60)
        assert await site.decide() == 0

    async def test_unused_model_sleeps(self, site: Site) -> None:
        await self.asleep(site)
        (decision,) = await decisions(site)
        assert (decision.kind, decision.reason) == ("SLEEP", "idle")
        assert decision.numbers["unusedSeconds"] >= 600
        assert (await site.read("/status"))["state"] in {"REMOVING", "SLEEPING"}

    async def test_open_stream_keeps_it_awake(self, site: Site) -> None:
        await running(site, minInstanceCount=0, idleTimeMinutes=10)
        await site.measure(1800, active_ms=10_000)
        assert await site.decide() == 1

    async def test_call_wakes_it(self, site: Site) -> None:
        await self.asleep(site)
        values = {
            "account_id": site.world.acme.account_id, "model_id": site.model_id, "caller_account_id": 7,
            "occurred_at": site.clock.now(),
        }  # fmt: skip
        await site.told("mlpcore.wake-ups", WakeUpWanted.model_validate(values))
        assert await site.requested() == 1
        decision = (await decisions(site))[-1]
        assert (decision.kind, decision.before, decision.after) == ("WAKE_UP", 0, 1)
        assert decision.numbers == {"causeAccountId": 7}
        assert (await operations(site))[-1][0] == "WAKE_UP"


class TestSchedule:
    async def at(self, site: Site, hour: int, minute: int) -> int:
        """Moves to this time in Berlin, which is UTC+1 in winter."""
        now = site.clock.now()
        wanted = now.replace(hour=(hour - 1) % 24, minute=minute, second=0)
        site.clock.advance((wanted - now) % timedelta(days=1))
        return await site.decide()

    async def test_period_starts_a_stopped_model_in_its_zone_and_its_end_stops_instances(self, site: Site) -> None:
        period = {**PERIOD, "minInstances": 2, "maxInstances": 3}
        await site.live_in("Europe/Berlin")
        await running(site, scheduledInstanceCountSettings=[period], maxInstanceCount=1)
        await self.at(site, 7, 58)
        await site.request(0)
        assert await self.at(site, 7, 59) == 0
        assert await self.at(site, 8, 0) == 2
        assert await self.at(site, 18, 29) == 2
        assert await self.at(site, 18, 30) == 1
        assert [(each.kind, each.reason) for each in (await decisions(site))[-2:]] == [
            ("SCALE_UP", "schedule"), ("SCALE_DOWN", "maximum"),
        ]  # fmt: skip

    async def test_other_zone_of_the_account_moves_the_period(self, site: Site) -> None:
        period = {**PERIOD, "minInstances": 2, "maxInstances": 3}
        await running(site, scheduledInstanceCountSettings=[period], maxInstanceCount=1)  # in UTC
        assert await self.at(site, 8, 30) == 1
        await site.live_in("Europe/Berlin")
        assert await self.at(site, 8, 31) == 2
        await site.live_in("UTC")
        assert await self.at(site, 8, 32) == 1
        state = await site.read("/autoscaling")
        assert (state["maxInstances"], state["scheduled"]) == (1, False)

    async def test_owner_may_stop_it_within_a_period(self, site: Site) -> None:
        period = {**PERIOD, "minInstances": 2, "maxInstances": 3}
        await site.live_in("Europe/Berlin")
        await running(site, scheduledInstanceCountSettings=[period])
        assert await self.at(site, 9, 0) == 2
        await site.request(0)
        assert await self.at(site, 10, 0) == 0

    async def test_period_without_instances_stops_them_and_no_call_wakes_the_model(self, site: Site) -> None:
        period = {**PERIOD, "minInstances": 0, "maxInstances": 0}
        await self.at(site, 7, 59)
        await site.live_in("Europe/Berlin")
        await running(site, scheduledInstanceCountSettings=[period])
        assert await self.at(site, 8, 0) == 0
        values = {
            "account_id": site.world.acme.account_id, "model_id": site.model_id, "caller_account_id": 7,
            "occurred_at": site.clock.now(),
        }  # fmt: skip
        await site.told("mlpcore.wake-ups", WakeUpWanted.model_validate(values))
        refused = await site.client.post(f"{MODEL}/instances/single", headers=site.world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.stopped_by_schedule")
        assert await site.requested() == 0
        assert await self.at(site, 18, 30) == 1


class TestNoPlace:
    async def test_instances_without_a_server_become_a_task_that_fails(self, site: Site, runner: TaskRunner) -> None:
        large = {"cpuRequest": "100m", "memoryLimit": "2500Mi", "ephemeralDiskLimit": "100Mi"}
        body = {"modelName": "greeting", "resourceLimits": large}
        assert (await site.client.post(MODEL, json=body, headers=site.world.owner)).status_code == 200
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 3
        for _ in range(2):
            await site.measure(20, **BUSY)
            await site.decide()
        assert [(each.kind, each.reason) for each in await decisions(site)] == [
            ("SCALE_UP", "activeRequests"), ("NEED_SCALE_UP", "place"),
        ]  # fmt: skip
        assert (await decisions(site))[-1].numbers["detail"] == "NotEnoughRoom"
        await runner.turn()
        site.clock.advance(timedelta(minutes=3))
        await runner.turn()
        assert ("NEED_SCALE_UP", "FAILED") in await operations(site)

    async def test_limit_of_the_account_allows_fewer_and_is_told(self, site: Site, runner: TaskRunner) -> None:
        async with site.state.database.transaction() as session:
            await session.execute(sa.update(PlatformAccount).values(base_model_instance_limit=2))
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        assert await site.decide() == 2
        assert [(each.kind, each.reason, each.after) for each in await decisions(site)] == [
            ("SCALE_UP", "activeRequests", 2), ("NEED_SCALE_UP", "limit", 2),
        ]  # fmt: skip
        await site.connect()
        for _ in range(3):
            await site.measure(20, **BUSY)
            assert await site.decide() == 2
        assert len(await decisions(site)) == 2

    async def test_place_that_comes_and_goes_is_told_once_an_hour(self, site: Site) -> None:
        """Another tenant may take and free the last room with every decision."""
        await running(site, **UP, cooldownDurationMinutes=0)

        async def alternates() -> None:
            waits = {"server_id": None, "state": "IDLE", "waiting_reason": "NotEnoughRoom"}
            for values in (waits, {"waiting_reason": None}, waits, {"waiting_reason": None}, waits):
                async with site.state.database.transaction() as session:
                    await session.execute(sa.update(Instance).values(**values))
                await site.measure(20, **CALM)
                await site.scaler.turn()

        await alternates()
        assert [each.kind for each in await decisions(site)] == ["NEED_SCALE_UP"]
        assert [name for name, _ in await operations(site)].count("NEED_SCALE_UP") == 1
        site.clock.advance(timedelta(hours=1))
        await alternates()
        assert [each.kind for each in await decisions(site)] == ["NEED_SCALE_UP"] * 2


class TestClaims:
    async def test_two_processes_decide_once(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        await asyncio.gather(site.scaler.turn(), Autoscaler(site.state).turn())
        assert len(await decisions(site)) == 1

    @pytest.mark.parametrize("meanwhile", ["number", "exchange", "hosting type", "deletion"])
    async def test_what_somebody_else_changed_meanwhile_stays(self, site: Site, meanwhile: str) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)

        async def change() -> None:
            if meanwhile == "number":
                await site.request(2)
                return
            owner = site.world.owner
            if meanwhile == "exchange":
                answer = await site.client.post(f"{MODEL}/rolling-update", headers=owner)
            elif meanwhile == "deletion":
                answer = await site.client.delete(MODEL, headers=owner)
            else:
                answer = await site.client.post(MODEL, json=INTERNAL, headers=owner)
            assert answer.status_code == 200, answer.text

        await Autoscaler(site.state, LateChanges(site.state, change)).turn()
        assert await decisions(site) == []
        async with site.state.database.transaction() as session:
            request = (await session.scalars(sa.select(HostingRequest))).one()
        expected = {"number": 2, "exchange": 1, "hosting type": 1, "deletion": 0}
        assert request.requested == expected[meanwhile]
        if meanwhile == "exchange":
            assert (await operations(site))[-1][1] == "IDLE"

    async def test_exchange_of_instances_is_not_disturbed(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        answer = await site.client.post(f"{MODEL}/rolling-update", headers=site.world.owner)
        assert answer.status_code == 200, answer.text
        await site.measure(**BUSY)
        assert await site.decide() == 1

    async def test_model_that_is_no_longer_automatic_is_forgotten(self, site: Site) -> None:
        await running(site, **UP)
        assert (await site.client.post(MODEL, json=INTERNAL, headers=site.world.owner)).status_code == 200
        await site.scaler.register()
        async with site.state.database.transaction() as session:
            assert (await session.scalars(sa.select(ModelScaling))).all() == []

    async def test_old_decisions_are_deleted(self, site: Site) -> None:
        await running(site, **UP, cooldownDurationMinutes=0)
        await site.measure(**BUSY)
        await site.decide()
        site.clock.advance(timedelta(days=91))
        await forget_decisions(site.state)
        assert await decisions(site) == []
