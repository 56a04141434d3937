"""A year is read from days that are added up. They say what the quarters of an hour say from which they come."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.metrics.kinds import GaugeKind, UseFigure, figures
from mlpcore.features.metrics.loops import Measures
from mlpcore.features.metrics.reading_repository import SampleReader
from mlpcore.features.metrics.repository import SampleRepository
from mlpcore.features.metrics.rollup_repository import RollUpRepository
from mlpcore.features.metrics.spans import range_span
from mlpcore.features.metrics.tables import GAUGES
from mlpcore.features.metrics.tiers import DAILY, DAY, MINUTE, QUARTER, packed_before
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_testing.gate_samples import Gate, sample
from mlplace_testing.world import World

from .names import ACME, Hear

pytestmark = pytest.mark.own_database  # it has partitions
PassTime = Callable[[timedelta], Awaitable[None]]
YEAR_MINUTES = 365 * 24 * 60
MODEL, EARLY, LATE = 7, 21, 22
"""A model and two instances of it, of which one runs after the other."""
NAMES = (
    "MODEL_SUCCESS_REQUESTS_COUNT", "MODEL_ACTIVE_REQUESTS_COUNT", "MODEL_AVERAGE_REQUEST_TIME",
    "MODEL_MIN_REQUEST_TIME", "MODEL_MAX_REQUEST_TIME", "MODEL_P95_REQUEST_TIME", "MODEL_INSTANCES_COUNT",
)  # fmt: skip


@pytest.fixture
async def calls_of_two_days(
    model_id: int, hear: Hear, pass_time: PassTime, clock: ManualClock, measures: Measures
) -> None:
    """The model has calls on two days, and four more days have passed."""
    gate = Gate()
    for hours in (1, 12, 6):
        await hear(
            gate.report(
                clock.now(),
                sample(model_id, answered=2, active_ms=5000, timed=2, time_ms=300, min_ms=100 - hours, max_ms=200 + hours,
                       time_buckets=(26, 30), time_counts=(1, 1)),
            )
        )  # fmt: skip
        for _ in range(hours):
            await pass_time(timedelta(hours=1))
    for _ in range(8):
        await pass_time(timedelta(hours=12))


async def year(client: httpx.AsyncClient, world: World) -> Mapping[str, Sequence[object]]:
    query = {"metrics": NAMES, "minutes": YEAR_MINUTES, "stepSeconds": DAILY.seconds}
    answer = await client.get(f"{ACME}/model/ner/metric-range", params=query, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def forget_days(state: CoreState) -> None:
    """Leaves what the previous release would have written."""
    async with state.database.transaction() as session:
        for table in ("call_daily", "gauge_daily"):
            await session.execute(sa.text(f"DELETE FROM {table}"))
        await session.execute(sa.text("DELETE FROM sample_period WHERE seconds = 86400"))


async def put(
    state: CoreState, start: datetime, known: Mapping[int, dict[int, float | None]], *, quarters: Sequence[int]
) -> None:
    """Stores quarters of the day that begins at `start`. `known`: figures by instance."""
    async with state.database.transaction() as session:
        rows = [
            {"kind": GaugeKind.INSTANCE.value, "owner_id": MODEL, "start": start + number * QUARTER.step,
             "subject_id": instance, "figures": figures(use)}
            for instance, use in known.items() for number in quarters
        ]  # fmt: skip
        await session.execute(sa.insert(GAUGES["quarter"]), rows)


@pytest.mark.usefixtures("calls_of_two_days")
class TestYear:
    async def test_days_say_what_their_quarters_say(
        self, client: httpx.AsyncClient, publisher: World, state: CoreState, measures: Measures
    ) -> None:
        added_up = await year(client, publisher)
        assert sum(point["v"] for point in added_up["MODEL_SUCCESS_REQUESTS_COUNT"]) == 6  # type: ignore[index]  # JSON
        await forget_days(state)
        assert await year(client, publisher) == added_up

    async def test_days_that_the_previous_release_packed_are_added_up_later(
        self, client: httpx.AsyncClient, publisher: World, state: CoreState, measures: Measures, clock: ManualClock
    ) -> None:
        added_up = await year(client, publisher)
        await forget_days(state)
        await measures.keep_partitions()
        span = range_span(clock.now(), minutes=YEAR_MINUTES, step_seconds=DAILY.seconds)
        async with state.database.transaction() as session:
            assert not await SampleReader(session).has_all_days(span)
        assert await year(client, publisher) == added_up
        await measures.turn()
        async with state.database.transaction() as session:
            assert await SampleReader(session).has_all_days(span)
            assert await session.scalar(sa.text("SELECT sum(answered) FROM call_daily")) == 6
        assert await year(client, publisher) == added_up

    async def test_days_that_are_not_kept_are_not_noted(
        self, state: CoreState, measures: Measures, clock: ManualClock
    ) -> None:
        async with state.database.transaction() as session:
            await RollUpRepository(session).touch(QUARTER, packed_before(clock.now()) - 366 * DAY)
        await measures.keep_partitions()
        async with state.database.transaction() as session:
            oldest = sa.text("SELECT min(start) FROM sample_period WHERE seconds = 86400")
            assert await session.scalar(oldest) == packed_before(clock.now()) - 365 * DAY

    async def test_day_with_quarters_that_wait_is_not_noted(
        self, state: CoreState, measures: Measures, clock: ManualClock
    ) -> None:
        await forget_days(state)
        day = packed_before(clock.now()) - DAY
        async with state.database.transaction() as session:
            await RollUpRepository(session).touch(MINUTE, day + timedelta(hours=3))
        await measures.keep_partitions()
        async with state.database.transaction() as session:
            noted = sa.text("SELECT count(*) FROM sample_period WHERE seconds = 86400 AND start = :day")
            assert await session.scalar(noted, {"day": day}) == 0
            assert await session.scalar(noted, {"day": day - DAY}) == 1


class TestUse:
    @pytest.mark.parametrize("packed_by", ["this release", "the previous one"])
    async def test_instances_that_run_one_after_the_other_do_not_add_up(
        self, packed_by: str, state: CoreState, measures: Measures, clock: ManualClock
    ) -> None:
        day = packed_before(clock.now())
        early: dict[int, float | None] = {UseFigure.CPU: 600, UseFigure.RESTARTS: 1, UseFigure.MOST_RAM: 50}
        await put(state, day, {EARLY: early}, quarters=range(40))
        await put(
            state,
            day,
            {LATE: {UseFigure.CPU: 200, UseFigure.RESTARTS: 0, UseFigure.MOST_RAM: 90}},
            quarters=range(40, 80),
        )
        await put(state, day, {EARLY: {UseFigure.CPU: 900}, LATE: {}}, quarters=[80])
        async with state.database.transaction() as session:
            await SampleRepository(session).cover({day}, by_gates=True)
            await RollUpRepository(session).touch(QUARTER, day)
            await RollUpRepository(session).pack(day)
        async with state.database.transaction() as session:
            if packed_by == "the previous one":
                await session.execute(sa.delete(GAUGES["quarter"]))
            await RollUpRepository(session).add_up_day(day)
        clock.advance(DAY)
        span = range_span(clock.now(), minutes=YEAR_MINUTES, step_seconds=DAILY.seconds)
        async with state.database.transaction() as session:
            reader = SampleReader(session)
            (together,) = (await reader.gauges(GaugeKind.INSTANCE, [MODEL], span))[MODEL].values()
            one = await reader.gauges(GaugeKind.INSTANCE, [MODEL], span, subject_ids=[EARLY])
            (alone,) = one[MODEL].values()
        assert (
            together[UseFigure.CPU - 1] == 400
        )  # the quarter in which the use of one instance is unknown does not count
        assert (together[UseFigure.RESTARTS - 1], together[UseFigure.MOST_RAM - 1]) == (40, 90)
        assert alone[UseFigure.CPU - 1] == pytest.approx((40 * 600 + 900) / 41)
        assert alone[UseFigure.RESTARTS - 1] == 40
        assert alone[UseFigure.DISK - 1] is None
