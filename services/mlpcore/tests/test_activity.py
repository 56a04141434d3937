"""When models and accounts were last used: told by calls in batches, and by requests."""

import uuid
from datetime import datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore import registry
from mlpcore.features.activity.consumers import COARSE
from mlpcore.features.activity.repository import ActivityRepository
from mlpcore.features.activity.tables import ModelActivity
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsFailed, Envelope, Event, UsageRecorded, encode
from mlplace_kit.clock import ManualClock, to_milliseconds
from mlplace_runtime.bus.consumer import ConsumerRunner
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_testing.world import World

CORE = "/api/mlpcore"
ACME = f"{CORE}/account/acme"


def usage(world: World, model_id: int, at: datetime) -> UsageRecorded:
    values: dict[str, object] = {
        "usage_id": uuid.uuid4(), "occurred_at": at, "request_id": "r", "operation": "predict",
        "caller_account_id": world.globex.account_id, "payer_account_id": world.globex.account_id,
        "payer_key_id": None, "model_account_id": world.acme.account_id, "model_id": model_id, "model_name": "ner",
        "instance_id": 5, "billing_unit": "calls", "units": 1, "unit_price_nano": 0, "amount_nano": 0,
        "currency": "RUBLE", "reservation_id": None, "model_time_ms": 100,
    }  # fmt: skip
    return UsageRecorded.model_validate(values)


def failed(world: World, model_id: int, at: datetime, count: int) -> CallsFailed:
    return CallsFailed(account_id=world.acme.account_id, model_id=model_id, occurred_at=at, count=count)


@pytest.fixture
async def model(client: httpx.AsyncClient, publisher: World) -> int:
    made = await client.post(f"{ACME}/model", json={"modelName": "ner"}, headers=publisher.owner)
    assert made.status_code == 200, made.text
    return made.json()["id"]["modelId"]


@pytest.fixture
def hear(state: CoreState):
    """Delivers events as the consumer's loop does, with the inbox."""
    consumer = next(found for make in registry.CONSUMERS if (found := make(state)).name == "mlpcore.activity")

    async def run(*events: Event) -> None:
        batch: list[Delivered] = []
        for event in events:
            envelope = Envelope(
                event_id=uuid.uuid4(),
                type_name=event.type_name,
                occurred_at=state.clock.now(),
                payload=event.model_dump(mode="json"),
            )
            record = Record(topic=event.topic.name, key=event.key, value=encode(envelope))
            batch.append(Delivered(record=record, partition=0, offset=0))
        await ConsumerRunner(consumer, state.database, bus=None).handle(batch)  # type: ignore[arg-type]

    return run


async def of_model(client: httpx.AsyncClient, world: World, name: str = "ner") -> int | None:
    return (await client.get(f"{ACME}/model/{name}", headers=world.owner)).json()["lastActivity"]


async def of_account(client: httpx.AsyncClient, headers: dict[str, str]) -> int | None:
    return (await client.get(f"{CORE}/account", headers=headers)).json()["lastActivity"]


class TestCalls:
    async def test_newest_call_of_a_batch_tells_the_last_use_of_model_and_caller(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        assert await of_model(client, publisher) is None
        now = clock.now()
        older = now - timedelta(seconds=5)
        await hear(usage(publisher, model, older), usage(publisher, model, now), usage(publisher, model, older))
        assert await of_model(client, publisher) == to_milliseconds(now)
        assert await of_account(client, publisher.stranger) == to_milliseconds(now)
        assert await of_account(client, publisher.owner) is None

    async def test_failed_calls_are_a_use_too(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        await hear(failed(publisher, model, clock.now(), 0))
        assert await of_model(client, publisher) is None
        await hear(failed(publisher, model, clock.now(), 2))
        assert await of_model(client, publisher) == to_milliseconds(clock.now())

    async def test_late_event_does_not_turn_time_back(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        now = clock.now()
        await hear(usage(publisher, model, now))
        await hear(usage(publisher, model, now - timedelta(hours=1)))
        assert await of_model(client, publisher) == to_milliseconds(now)

    async def test_gate_whose_clock_runs_ahead_does_not_tell_the_future(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        await hear(usage(publisher, model, clock.now() + timedelta(days=1)))
        assert await of_model(client, publisher) == to_milliseconds(clock.now())

    async def test_busy_model_is_written_once_in_a_while(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        begun = clock.now()
        await hear(usage(publisher, model, begun))
        clock.advance(COARSE - timedelta(seconds=1))
        await hear(usage(publisher, model, clock.now()))
        assert await of_model(client, publisher) == to_milliseconds(begun)
        clock.advance(timedelta(seconds=2))
        await hear(usage(publisher, model, clock.now()))
        assert await of_model(client, publisher) == to_milliseconds(clock.now())

    async def test_list_sorts_by_the_last_use(
        self, client: httpx.AsyncClient, publisher: World, model: int, hear, clock: ManualClock
    ) -> None:
        ids = {"ner": model}
        for name in ("asr", "tts"):
            made = await client.post(f"{ACME}/model", json={"modelName": name}, headers=publisher.owner)
            ids[name] = made.json()["id"]["modelId"]
        await hear(usage(publisher, ids["tts"], clock.now() - timedelta(hours=1)))
        await hear(usage(publisher, ids["ner"], clock.now()))
        url = f"{ACME}/model?onlyMy=true&sort=lastActivity,desc"
        records = (await client.get(url, headers=publisher.owner)).json()["records"]
        assert [record["modelName"] for record in records] == ["ner", "tts", "asr"]


class TestUpdateActivities:
    async def test_superadmin_marks_the_models_that_exist(
        self, client: httpx.AsyncClient, publisher: World, model: int, clock: ManualClock
    ) -> None:
        key = {"accountId": publisher.acme.account_id, "modelId": model}
        other = {"accountId": publisher.globex.account_id, "modelId": model}
        url = f"{CORE}/admin/update-activities"
        assert (await client.post(url, json=[other], headers=publisher.admin)).status_code == 200
        assert await of_model(client, publisher) is None
        missing = {"accountId": publisher.acme.account_id, "modelId": model + 1000}
        assert (await client.post(url, json=[key, missing], headers=publisher.admin)).status_code == 200
        assert await of_model(client, publisher) == to_milliseconds(clock.now())
        assert (await client.post(url, json=[], headers=publisher.admin)).status_code == 200

    async def test_others_are_refused(self, client: httpx.AsyncClient, publisher: World) -> None:
        url = f"{CORE}/admin/update-activities"
        assert (await client.post(url, json=[])).status_code == 401
        assert (await client.post(url, json=[], headers=publisher.owner)).status_code == 403
        assert (await client.post(url, json=[{"accountId": 1}], headers=publisher.admin)).status_code == 400


async def test_one_report_may_name_more_models_than_a_statement_takes_parameters(
    state: CoreState, clock: ManualClock
) -> None:
    used = dict.fromkeys(range(1, 40_001), clock.now())
    async with state.database.transaction() as session:
        await ActivityRepository(session).note_models(used)
    async with state.database.transaction() as session:
        await ActivityRepository(session).note_models({7: clock.now() + timedelta(hours=1)}, coarse=COARSE)
        noted = (await session.execute(sa.select(ModelActivity.last_activity_at).order_by("model_id").limit(7))).all()
        assert await session.scalar(sa.select(sa.func.count()).select_from(ModelActivity)) == 40_000
    assert [row[0] for row in noted] == [clock.now()] * 6 + [clock.now() + timedelta(hours=1)]
