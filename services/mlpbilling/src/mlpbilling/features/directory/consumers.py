from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.state import BillingState
from mlplace_contracts.events import AccountChanged, Event, ModelChanged
from mlplace_contracts.topics import ACCOUNTS, MODELS
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.bus.states import newest


def directory_consumer(_: BillingState) -> Consumer:
    """Stores names of accounts, and names and prices of models."""

    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        repository = DirectoryRepository(session)
        await repository.remember_accounts(newest(events, AccountChanged))
        await repository.remember_models(newest(events, ModelChanged))

    return Consumer("mlpbilling.directory", (ACCOUNTS, MODELS), (AccountChanged, ModelChanged), handle)
