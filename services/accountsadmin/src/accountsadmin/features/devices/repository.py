from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.devices.tables import KnownDevice


class DeviceRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def known(self, token_hash: str, user_id: int, *, seen_after: datetime) -> int | None:
        """Returns the id of the device, which stays the same when its cookie changes."""
        statement = sa.select(KnownDevice.id).where(
            KnownDevice.token_hash == token_hash,
            KnownDevice.user_id == user_id,
            KnownDevice.last_seen_at > seen_after,
        )
        return await self._session.scalar(statement)

    async def rename(self, old_hash: str, new_hash: str) -> None:
        """Replaces the cookie's hash for all users of the device."""
        statement = sa.update(KnownDevice).where(KnownDevice.token_hash == old_hash)
        await self._session.execute(statement.values(token_hash=new_hash))

    async def remember(self, token_hash: str, user_id: int, now: datetime) -> None:
        values = {"token_hash": token_hash, "user_id": user_id, "last_seen_at": now}
        insert = postgresql.insert(KnownDevice).values(values)
        index = [KnownDevice.token_hash, KnownDevice.user_id]
        await self._session.execute(insert.on_conflict_do_update(index_elements=index, set_={"last_seen_at": now}))

    async def keep_newest(self, user_id: int, number: int) -> None:
        newest = (
            sa.select(KnownDevice.id)
            .where(KnownDevice.user_id == user_id)
            .order_by(KnownDevice.last_seen_at.desc(), KnownDevice.id.desc())
            .limit(number)
        )
        others = sa.delete(KnownDevice).where(KnownDevice.user_id == user_id, KnownDevice.id.not_in(newest))
        await self._session.execute(others)

    async def delete_seen_before(self, moment: datetime) -> None:
        await self._session.execute(sa.delete(KnownDevice).where(KnownDevice.last_seen_at <= moment))
