"""The decision code drives services through hours of load on a virtual clock."""

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from mlpcore.features.scaling_rules.decision import Kind
from mlpcore.features.scaling_rules.rules import Measure, Rules
from mlpcore.features.scaling_rules.schedule import Period

from .simulator import START, Service

COOLDOWN = timedelta(minutes=5)
RULES = Rules(least=1, most=20, cooldown=COOLDOWN, up={Measure.ACTIVE: 3.0}, down={Measure.ACTIVE: 1.0})
HOUR = 3600
CAPACITY = 8.0
"""Calls per second that an instance of the simulator serves."""


def held(service: Service, *, within: timedelta = COOLDOWN) -> None:
    """Checks what must always hold."""
    rules = service.rules
    floor = 0 if rules.idle is not None and rules.least == 0 else max(1, rules.least)
    assert all(floor <= count <= rules.most for count in service.counts[20:])
    assert service.most_turns(within) <= 2


class TestLoads:
    def test_steady_load_changes_nothing_after_it_is_served(self) -> None:
        service = Service(RULES, lambda _: 20.0)
        service.run(2 * HOUR)
        held(service)
        assert len(service.changes) <= 2
        assert service.backlogs[-1] == 0

    @pytest.mark.parametrize("rules", [RULES, replace(RULES, up={Measure.REQUESTS: 300}, down={Measure.REQUESTS: 100})])
    def test_step_of_ten_times_the_load_is_served_within_two_decisions(self, rules: Rules) -> None:
        service = Service(rules, lambda at: 4.0 if at < 1800 else 40.0)
        service.run(HOUR)
        held(service)
        after = [(at, by) for at, by in service.changes if 1800 <= at < 2400]
        assert after
        second = after[:2][-1][0]
        assert service.counts[int(second) + 1] * CAPACITY >= 40
        assert service.backlogs[2399] == 0

    def test_end_of_the_step_is_followed_slowly(self) -> None:
        service = Service(RULES, lambda at: 60.0 if at < 1800 else 2.0)
        service.run(2 * HOUR)
        held(service)
        assert service.counts[1790] >= 8
        assert service.counts[-1] == 1
        downs = [at for at, by in service.changes if by < 0]
        assert all(later - earlier >= COOLDOWN.total_seconds() for earlier, later in pairwise(downs))

    def test_spike_costs_one_step_up(self) -> None:
        service = Service(RULES, lambda at: 120.0 if 1800 <= at < 1830 else 3.0)
        service.run(2 * HOUR)
        held(service)
        assert service.counts[-1] == 1

    def test_sine_is_followed(self) -> None:
        service = Service(RULES, lambda at: 40 + 36 * math.sin(2 * math.pi * at / HOUR))
        service.run(4 * HOUR)
        held(service)
        assert max(service.counts) >= 9
        assert min(service.counts[HOUR:]) <= 5
        assert sum(backlog > 0 for backlog in service.backlogs[600:]) < 0.02 * 4 * HOUR

    def test_bursts_shorter_than_the_window_do_not_flap(self) -> None:
        service = Service(RULES, lambda at: 50.0 if at % 45 < 5 else 0.5)
        service.run(2 * HOUR)
        held(service)

    def test_random_load_never_leaves_the_bounds(self) -> None:
        for seed in range(20):
            source = random.Random(seed)
            levels = [source.choice((0.0, 1.0, 10.0, 50.0, 200.0)) for _ in range(40)]
            service = Service(RULES, lambda at, levels=levels: levels[int(at) // 180 % len(levels)])
            service.run(2 * HOUR)
            held(service)

    def test_queue_alone_adds_what_it_lacks(self) -> None:
        rules = replace(RULES, up={Measure.QUEUE_TIME: 500}, down={Measure.QUEUE_TIME: 50})
        service = Service(rules, lambda at: 4.0 if at < 600 else 30.0)
        service.run(HOUR)
        held(service)
        assert service.backlogs[-1] == 0


class TestTrouble:
    def test_instance_that_dies_while_starting_is_not_started_twice(self) -> None:
        service = Service(RULES, lambda at: 4.0 if at < 600 else 20.0, dies=lambda number, at: number == 1 and at < 900)
        service.run(HOUR)
        held(service)
        assert max(service.counts) <= 8  # the load needs 3, and the queue of five minutes has to go
        assert service.backlogs[-1] == 0

    def test_silent_gates_change_nothing(self) -> None:
        service = Service(RULES, lambda _: 20.0, silent=lambda at: 1200 <= at < 1500)
        service.run(HOUR)
        held(service)
        assert [at for at, _ in service.changes if 1215 <= at < 1500] == []
        assert service.backlogs[-1] == 0

    @pytest.mark.parametrize("jump", [-HOUR, HOUR])
    def test_clock_that_is_set_neither_blocks_nor_flaps(self, jump: int) -> None:
        service = Service(
            RULES,
            lambda at: 4.0 if at < 2000 else 40.0,
            clock=lambda at: START + timedelta(seconds=at + (jump if at >= 1900 else 0)),
        )
        service.run(HOUR)
        assert service.backlogs[-1] == 0
        assert len(service.turns) <= 2


class TestIdle:
    def test_unused_model_sleeps_and_a_call_wakes_it(self) -> None:
        rules = replace(RULES, least=0, idle=timedelta(minutes=10))
        service = Service(rules, lambda at: 1.0 if at < 300 or 3000 <= at < 3100 else 0.0)
        service.run(HOUR)
        asleep = [at for at, count in enumerate(service.counts) if count == 0]
        assert 300 + 599 <= asleep[0] <= 300 + 600 + 15
        assert service.counts[3010] == 1

    def test_minimum_keeps_it_awake(self) -> None:
        service = Service(replace(RULES, least=1, idle=timedelta(minutes=10)), lambda _: 0.0)
        service.run(HOUR)
        assert Kind.SLEEP not in service.kinds()


class TestSchedules:
    def test_bounds_change_to_the_minute(self) -> None:
        zone = ZoneInfo("Europe/Berlin")
        rules = Rules(
            least=1, most=2, periods=(Period(time(8), time(18), 4, 6), Period(time(22), time(2), 3, 3)), zone=zone
        )
        day = datetime(2026, 3, 2, tzinfo=zone)
        for minute in range(24 * 60):
            now = day + timedelta(minutes=minute)
            hour = minute // 60
            expected = (4, 6) if 8 <= hour < 18 else (3, 3) if hour >= 22 or hour < 2 else (1, 2)
            bounds = rules.bounds(now.astimezone(UTC))
            assert (bounds.least, bounds.most) == expected, now

    @pytest.mark.parametrize(
        ("moment", "inside"),
        [
            ("2026-03-29T00:59:59+00:00", False),  # 01:59:59, before the clocks go forward
            ("2026-03-29T01:00:00+00:00", True),  # 03:00: half past two does not occur
            ("2026-10-25T00:29:59+00:00", False),  # 02:29:59
            ("2026-10-25T00:30:00+00:00", True),  # 02:30 for the first time
            ("2026-10-25T01:00:00+00:00", False),  # 02:00 for the second time
            ("2026-10-25T01:30:00+00:00", True),  # 02:30 for the second time
            ("2026-10-25T03:00:00+00:00", False),  # 04:00
        ],
    )
    def test_clock_on_the_wall_counts_when_it_is_changed(self, moment: str, inside: bool) -> None:
        rules = Rules(least=1, most=1, periods=(Period(time(2, 30), time(4), 5, 5),), zone=ZoneInfo("Europe/Berlin"))
        assert (rules.bounds(datetime.fromisoformat(moment)).least == 5) is inside

    def test_period_starts_and_ends_instances(self) -> None:
        rules = replace(RULES, least=1, most=2, periods=(Period(time(0, 30), time(1), 4, 8),))
        service = Service(rules, lambda _: 1.0)
        service.run(2 * HOUR)
        changes = dict(service.changes)
        assert changes[1800 + 14] == 3
        assert service.counts[1814:3600] == [4] * (3600 - 1814)
        assert service.counts[3615] == 2
