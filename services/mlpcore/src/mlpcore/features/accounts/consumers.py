"""Keeps the read model of accounts, and calls the features whose events carry an account's name or state."""

from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.accounts.repository import AccountRepository
from mlpcore.features.accounts.service import limits_event
from mlpcore.state import CoreState
from mlplace_contracts.events import AccountChanged, Event
from mlplace_contracts.topics import ACCOUNTS
from mlplace_kit.clock import Clock
from mlplace_kit.names import PathRef
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.outbox import Outbox

AccountHook = Callable[[AsyncSession, Clock, int], Awaitable[None]]
"""Called in the consumer's transaction when the account with this id was renamed, closed or opened."""


def accounts_consumer(state: CoreState, hooks: Sequence[AccountHook]) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, AccountChanged):
                await _apply(session, state, event, hooks)

    return Consumer(name="mlpcore.accounts", topics=(ACCOUNTS,), types=(AccountChanged,), handle=handle)


async def _apply(session: AsyncSession, state: CoreState, event: AccountChanged, hooks: Sequence[AccountHook]) -> None:
    repository = AccountRepository(session)
    known = await repository.entry(PathRef(id=event.account_id, name=None))
    if not await repository.upsert(event.model_dump()):
        return
    session.expire_all()
    await account_service_of(session, state).ensure_platform(account_id=event.account_id)
    if known and (known.short_name, known.active) != (event.short_name, event.active):
        for hook in hooks:
            await hook(session, state.clock, event.account_id)


async def republish_limits(session: AsyncSession, clock: Clock) -> int:
    """Writes the limits and features of every account into the outbox again."""
    rows = await AccountRepository(session).all_limits()
    await Outbox(session, clock).add(*(limits_event(platform, features) for platform, features in rows))
    return len(rows)
