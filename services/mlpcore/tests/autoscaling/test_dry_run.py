"""What a configuration would have done: the replay on a virtual clock, and the route over recorded samples."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from mlpcore.features.autoscaling.replay import Recorded, Replay, Replayed, ReplayedModel
from mlpcore.features.metrics.loops import Measures
from mlpcore.features.scaling_rules.rules import Measure, Rules
from mlpcore.features.scaling_rules.schedule import Period
from mlpcore.features.servers.tables import Server
from mlplace_testing.work import counted_calls

from .conftest import MODEL, Site

START = datetime(2026, 3, 2, tzinfo=UTC)
RULES = Rules(
    least=1, most=10, cooldown=timedelta(minutes=5), up={Measure.ACTIVE: 3.0}, down={Measure.ACTIVE: 1.0}
)  # fmt: skip
DRY_RUN = f"{MODEL}/autoscaling/dry-run"


def replay(rules: Rules, minutes: list[Recorded], *, calls_at_once: int | None = 4, instances: int = 1) -> Replayed:
    model = ReplayedModel(rules, start_seconds=30, calls_at_once=calls_at_once)
    return Replay(model, start=START, instances=instances).run(minutes)


class TestReplay:
    def test_enough_instances_keep_calls_from_waiting(self) -> None:
        found = replay(RULES, [Recorded(calls=60, call_seconds=1.0)] * 60)
        assert set(found.requested) == {1}
        assert found.instance_hours == pytest.approx(1)
        assert found.wait_quantile(0.95) == 0
        assert found.decisions == []

    def test_step_of_load_adds_instances_and_ends_the_queue(self) -> None:
        calm, busy = Recorded(calls=60, call_seconds=1.0), Recorded(calls=1200, call_seconds=1.0)
        found = replay(RULES, [calm] * 20 + [busy] * 40)
        assert 6 <= max(found.requested) <= 10  # 20 calls at once, 3 for each instance
        assert found.waiting[-1] == 0
        assert (found.wait_quantile(1.0) or 0) > 0
        assert len(found.decisions) <= 3

    def test_fixed_number_makes_calls_wait(self) -> None:
        fixed = Rules(least=1, most=1)
        found = replay(fixed, [Recorded(calls=300, call_seconds=1.0)] * 10)
        # 240 calls a minute are served, so the queue grows by 60 a minute
        assert found.waiting[-1] == pytest.approx(600)
        assert found.wait_quantile(1.0) == pytest.approx(600 / 5, abs=16)

    def test_calls_without_a_limit_at_once_do_not_wait(self) -> None:
        found = replay(Rules(least=1, most=1), [Recorded(calls=9000, call_seconds=1.0)] * 5, calls_at_once=None)
        assert found.wait_quantile(1.0) == 0

    def test_unused_service_sleeps_and_the_first_call_waits_for_the_start(self) -> None:
        rules = Rules(least=0, most=2, idle=timedelta(minutes=10))
        silence, call = Recorded(), Recorded(calls=4, call_seconds=1.0)
        found = replay(rules, [call] * 5 + [silence] * 30 + [call] * 5)
        assert found.requested[5 * 4 + 9 * 4] == 1
        assert found.requested[5 * 4 + 11 * 4] == 0
        assert found.requested[-1] == 1
        assert found.wait_quantile(1.0) == pytest.approx(30)
        assert [(decision.reason, before) for _, decision, before in found.decisions] == [("idle", 1), ("call", 0)]

    def test_open_streams_keep_a_service_awake_and_count_as_active_requests(self) -> None:
        rules = Rules(least=0, most=9, idle=timedelta(minutes=10), cooldown=timedelta(minutes=1), up=RULES.up)
        found = replay(rules, [Recorded(open_calls=6.0)] * 30)
        assert set(found.requested[20:]) == {2}  # 6 streams, 3 for each instance

    def test_schedule_applies(self) -> None:
        rules = Rules(least=1, most=1, periods=(Period(time(0, 10), time(0, 20), 3, 3),))
        found = replay(rules, [Recorded(calls=1, call_seconds=0.1)] * 30)
        assert [found.requested[minute * 4 + 3] for minute in (8, 11, 19, 21)] == [1, 3, 3, 1]

    def test_unknown_minutes_change_nothing(self) -> None:
        busy = Recorded(calls=1200, call_seconds=1.0)
        found = replay(RULES, [busy] * 10 + [Recorded(known=False)] * 20, instances=10)
        assert found.requested[-1] == found.requested[41]

    def test_day_takes_less_than_two_seconds(self) -> None:
        """That is, less than two hundred calls of functions for each of its decisions."""
        minutes = [Recorded(calls=float(number % 700), call_seconds=1.0) for number in range(1440)]
        with counted_calls() as work:
            assert len(replay(RULES, minutes).requested) == 5760
        assert work.calls < 200 * 5760


@pytest.mark.own_database  # it has partitions
class TestRoute:
    async def run(self, site: Site, **configuration: object) -> Any:
        answer = await site.client.post(f"{DRY_RUN}?hours=1", json=configuration, headers=site.world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def price_servers(self, site: Site, *, account_id: int) -> None:
        """24 a day for a server of one core, owned by the account."""
        values = {"tariffication_price": 24, "tariffication_period": "DAY", "milli_cpu": 1000, "ram_mb": 1000}
        async with site.state.database.transaction() as session:
            await session.execute(sa.update(Server).values(**values, account_id=account_id))

    async def test_recorded_load_is_replayed_beside_what_was(self, site: Site) -> None:
        await site.configure(maxInstanceCount=5)
        await site.request(1)
        await site.connect()
        measures = Measures(site.state)
        for _ in range(40):
            await measures.turn()
            await site.measure(
                answered=200, active_ms=200_000, timed=200, time_ms=200_000, waited=20, wait_ms=4000,
                wait_buckets=(30,), wait_counts=(20,),
            )  # fmt: skip
        site.clock.advance(timedelta(seconds=20))
        await measures.turn()
        await self.price_servers(site, account_id=site.world.acme.account_id)
        found = await self.run(site, enabled=True, maxInstanceCount=9, scaleUpActiveRequestsThreshold=4)
        assert found["knownMinutes"] in range(38, 42)
        rates = [value for value in found["requestsPerMinute"] if value][1:-1]
        assert rates == [pytest.approx(1200, rel=0.05)] * len(rates)
        assert len(rates) >= 5
        assert found["simulated"]["mostInstances"] == 5  # 20 calls at once, 4 for each
        assert found["actual"]["mostInstances"] == 1
        assert found["priceOfInstanceHour"] == pytest.approx(0.1)  # a tenth of 1 per hour
        assert found["actual"]["cost"] == pytest.approx(found["actual"]["instanceHours"] * 0.1, abs=0.001)
        assert found["actual"]["p95WaitMs"] == pytest.approx(217, rel=0.2)  # bucket 30 ends at 237 ms
        assert [(each["kind"], each["before"], each["after"]) for each in found["decisions"]] == [("SCALE_UP", 1, 5)]
        assert found["decisionCount"] == 1
        fixed = await self.run(site, enabled=False, minInstanceCount=2)
        # the same minutes as those of what was
        assert fixed["simulated"]["instanceHours"] == pytest.approx(2 * found["actual"]["instanceHours"], abs=0.02)

    async def test_price_of_servers_of_others_is_not_shown(self, site: Site) -> None:
        await self.price_servers(site, account_id=site.world.acme.account_id)
        assert (await self.run(site, enabled=True))["priceOfInstanceHour"] == pytest.approx(0.1)
        await self.price_servers(site, account_id=site.world.acme.account_id + 1)
        assert (await self.run(site, enabled=True))["priceOfInstanceHour"] is None

    async def test_nothing_recorded_is_nothing_known(self, site: Site) -> None:
        found = await self.run(site, enabled=True)
        assert (found["knownMinutes"], found["actual"]["instanceHours"], found["simulated"]["p95WaitMs"]) == (
            0, None, None,
        )  # fmt: skip
        assert found["priceOfInstanceHour"] is None

    async def test_account_has_one_dry_run_at_a_time(self, site: Site) -> None:
        with site.state.calculations.slot(site.world.acme.account_id):
            second = await site.client.post(DRY_RUN, json={"enabled": True}, headers=site.world.owner)
        assert (second.status_code, second.json()["code"]) == (429, "mlp.core.too_many_calculations")
        assert second.headers["retry-after"] == "2"
        third = await site.client.post(DRY_RUN, json={"enabled": True}, headers=site.world.owner)
        assert third.status_code == 200, third.text

    async def test_others_and_invalid_configurations_are_refused(self, site: Site) -> None:
        post = site.client.post
        assert (await post(DRY_RUN, json={})).status_code == 401
        assert (await post(DRY_RUN, json={}, headers=site.world.user)).status_code == 403
        assert (await post(DRY_RUN, json={}, headers=site.world.stranger)).status_code in {403, 404}
        refused = await post(DRY_RUN, json={"timeZone": "Mars"}, headers=site.world.owner)
        assert (refused.status_code, "timeZone" in refused.text) == (400, True)
        other = await post(DRY_RUN, json={"timeZone": "Europe/Berlin"}, headers=site.world.owner)
        assert (other.status_code, other.json()["violations"][0]["rule"]) == (400, "account_time_zone")
        assert (await post(f"{DRY_RUN}?hours=73", json={}, headers=site.world.owner)).status_code == 400
