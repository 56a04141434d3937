import uuid
from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Final, NamedTuple, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.reservations.tables import FreeUnits, ReservationRow
from mlplace_runtime.db.polling import ONE, moment

_free = cast("sa.Table", FreeUnits.__table__)


_holding = (ReservationRow.held_nano > 0) | (ReservationRow.held_free_units > 0)
_empty = (ReservationRow.held_nano == 0) & (ReservationRow.held_free_units == 0)
TO_END: Final = sa.select(ONE).where(
    sa.exists().where(ReservationRow.ends_at <= moment("now"), _holding)
    | sa.exists().where(ReservationRow.created_at < moment("oldest"), _empty)
)
"""Finds something if `ended` or `forget` does."""


class FreeUnitsKey(NamedTuple):
    payer_account_id: int
    model_id: int
    month: date


def free_units_key(row: ReservationRow) -> FreeUnitsKey:
    return FreeUnitsKey(row.payer_account_id, row.model_id, row.month)


class ReservationRepository:
    """Rows of a payer change only while the payer is locked; that lock also protects all rows here."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, reservation_id: uuid.UUID) -> ReservationRow | None:
        statement = sa.select(ReservationRow).where(ReservationRow.reservation_id == reservation_id)
        return (await self._session.execute(statement.execution_options(populate_existing=True))).scalar_one_or_none()

    async def find_all(self, reservation_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, ReservationRow]:
        statement = sa.select(ReservationRow).where(ReservationRow.reservation_id.in_(reservation_ids))
        rows = await self._session.execute(statement.execution_options(populate_existing=True))
        return {row.reservation_id: row for row in rows.scalars()}

    async def add(self, row: ReservationRow) -> None:
        self._session.add(row)
        await self._session.flush()

    async def flush(self) -> None:
        """Stores changes of rows."""
        await self._session.flush()

    async def ended(self, now: datetime, *, limit: int) -> list[tuple[uuid.UUID, int]]:
        """Returns reservations past their end that still hold something, with their payers."""
        statement = (
            sa.select(ReservationRow.reservation_id, ReservationRow.payer_account_id)
            .where(ReservationRow.ends_at <= now, _holding)
            .order_by(ReservationRow.ends_at)
            .limit(limit)
        )
        return [(row.reservation_id, row.payer_account_id) for row in await self._session.execute(statement)]

    async def forget(self, *, created_before: datetime, limit: int) -> int:
        """Deletes old rows that hold nothing."""
        old = (
            sa.select(ReservationRow.reservation_id)
            .where(ReservationRow.created_at < created_before, _empty)
            .limit(limit)
        )
        statement = sa.delete(ReservationRow).where(ReservationRow.reservation_id.in_(old))
        result = await self._session.execute(statement.returning(ReservationRow.reservation_id))
        return len(result.all())

    async def free_units_taken(self, key: FreeUnitsKey) -> int:
        """Returns used and held units together."""
        statement = sa.select(_free.c.used + _free.c.held).where(
            _free.c.payer_account_id == key.payer_account_id,
            _free.c.model_id == key.model_id,
            _free.c.month == key.month,
        )
        return (await self._session.execute(statement)).scalar_one_or_none() or 0

    async def hold_free_units(self, key: FreeUnitsKey, units: int) -> None:
        statement = postgresql.insert(_free).values(**key._asdict(), used=0, held=units)
        await self._session.execute(
            statement.on_conflict_do_update(
                index_elements=list(FreeUnitsKey._fields), set_={"held": _free.c.held + statement.excluded["held"]}
            )
        )

    async def change_free_units(self, changes: Mapping[FreeUnitsKey, "FreeUnitsChange"]) -> None:
        """Changes rows that `hold_free_units` has created."""
        for key, change in sorted(changes.items()):
            await self._session.execute(
                sa.update(_free)
                .where(*(_free.c[name] == value for name, value in key._asdict().items()))
                .values(used=_free.c.used + change.used, held=_free.c.held + change.held)
            )


class FreeUnitsChange(NamedTuple):
    used: int
    held: int
