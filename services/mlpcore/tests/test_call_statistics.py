"""The calls of models per day: counted once, summed over days, and shown as far as the viewer may know."""

import uuid
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.call_statistics.histogram import FAILED, UNTIMED, Counted, bucket_of
from mlpcore.features.call_statistics.loops import forget_old_calls
from mlpcore.features.call_statistics.tables import ModelCallDay, ModelCallPeriod
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsFailed, Envelope, Event, UsageRecorded, encode
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import ConsumerRunner
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"


def usage(world: World, clock: ManualClock, **about: object) -> UsageRecorded:
    values: dict[str, object] = {
        "usage_id": uuid.uuid4(), "occurred_at": clock.now(), "request_id": "r", "operation": "predict",
        "caller_account_id": world.globex.account_id, "payer_account_id": world.globex.account_id,
        "payer_key_id": None, "model_account_id": world.acme.account_id, "model_id": 1, "model_name": "ner",
        "instance_id": 5, "billing_unit": "calls", "units": 1, "unit_price_nano": 0, "amount_nano": 0,
        "currency": "RUBLE", "reservation_id": None, "model_time_ms": 100, **about,
    }  # fmt: skip
    return UsageRecorded.model_validate(values)


def failed(world: World, clock: ManualClock, count: int, **about: object) -> CallsFailed:
    values = {"account_id": world.acme.account_id, "model_id": 1, "occurred_at": clock.now(), **about}
    return CallsFailed.model_validate(values | {"count": count})


def delivered(event: Event, clock: ManualClock) -> Delivered:
    envelope = Envelope(
        event_id=uuid.uuid4(),
        type_name=event.type_name,
        occurred_at=clock.now(),
        payload=event.model_dump(mode="json"),
    )
    record = Record(topic=event.topic.name, key=event.key, value=encode(envelope))
    return Delivered(record=record, partition=0, offset=0)


@pytest.fixture
async def model(client: httpx.AsyncClient, publisher: World) -> int:
    made = await client.post(f"{ACME}/model", json={"modelName": "ner", "taskType": "ner"}, headers=publisher.owner)
    assert made.status_code == 200
    shown = await client.post(f"{ACME}/model/ner/public-settings", json={"isPublic": True}, headers=publisher.owner)
    assert shown.status_code == 200
    return made.json()["id"]["modelId"]


@pytest.fixture
def hear(state: CoreState):
    """Delivers events as the consumer's loop does, with the inbox."""
    consumer = next(found for make in registry.CONSUMERS if (found := make(state)).name == "mlpcore.call-statistics")

    async def run(*events: Delivered) -> None:
        await ConsumerRunner(consumer, state.database, bus=None).handle(list(events))  # type: ignore[arg-type]

    return run


async def statistics(client: httpx.AsyncClient, headers: dict[str, str] | None = None) -> dict[str, object] | None:
    answer = await client.get("/p/acme/ner", headers=headers or {})
    assert answer.status_code == 200, answer.text
    return answer.json()["callStatistics"]


class TestHistogram:
    @pytest.mark.parametrize("milliseconds", [0, 1, 2, 7, 40, 999, 60_000, 2_000_000_000])
    def test_median_of_equal_latencies_is_within_ten_percent(self, milliseconds: int) -> None:
        median = Counted({bucket_of(milliseconds): 9}).median_ms
        assert median == pytest.approx(max(1, milliseconds), rel=0.1, abs=0.6)

    def test_median_ignores_failed_and_untimed_calls(self) -> None:
        counted = Counted({FAILED: 50, UNTIMED: 50, bucket_of(10): 1, bucket_of(100): 3, bucket_of(1000): 1})
        assert counted.median_ms == pytest.approx(100, rel=0.1)

    def test_nothing_is_known_without_calls(self) -> None:
        assert Counted({}).median_ms is None
        assert Counted({}).success_rate is None
        assert Counted({UNTIMED: 3}).median_ms is None

    def test_success_rate_is_the_answered_part(self) -> None:
        assert Counted({FAILED: 1, UNTIMED: 1, bucket_of(5): 2}).success_rate == 0.75


