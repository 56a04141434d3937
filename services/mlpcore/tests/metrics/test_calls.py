"""What gates report of calls adds up to one truth, whatever happens to the reports."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.metrics.gate_reports import periods_of
from mlpcore.features.metrics.loops import Measures
from mlpcore.state import CoreState
from mlplace_contracts.events import CallerSample
from mlplace_kit.clock import ManualClock, to_milliseconds
from mlplace_testing.gate_samples import Gate, sample
from mlplace_testing.world import World

from .names import ACME, Hear

pytestmark = pytest.mark.own_database  # it has partitions
PassTime = Callable[[timedelta], Awaitable[None]]


async def total(
    client: httpx.AsyncClient, world: World, name: str, *, minutes: int = 60, step: int = 60
) -> tuple[float, list[float]]:
    query = {"metrics": name, "minutes": minutes, "stepSeconds": step}
    answer = await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=world.owner)
    assert answer.status_code == 200, answer.text
    values = [point["v"] for point in answer.json()[name]]
    return sum(values), values


class TestSums:
    async def test_reports_of_two_gates_add_up(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        one, two = Gate(), Gate()
        await hear(
            one.report(clock.now(), sample(model_id, answered=3, failed=1)),
            two.report(clock.now(), sample(model_id, answered=4), sample(model_id, instance_id=6, answered=5)),
        )
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT"))[0] == 12
        assert (await total(client, publisher, "MODEL_FAILED_REQUESTS_COUNT"))[0] == 1

    async def test_report_some_milliseconds_after_the_end_of_a_period_belongs_to_it(self) -> None:
        end = datetime(2026, 3, 2, 12, 0, 10, tzinfo=UTC)
        for late in (timedelta(0), timedelta(milliseconds=3), timedelta(milliseconds=-3)):
            report = Gate().report(end + late)
            assert periods_of(report, end + timedelta(seconds=1)) == [end - timedelta(seconds=10)]
        long = Gate().report(end + timedelta(milliseconds=3), seconds=30)
        assert periods_of(long, end + timedelta(seconds=1)) == [end - timedelta(seconds=n) for n in (30, 20, 10)]

    async def test_report_counts_once_in_another_event_and_in_the_same_batch(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        gate = Gate()
        report = gate.report(clock.now(), sample(model_id, answered=3))
        await hear(report, report)
        await hear(report)
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT"))[0] == 3

    async def test_reports_count_in_any_order(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        gate = Gate()
        first = gate.report(clock.now() - timedelta(seconds=10), sample(model_id, answered=1))
        await hear(gate.report(clock.now(), sample(model_id, answered=2)))
        await hear(first)
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", step=10))[1] == [1, 2]

    async def test_restarted_gate_makes_no_negative_number_and_no_gap(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        before, after = Gate(), Gate()
        start = clock.now()
        await hear(before.report(start, sample(model_id, answered=1000)))
        clock.advance(timedelta(seconds=10))
        await hear(after.report(clock.now(), sample(model_id, answered=2)))
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", step=10))[1] == [1000, 2]

    async def test_time_without_calls_is_zero_and_time_without_reports_is_absent(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        gate = Gate()
        start = clock.now()
        await hear(gate.report(start, sample(model_id, answered=1)))
        clock.advance(timedelta(seconds=10))
        await hear(gate.report(clock.now()))
        clock.advance(timedelta(seconds=290))
        await hear(gate.report(clock.now()))
        query = {"metrics": "MODEL_SUCCESS_REQUESTS_COUNT", "minutes": 10, "stepSeconds": 10}
        answer = await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=publisher.owner)
        points = answer.json()["MODEL_SUCCESS_REQUESTS_COUNT"]
        assert [(point["ts"] - to_milliseconds(start)) // 1000 for point in points] == [-10, 0, 290]
        assert [point["v"] for point in points] == [1, 0, 0]

    async def test_report_of_a_clock_that_runs_ahead_counts_now(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        await hear(Gate().report(clock.now() + timedelta(hours=3), sample(model_id, answered=1)))
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", minutes=1))[0] == 1

    async def test_report_that_is_too_late_is_dropped(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        await hear(Gate().report(clock.now() - timedelta(hours=7), sample(model_id, answered=1)))
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", minutes=10_000))[0] == 0


class TestBadNumbers:
    async def test_impossible_numbers_of_a_gate_are_bounded_and_others_still_count(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        huge = 2**80
        bad = sample(
            model_id, answered=huge, failed=-5, active_ms=huge, timed=1, min_ms=-7, max_ms=huge, time_ms=huge, waited=1,
            max_wait_ms=huge, time_buckets=(huge, -3, 40_000), time_counts=(1, huge, 1), wait_buckets=(huge,),
            wait_counts=(-1,),
        )  # fmt: skip
        callers = (CallerSample(account_id=huge, calls=huge, exceeded=-1),)
        strange = [sample(huge, answered=1), sample(-1, answered=1), sample(model_id, instance_id=huge, answered=1)]
        await hear(Gate().report(clock.now(), bad, *strange, callers=callers))
        query = {
            "metrics": ["MODEL_SUCCESS_REQUESTS_COUNT", "MODEL_FAILED_REQUESTS_COUNT", "MODEL_MIN_REQUEST_TIME"],
            "minutes": "1",
        }
        answer = await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=publisher.owner)
        values = {name: [point["v"] for point in points] for name, points in answer.json().items()}
        assert values == {
            "MODEL_SUCCESS_REQUESTS_COUNT": [10**12], "MODEL_FAILED_REQUESTS_COUNT": [0], "MODEL_MIN_REQUEST_TIME": [0],
        }  # fmt: skip


class TestRollUps:
    async def test_each_tier_has_the_same_sum(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, pass_time: PassTime,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        gate = Gate()
        clock.advance(timedelta(seconds=10))
        for number in range(12):
            await hear(gate.report(clock.now(), sample(model_id, answered=1, active_ms=5000, instance_id=number % 2)))
            clock.advance(timedelta(seconds=10))
        await pass_time(timedelta(minutes=20))
        for minutes in (60, 6 * 60 + 1, 20_000):
            assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", minutes=minutes))[0] == 12, minutes
        _, active = await total(client, publisher, "MODEL_ACTIVE_REQUESTS_COUNT", minutes=20_000)
        assert active == [0.5]

    async def test_late_report_changes_the_tiers_that_were_added_up(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, pass_time: PassTime,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        gate, start = Gate(), clock.now()
        await hear(gate.report(start, sample(model_id, answered=1)))
        await pass_time(timedelta(minutes=40))
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", minutes=20_000))[0] == 1
        await hear(gate.report(start, sample(model_id, answered=2)))
        await pass_time(timedelta(minutes=1))
        assert (await total(client, publisher, "MODEL_SUCCESS_REQUESTS_COUNT", minutes=20_000))[0] == 3

    async def test_packed_day_says_the_same_as_its_rows(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, pass_time: PassTime,
        clock: ManualClock, state: CoreState,
    ) -> None:  # fmt: skip
        gate = Gate()
        for _ in range(3):
            await hear(
                gate.report(
                    clock.now(),
                    sample(model_id, answered=2, timed=2, time_ms=300, min_ms=100, max_ms=200, time_buckets=(26, 30),
                           time_counts=(1, 1)),
                )
            )  # fmt: skip
            await pass_time(timedelta(hours=1))
        names = ["MODEL_SUCCESS_REQUESTS_COUNT", "MODEL_AVERAGE_REQUEST_TIME", "MODEL_MAX_REQUEST_TIME",
                 "MODEL_P95_REQUEST_TIME"]  # fmt: skip
        query = {"metrics": names, "minutes": 20_000, "stepSeconds": 900}
        rows = (await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=publisher.owner)).json()
        assert rows["MODEL_AVERAGE_REQUEST_TIME"][0]["v"] == 150
        for _ in range(9):
            await pass_time(timedelta(hours=12))
        async with state.database.transaction() as session:
            assert not await session.scalar(sa.text("SELECT count(*) FROM call_quarter"))
        packed = (await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=publisher.owner)).json()
        assert packed == rows

    async def test_old_partitions_are_dropped(
        self, publisher: World, model_id: int, hear: Hear, pass_time: PassTime, clock: ManualClock, state: CoreState
    ) -> None:
        await hear(Gate().report(clock.now(), sample(model_id, answered=1)))
        counted = sa.text("SELECT (SELECT count(*) FROM call_sample), (SELECT count(*) FROM call_minute)")
        await pass_time(timedelta(minutes=2))
        async with state.database.transaction() as session:
            assert tuple((await session.execute(counted)).one()) == (1, 1)
        await pass_time(timedelta(hours=9))
        async with state.database.transaction() as session:
            assert tuple((await session.execute(counted)).one()) == (0, 1)
        await pass_time(timedelta(days=10))
        async with state.database.transaction() as session:
            assert tuple((await session.execute(counted)).one()) == (0, 0)

    async def test_maintenance_twice_changes_nothing(self, measures: Measures, state: CoreState) -> None:
        await measures.keep_partitions()
        text = sa.text("SELECT maintain_sample_partitions(:now)").bindparams(now=state.clock.now())
        async with state.database.transaction() as session:
            assert await session.scalar(text) == 0


class TestTimes:
    async def test_instant_values_are_those_of_the_last_minute(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        gate = Gate()
        for number in range(6):
            moment = clock.now() - timedelta(seconds=50 - 10 * number)
            timed = {"timed": 2, "time_ms": 20 * (number + 1), "min_ms": 1, "max_ms": 90, "answered": 2, "refused": 1}
            waits = {"waited": 1, "wait_ms": 60, "max_wait_ms": 60, "active_ms": 20_000, "waiting_ms": 5_000}
            await hear(gate.report(moment, sample(model_id, **timed, **waits)))
        names = ["SUCCESS_REQUESTS_COUNT", "REFUSED_REQUESTS_COUNT", "ACTIVE_REQUESTS_COUNT", "WAITING_REQUESTS_COUNT",
                 "AVERAGE_REQUEST_TIME", "MIN_REQUEST_TIME", "MAX_REQUEST_TIME", "INSTANT_REQUEST_TIME",
                 "AVERAGE_QUEUE_TIME", "P95_REQUEST_TIME", "CPU_USAGE"]  # fmt: skip
        query = {"metrics": [f"MODEL_{name}" for name in names]}
        answer = await client.get(f"{ACME}/model/ner/metric", params=query, headers=publisher.owner)
        assert answer.json() == {
            "MODEL_SUCCESS_REQUESTS_COUNT": 12, "MODEL_REFUSED_REQUESTS_COUNT": 6, "MODEL_ACTIVE_REQUESTS_COUNT": 2,
            "MODEL_WAITING_REQUESTS_COUNT": 0.5, "MODEL_AVERAGE_REQUEST_TIME": 35, "MODEL_MIN_REQUEST_TIME": 1,
            "MODEL_MAX_REQUEST_TIME": 90, "MODEL_INSTANT_REQUEST_TIME": 60, "MODEL_AVERAGE_QUEUE_TIME": 20,
        }  # fmt: skip

    async def test_percentiles_come_from_all_gates_together(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        fast = sample(model_id, answered=99, timed=99, time_buckets=(1,), time_counts=(99,))
        slow = sample(model_id, answered=1, timed=1, time_buckets=(38,), time_counts=(1,), waited=1,
                      wait_buckets=(26,), wait_counts=(1,))  # fmt: skip
        await hear(Gate().report(clock.now(), fast), Gate().report(clock.now(), slow))
        query = {"metrics": ["MODEL_P50_REQUEST_TIME", "MODEL_P99_REQUEST_TIME", "MODEL_P95_QUEUE_TIME"]}
        values = (await client.get(f"{ACME}/model/ner/metric", params=query, headers=publisher.owner)).json()
        assert values["MODEL_P50_REQUEST_TIME"] == 1
        assert values["MODEL_P99_REQUEST_TIME"] == 1
        assert 95 <= values["MODEL_P95_QUEUE_TIME"] <= 115


class TestCallers:
    async def test_account_sees_its_calls_per_minute_and_those_over_its_limit(
        self, client: httpx.AsyncClient, publisher: World, hear: Hear, clock: ManualClock
    ) -> None:
        callers = (CallerSample(account_id=publisher.acme.account_id, calls=50, exceeded=20),)
        await hear(Gate().report(clock.now(), callers=callers))
        query = {"metrics": ["ACCOUNT_PREDICTS_COUNT_PER_MINUTE_TOTAL", "ACCOUNT_PREDICTS_COUNT_PER_MINUTE_EXCEEDED",
                             "ACCOUNT_FITS_COUNT_PER_MINUTE_TOTAL"]}  # fmt: skip
        answer = await client.get(f"{ACME}/metric", params=query, headers=publisher.owner)
        assert answer.json() == {
            "ACCOUNT_PREDICTS_COUNT_PER_MINUTE_TOTAL": 300, "ACCOUNT_PREDICTS_COUNT_PER_MINUTE_EXCEEDED": 120,
        }  # fmt: skip
        stranger = await client.get("/api/mlpcore/account/globex/metric", params=query, headers=publisher.stranger)
        assert stranger.json()["ACCOUNT_PREDICTS_COUNT_PER_MINUTE_TOTAL"] == 0


class TestUse:
    async def test_open_stream_is_a_use_of_its_model(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, hear: Hear, clock: ManualClock
    ) -> None:
        async def used() -> int | None:
            return (await client.get(f"{ACME}/model/ner", headers=publisher.owner)).json()["lastActivity"]

        gate = Gate()
        await hear(gate.report(clock.now(), sample(model_id, reconnects=1)))
        assert await used() is None
        await hear(gate.report(clock.now(), sample(model_id, active_ms=10_000)))
        assert await used() == to_milliseconds(clock.now())
