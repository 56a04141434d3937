from collections.abc import Collection, Mapping, Sequence
from typing import cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.directory.tables import KnownAccount, KnownModel
from mlplace_contracts.events import AccountChanged, ModelChanged
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef

_accounts = cast("sa.Table", KnownAccount.__table__)
_models = cast("sa.Table", KnownModel.__table__)


class DirectoryRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def remember_accounts(self, events: Collection[AccountChanged]) -> None:
        names = ("account_id", "version", "short_name", "display_name", "owner_user_id", "active")
        rows = [{name: getattr(event, name) for name in names} for event in events]
        await self._upsert(_accounts, "account_id", rows)

    async def remember_models(self, events: Collection[ModelChanged]) -> None:
        rows = [
            {
                "model_id": e.model_id,
                "version": e.version,
                "account_id": e.account_id,
                "name": e.model_name,
                "max_price_nano": e.max_price_nano,
                "unit_price_nano": e.billing.unit.price(e.billing.unit_price_nano),
            }
            for e in events
        ]
        await self._upsert(_models, "model_id", rows, kept=_EARLIER)

    async def _upsert(
        self,
        table: sa.Table,
        key: str,
        rows: Sequence[Mapping[str, object]],
        *,
        kept: Mapping[str, sa.ColumnElement[object]] | None = None,
    ) -> None:
        """Upserts rows; an older version never overwrites a newer one. `kept` are columns that are not in the rows."""
        if not rows:
            return
        statement, kept = postgresql.insert(table), kept or {}
        brought = [column.name for column in table.columns if column.name != key and column.name not in kept]
        values = {**{name: statement.excluded[name] for name in brought}, **kept}
        upsert = statement.on_conflict_do_update(
            index_elements=[key], set_=values, where=statement.excluded["version"] > table.c.version
        )
        await self._session.execute(upsert, rows)

    async def account(self, ref: PathRef) -> AccountEntry | None:
        where = KnownAccount.account_id == ref.id if ref.id is not None else KnownAccount.short_name == ref.name
        statement = sa.select(KnownAccount).where(where).order_by(KnownAccount.version.desc()).limit(1)
        found = (await self._session.execute(statement)).scalar_one_or_none()
        return AccountEntry.model_validate(found, from_attributes=True) if found else None

    async def account_names(self, account_ids: Collection[int]) -> dict[int, str]:
        statement = sa.select(_accounts.c.account_id, _accounts.c.display_name, _accounts.c.short_name).where(
            _accounts.c.account_id.in_(account_ids)
        )
        return {row.account_id: row.display_name or row.short_name for row in await self._session.execute(statement)}

    async def model_names(self, model_ids: Collection[int]) -> dict[int, str]:
        statement = sa.select(_models.c.model_id, _models.c.name).where(_models.c.model_id.in_(model_ids))
        return {row.model_id: row.name for row in await self._session.execute(statement)}

    async def max_prices(self, model_ids: Collection[int]) -> dict[int, list[tuple[int | None, int]]]:
        """Returns for each known model the published maximal price and the price of a unit.

        For a day after a change the list also has the former prices.
        """
        recent = _models.c.offer_changed_at > sa.func.now() - sa.text("interval '1 day'")
        statement = sa.select(
            _models.c.model_id,
            _models.c.max_price_nano,
            _models.c.unit_price_nano,
            _models.c.earlier_max_price_nano,
            _models.c.earlier_unit_price_nano,
            sa.func.coalesce(recent, sa.false()).label("recent"),
        ).where(_models.c.model_id.in_(model_ids))
        return {
            row.model_id: [
                (row.max_price_nano, row.unit_price_nano or 0),
                *([(row.earlier_max_price_nano, row.earlier_unit_price_nano or 0)] if row.recent else []),
            ]
            for row in await self._session.execute(statement)
        }


def _changed(column: str) -> sa.ColumnElement[bool]:
    return sa.literal_column(f"excluded.{column}", sa.BigInteger).is_distinct_from(_models.c[column])


_OFFER_CHANGED = _changed("max_price_nano") | _changed("unit_price_nano")
_EARLIER: Mapping[str, sa.ColumnElement[object]] = {
    "earlier_max_price_nano": sa.case(
        (_OFFER_CHANGED, _models.c.max_price_nano), else_=_models.c.earlier_max_price_nano
    ),
    "earlier_unit_price_nano": sa.case(
        (_OFFER_CHANGED, _models.c.unit_price_nano), else_=_models.c.earlier_unit_price_nano
    ),
    "offer_changed_at": sa.case((_OFFER_CHANGED, sa.func.now()), else_=_models.c.offer_changed_at),
}