class TestShown:
    async def test_service_without_calls_has_no_statistics(self, client: httpx.AsyncClient, model: int) -> None:
        assert await statistics(client) is None

    async def test_everybody_sees_the_same_with_the_number_of_calls(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        calls = [usage(publisher, clock, model_id=model) for _ in range(19)]
        await hear(*(delivered(call, clock) for call in calls))
        await hear(delivered(failed(publisher, clock, 1, model_id=model), clock))
        found = await statistics(client)
        assert found is not None
        assert (found["successRate"], found["calls"], found["failedCalls"]) == (0.95, 20, 1)
        assert found["medianLatencyMs"] == pytest.approx(100, rel=0.1)
        assert await statistics(client, publisher.owner) == found
        assert await statistics(client, publisher.stranger) == found

    async def test_the_first_call_is_shown(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        await hear(delivered(usage(publisher, clock, model_id=model), clock))
        found = await statistics(client)
        assert found is not None
        assert (found["calls"], found["failedCalls"], found["successRate"]) == (1, 0, 1.0)

    async def test_latency_is_absent_when_only_cached_answers_are_known(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        calls = [usage(publisher, clock, model_id=model, instance_id=None) for _ in range(10)]
        await hear(*(delivered(call, clock) for call in calls))
        found = await statistics(client)
        assert found is not None
        assert (found["medianLatencyMs"], found["successRate"]) == (None, 1.0)


class TestCounting:
    async def test_redelivered_events_count_once(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        call = delivered(usage(publisher, clock, model_id=model), clock)
        bad = delivered(failed(publisher, clock, 2, model_id=model), clock)
        await hear(call, call, bad)
        await hear(bad, call)
        own = await statistics(client, publisher.owner)
        assert own is not None
        assert (own["calls"], own["failedCalls"]) == (3, 2)

    async def test_days_add_up_and_end_after_thirty(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock, state: CoreState
    ) -> None:
        await hear(delivered(usage(publisher, clock, model_id=model), clock))
        clock.advance(timedelta(days=29))
        await hear(delivered(usage(publisher, clock, model_id=model), clock))
        own = await statistics(client, publisher.owner)
        assert own is not None
        assert own["calls"] == 2
        clock.advance(timedelta(days=1))
        own = await statistics(client, publisher.owner)
        assert own is not None
        assert own["calls"] == 1
        clock.advance(timedelta(days=1))
        await forget_old_calls(state)
        async with state.database.transaction() as session:
            assert await session.scalar(sa.select(sa.func.count()).select_from(ModelCallDay)) == 1

    async def test_late_event_of_a_deleted_day_and_trainings_do_not_count(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        old = clock.now() - timedelta(days=31)
        await hear(
            delivered(usage(publisher, clock, model_id=model, occurred_at=old), clock),
            delivered(usage(publisher, clock, model_id=model, operation="fit"), clock),
        )
        assert await statistics(client, publisher.owner) is None


async def series(client: httpx.AsyncClient, world: World, step: str = "MINUTE") -> dict[str, Any]:
    answer = await client.get(f"{ACME}/model/ner/call-statistics", params={"step": step}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestSeries:
    async def test_minutes_hold_their_own_calls_and_the_last_one_is_now(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        await hear(delivered(usage(publisher, clock, model_id=model, amount_nano=250), clock))
        clock.advance(timedelta(minutes=2))
        slow = usage(publisher, clock, model_id=model, model_time_ms=2000, amount_nano=250)
        await hear(delivered(slow, clock), delivered(failed(publisher, clock, 3, model_id=model), clock))
        found = await series(client, publisher)
        assert (found["stepSec"], len(found["points"])) == (60, 60)
        assert [point["calls"] for point in found["points"][-4:]] == [0, 1, 0, 4]
        now = found["points"][-1]
        assert now["timestamp"] == int(clock.now().replace(second=0, microsecond=0).timestamp() * 1000)
        assert (now["failedCalls"], now["amount"]) == (3, 2.5e-7)
        assert now["p95LatencyMs"] == pytest.approx(2000, rel=0.2)
        assert found["points"][-2]["p95LatencyMs"] is None
        total = found["total"]
        assert (total["calls"], total["failedCalls"], total["amount"]) == (5, 3, 5e-7)
        assert total["medianLatencyMs"] == pytest.approx(100, rel=0.2)

    async def test_hours_add_up_minutes(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(minutes=60 - clock.now().minute))
        for minutes in (0, 20, 50):
            call = usage(publisher, clock, model_id=model, occurred_at=clock.now() + timedelta(minutes=minutes))
            await hear(delivered(call, clock))
        clock.advance(timedelta(minutes=50))
        found = await series(client, publisher, "HOUR")
        assert (found["stepSec"], len(found["points"]), found["points"][-1]["calls"]) == (3600, 24, 3)

    async def test_old_periods_are_neither_stored_nor_kept(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock, state: CoreState
    ) -> None:
        async def stored() -> list[int]:
            async with state.database.transaction() as session:
                return sorted(await session.scalars(sa.select(ModelCallPeriod.seconds)))

        late = clock.now() - timedelta(hours=3)
        await hear(delivered(usage(publisher, clock, model_id=model, occurred_at=late), clock))
        assert await stored() == [3600]
        await hear(delivered(usage(publisher, clock, model_id=model), clock))
        assert await stored() == [60, 3600, 3600]
        clock.advance(timedelta(hours=4))
        await forget_old_calls(state)
        assert await stored() == [3600, 3600]
        clock.advance(timedelta(hours=49))
        await forget_old_calls(state)
        assert await stored() == []

    async def test_only_the_owner_reads_them(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        for path in ("model/ner/call-statistics", f"call-statistics?modelId={model}"):
            assert (await client.get(f"{ACME}/{path}")).status_code == 401
            assert (await client.get(f"{ACME}/{path}", headers=publisher.stranger)).status_code == 403
        missing = await client.get(f"{ACME}/model/none/call-statistics", headers=publisher.owner)
        assert missing.status_code == 404

    async def test_recent_calls_of_models_leave_out_those_of_other_accounts(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        await hear(delivered(usage(publisher, clock, model_id=model, amount_nano=7_000_000), clock))
        await hear(delivered(failed(publisher, clock, 1, model_id=model), clock))
        wanted = {"modelId": [model, 999_999]}
        mine = await client.get(f"{ACME}/call-statistics", params=wanted, headers=publisher.owner)
        (row,) = mine.json()
        assert (row["modelId"], row["calls"], row["failedCalls"], row["amount"]) == (model, 2, 1, 0.007)
        assert (len(row["callsPerHour"]), row["callsPerHour"][-1]) == (24, 2)
        path = "/api/mlpcore/account/globex/call-statistics"
        assert (await client.get(path, params=wanted, headers=publisher.stranger)).json() == []

    @pytest.mark.parametrize("query", ["", "modelId=0", "&".join(["modelId=1"] * 101)])
    async def test_wrong_choice_of_models_is_refused(
        self, client: httpx.AsyncClient, publisher: World, query: str
    ) -> None:
        answer = await client.get(f"{ACME}/call-statistics?{query}", headers=publisher.owner)
        assert answer.status_code == 400
        assert "modelId" in answer.text


class TestPopularity:
    async def test_catalogue_sorts_by_calls_and_puts_services_without_calls_last(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        ids = {"ner": model}
        for name in ("idle", "busy"):
            made = await client.post(f"{ACME}/model", json={"modelName": name}, headers=publisher.owner)
            await client.post(f"{ACME}/model/{name}/public-settings", json={"isPublic": True}, headers=publisher.owner)
            ids[name] = made.json()["id"]["modelId"]
        calls = [usage(publisher, clock, model_id=ids["busy"]) for _ in range(3)]
        await hear(*(delivered(call, clock) for call in (*calls, usage(publisher, clock, model_id=model))))
        answer = await client.get("/api/mlpcore/models", params={"sort": "popularity,desc"})
        assert [record["modelName"] for record in answer.json()["records"]] == ["busy", "ner", "idle"]
