from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.state import BillingState
from mlplace_contracts.events import AccountChanged, Event, ModelChanged
from mlplace_contracts.topics import ACCOUNTS, MODELS
from mlplace_runtime.bus.consumer import Consumer


def directory_consumer(_: BillingState) -> Consumer:
    """Names of accounts and models, for reports."""

    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        accounts = {event.account_id: event for event in events if isinstance(event, AccountChanged)}
        models = {event.model_id: event for event in events if isinstance(event, ModelChanged)}
        repository = DirectoryRepository(session)
        await repository.remember_accounts(accounts.values())
        await repository.remember_models(models.values())

    return Consumer("mlpbilling.directory", (ACCOUNTS, MODELS), (AccountChanged, ModelChanged), handle)
