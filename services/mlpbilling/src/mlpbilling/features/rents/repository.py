from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.tables import DebtRow
from mlpbilling.features.rents.tables import Rent, RentCharge
from mlpbilling.features.usage.periods import TimeSpan
from mlplace_kit.money import Currency


class RentSide(Enum):
    """The payer sees what was charged; the owner sees what was received of it, after the commission."""

    SPENDING = "payer_account_id"
    INCOME = "owner_account_id"


@dataclass(frozen=True, slots=True)
class HostingDetail:
    bucket: datetime
    source_type: str
    source_name: str
    owner_account_id: int
    amount_nano: int


class RentRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock(self, rent_id: int) -> Rent | None:
        statement = sa.select(Rent).where(Rent.rent_id == rent_id).with_for_update()
        return await self._session.scalar(statement, execution_options={"populate_existing": True})

    async def store(self, rent: Rent) -> None:
        self._session.add(rent)
        await self._session.flush()

    async def due(self, *, now: datetime, limit: int) -> Sequence[int]:
        """Returns rents with an unpaid period that has begun, oldest first."""
        statement = (
            sa.select(Rent.rent_id)
            .where(Rent.due, Rent.paid_until <= now)
            .order_by(Rent.paid_until, Rent.rent_id)
            .limit(limit)
        )
        return (await self._session.scalars(statement)).all()

    async def add_charge(self, charge: RentCharge) -> None:
        self._session.add(charge)
        await self._session.flush()

    async def details(
        self, *, account_id: int, side: RentSide, currency: Currency, span: TimeSpan
    ) -> list[HostingDetail]:
        """Returns sums per part of the span and rented thing, oldest first."""
        bucket = sa.func.date_trunc(span.bucket, RentCharge.period_start, "UTC").label("bucket")
        what = (RentCharge.source_type, RentCharge.source_name, RentCharge.owner_account_id)
        owed = sa.and_(DebtRow.usage_id == RentCharge.charge_id, DebtRow.open_nano > 0)
        statement = (
            sa.select(bucket, *what, sa.cast(sa.func.sum(_amount(side)), sa.Numeric))
            .select_from(RentCharge)
            .outerjoin(DebtRow, owed)
            .where(
                getattr(RentCharge, side.value) == account_id,
                RentCharge.currency == currency,
                RentCharge.period_start >= span.start,
                RentCharge.period_start < span.end,
            )
            .group_by(bucket, *what)
            .order_by(bucket, *what)
        )
        rows = await self._session.execute(statement)
        return [HostingDetail(row[0], row[1], row[2], row[3], int(row[4])) for row in rows]


def _amount(side: RentSide) -> sa.ColumnElement[int]:
    if side is RentSide.SPENDING:
        return sa.type_coerce(RentCharge.charged_nano, sa.BigInteger)
    still_owed = sa.func.coalesce(DebtRow.open_nano - DebtRow.open_fee_nano, 0)
    return RentCharge.charged_nano - RentCharge.fee_nano - still_owed
