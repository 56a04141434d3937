"""Publishes the keys of an account again when the account changes: the keys of a closed account are inactive."""

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.api_keys.presentation import key_changed
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox


async def announce_keys_of(session: AsyncSession, clock: Clock, account_id: int) -> None:
    rows = await ApiKeyRepository(session).all_with_activity(account_id)
    for key, _ in rows:
        key.version += 1
    await Outbox(session, clock).add(*(key_changed(key, account_is_active=active) for key, active in rows))


async def republish_keys(session: AsyncSession, clock: Clock) -> int:
    rows = await ApiKeyRepository(session).all_with_activity()
    await Outbox(session, clock).add(*(key_changed(key, account_is_active=active) for key, active in rows))
    return len(rows)
