from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.limits.repository import LimitsRepository
from accountsadmin.features.limits.service import LimitsService
from mlplace_contracts.events import AccountLimitsChanged, Event
from mlplace_contracts.topics import LIMITS
from mlplace_runtime.bus.consumer import Consumer


def account_limits() -> Consumer:
    return Consumer(name="accountsadmin.limits", topics=(LIMITS,), types=(AccountLimitsChanged,), handle=_store)


async def _store(session: AsyncSession, events: Sequence[Event]) -> None:
    limits = LimitsService(repository=LimitsRepository(session))
    for event in events:
        if isinstance(event, AccountLimitsChanged):
            await limits.store(event=event)
