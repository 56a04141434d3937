"""Rows that one process at a time works on.

A process claims a row for a while, works on it without a session, and applies the result if its claim still holds. A
process that dies leaves its claim to end; then another one claims the row. A process that was only slow finds another
claim on the row when it wants to write, and changes nothing.
"""

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Generic, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

_Row = TypeVar("_Row")
Moment: TypeAlias = datetime | sa.ColumnElement[datetime]
"""A time of the injected clock, or of the database's."""
MomentColumn: TypeAlias = InstrumentedAttribute[datetime] | InstrumentedAttribute[datetime | None]
TokenColumn: TypeAlias = InstrumentedAttribute[uuid.UUID] | InstrumentedAttribute[uuid.UUID | None]
KeyColumn: TypeAlias = InstrumentedAttribute[int] | InstrumentedAttribute[uuid.UUID]
Proof: TypeAlias = uuid.UUID | datetime | None
_WRITTEN = {"synchronize_session": False, "populate_existing": True}


class LeasedRows(Generic[_Row]):
    """The columns of a claim, and what may be written while it holds."""

    def __init__(
        self,
        table: type[_Row],
        *,
        ends: MomentColumn,
        claimed: sa.ColumnElement[bool],
        token: TokenColumn | None = None,
    ) -> None:
        """`ends`: when a claim ends. `claimed`: the state of a row that a process works on.

        `token`: what the claim writes as its proof. Without this column the proof is the end of the claim: a later
        claim of the same row ends later.
        """
        self._table = table
        self._ends = ends
        self._claimed = claimed
        self._token = token
        self._proof = ends if token is None else token

    def holds(self, proof: Proof, *which: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
        """Selects rows among `which` that are claimed with this proof, even if the claim's time is up."""
        return sa.false() if proof is None else sa.and_(*which, self._proof == proof, self._claimed)

    def lapsed(self, now: Moment) -> sa.ColumnElement[bool]:
        """Selects claimed rows whose claim's time is up: their processes are gone, or far too slow."""
        return sa.and_(self._claimed, self._ends < now)

    def update(self, proof: Proof, *which: sa.ColumnElement[bool]) -> sa.Update:
        """Returns an update of the rows that `holds` selects. The caller adds values."""
        return sa.update(self._table).where(self.holds(proof, *which))

    def renewal(self, proof: Proof, *which: sa.ColumnElement[bool], ends: Moment) -> sa.Update:
        """Returns an update that moves the end of the claims. Only for tables with a token column."""
        return self.update(proof, *which).values({self._ends.key: ends})

    async def apply(
        self, session: AsyncSession, proof: Proof, *which: sa.ColumnElement[bool], values: Mapping[str, object]
    ) -> list[_Row]:
        """Stores the result of the work. Returns the changed rows; a row whose claim is lost stays as it is."""
        statement = self.update(proof, *which).values(**values).returning(self._table)
        return list(await session.scalars(statement, execution_options=_WRITTEN))


class DueRows(LeasedRows[_Row]):
    """Rows that wait until they are due, and are claimed in that order."""

    def __init__(
        self,
        table: type[_Row],
        *,
        key: KeyColumn,
        due: MomentColumn,
        waiting: sa.ColumnElement[bool],
        ends: MomentColumn | None = None,
        claimed: sa.ColumnElement[bool] | None = None,
        token: TokenColumn | None = None,
        attempts: InstrumentedAttribute[int] | None = None,
    ) -> None:
        """`waiting`: the state of a row that may be claimed; `claimed`, if it is another, that of a claimed one.

        Without a column `ends` a claim moves the moment at which the row is due again. `attempts` counts the claims.
        """
        super().__init__(
            table,
            ends=due if ends is None else ends,
            claimed=waiting if claimed is None else claimed,
            token=token,
        )
        self._key = key
        self._due = due
        self._waiting = waiting
        self._attempts = attempts

    def free(self, now: Moment) -> sa.ColumnElement[bool]:
        """Selects rows that are due and have no live claim."""
        due = sa.and_(self._waiting, self._due <= now)
        return due if self._due is self._ends else sa.and_(due, sa.or_(self._ends.is_(None), self._ends < now))

    def select_for_update(
        self, *which: sa.ColumnElement[bool], now: Moment, limit: int | None = None
    ) -> sa.Select[_Row]:
        """Selects free rows among `which`, longest due first, and locks them until the transaction ends.

        Skips rows that another transaction has locked.
        """
        found = sa.select(self._table).where(self.free(now), *which).order_by(self._due).limit(limit)
        return found.with_for_update(skip_locked=True)

    def claim_statement(
        self,
        *which: sa.ColumnElement[bool],
        now: Moment,
        lease: timedelta,
        token: uuid.UUID | None = None,
        limit: int | None = None,
        values: Mapping[str, object] | None = None,
    ) -> sa.Update:
        """Returns an update that claims free rows among `which` for `lease`, longest due first, and sets `values`.

        `token`: the proof, for tables with a token column. The caller adds the columns to return.
        """
        # The planner may run a plain subquery once for each row of the table, and so exceed the limit. PostgreSQL runs
        # a common table expression that locks rows exactly once.
        chosen = (
            self.select_for_update(*which, now=now, limit=limit).with_only_columns(self._key.label("key")).cte("chosen")
        )
        own = dict(values or {})
        if self._token is not None:
            own[self._token.key] = token
        own[self._ends.key] = now + lease
        if self._attempts is not None:
            own[self._attempts.key] = self._attempts + 1
        return sa.update(self._table).where(self._key.in_(sa.select(chosen.c.key))).values(**own)

    async def claim(
        self,
        session: AsyncSession,
        *which: sa.ColumnElement[bool],
        now: Moment,
        lease: timedelta,
        token: uuid.UUID | None = None,
        limit: int | None = None,
        values: Mapping[str, object] | None = None,
    ) -> list[_Row]:
        """Runs `claim_statement`. Returns the claimed rows in no particular order."""
        statement = self.claim_statement(*which, now=now, lease=lease, token=token, limit=limit, values=values)
        return list(await session.scalars(statement.returning(self._table), execution_options=_WRITTEN))
