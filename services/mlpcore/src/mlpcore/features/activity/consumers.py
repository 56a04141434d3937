"""Notes which models and accounts the calls of a batch used, with one statement per table."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.activity.repository import ActivityRepository
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsFailed, Event, UsageRecorded
from mlplace_contracts.topics import FAILED_CALLS, USAGE
from mlplace_runtime.bus.consumer import Consumer

COARSE: Final = timedelta(seconds=20)
"""A busy model's row is written once in this time. With the gates' batches, what is shown is a minute old at most."""


def activity_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        models, accounts = _newest(events, state.clock.now())
        repository = ActivityRepository(session)
        await repository.note_models(models, coarse=COARSE)
        await repository.note_accounts(accounts, coarse=COARSE)

    return Consumer("mlpcore.activity", (USAGE, FAILED_CALLS), (UsageRecorded, CallsFailed), handle)


def _newest(events: Sequence[Event], now: datetime) -> tuple[dict[int, datetime], dict[int, datetime]]:
    """Returns the last use of each model, and the last call of each account. A gate's clock may run ahead."""
    models: dict[int, datetime] = {}
    accounts: dict[int, datetime] = {}
    for event in events:
        if isinstance(event, UsageRecorded):
            moment = min(event.occurred_at, now)
            accounts[event.caller_account_id] = max(moment, accounts.get(event.caller_account_id, moment))
        elif isinstance(event, CallsFailed) and event.count > 0:
            moment = min(event.occurred_at, now)
        else:
            continue
        models[event.model_id] = max(moment, models.get(event.model_id, moment))
    return models, accounts
