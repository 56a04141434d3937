"""Tests that an empty database gets its read models from Kafka, whatever a former database had read."""

from collections.abc import AsyncGenerator

import pytest
import sqlalchemy as sa

from mlpbilling.features.directory.consumers import directory_consumer
from mlpbilling.features.directory.tables import KnownAccount
from mlpbilling.main import MIGRATIONS
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.topics import ACCOUNTS, MODELS
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import consumer_loops
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import outbox_row
from mlplace_runtime.tasks import running
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.waiting import eventually

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


@pytest.fixture
async def bus(kafka_settings: KafkaSettings) -> AsyncGenerator[KafkaBus]:
    async with KafkaBus(kafka_settings, topics=(ACCOUNTS, MODELS)) as opened:
        yield opened


def _account(account_id: int, version: int, clock: ManualClock) -> Record:
    event = AccountChanged(
        version=version,
        account_id=account_id,
        short_name=f"account-{account_id}",
        display_name="",
        owner_user_id=1,
        email="owner@example.com",
        language="EN",
        active=True,
    )
    value = outbox_row(event, clock)["value"]
    assert isinstance(value, bytes)
    return Record(ACCOUNTS.name, event.key, value)


async def _versions(database: Database) -> dict[int, int]:
    async with database.transaction() as session:
        rows = await session.execute(sa.select(KnownAccount.account_id, KnownAccount.version))
        return {row.account_id: row.version for row in rows}


async def test_an_empty_database_is_refilled_and_older_versions_overwrite_nothing(
    database_factory: DatabaseFactory, bus: KafkaBus, clock: ManualClock
) -> None:
    expected = {1: 5}
    await bus.publish(
        [_account(1, 4, clock), _account(1, 5, clock), _account(1, 3, clock), Record(ACCOUNTS.name, "1", b"")]
    )
    for account_id in (2, 3):  # the second time with an empty database; the new account is the last to come
        made = await database_factory("mlpbilling", MIGRATIONS)
        settings = MlpbillingSettings(database_url=made.service_url)
        database = Database(made.service_url, application_name="test")
        consumer = directory_consumer(BillingState(settings, database, clock))
        await bus.publish([_account(account_id, 1, clock)])
        expected[account_id] = 1
        async with running("test", consumer_loops([consumer], database, bus)):
            found = await eventually(
                lambda opened=database: _versions(opened), until=lambda seen: seen.keys() == expected.keys(), seconds=90
            )
        assert found == expected
        await database.close()
