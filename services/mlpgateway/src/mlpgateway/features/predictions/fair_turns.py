"""Work out of a table, account by account: one that has left a thousand rows there delays no other's."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlpgateway.shares.share import Fractions, Holder, Share
from mlplace_kit.errors import DomainError

MOST_OF_ONE: Final = Fractions(account=0.75)
"""What one account may have of the work at a time. It takes turns with the others that want some, who need not wait for
it to end: an eighth is kept for accounts that have none."""
Of = tuple[InstrumentedAttribute[uuid.UUID], InstrumentedAttribute[int], sa.ColumnElement[object]]
"""The columns of a row: its id, its account, and what it is ordered by."""


async def in_turns(
    session: AsyncSession, of: Of, due: sa.ColumnElement[bool], share: Share, limit: int
) -> list[tuple[uuid.UUID, int]]:
    """Rows that are due with their accounts: the first of each account, the second of each, and so on.

    What an account has in the share already counts as its first rows. Accounts that get no more of it are left out.
    """
    row_id, account_id, oldest = of
    begun = {holder: share.of(holder) for holder in share.accounts}
    before = sa.case(begun, value=account_id, else_=0) if begun else sa.literal(0)
    turn = (sa.func.row_number().over(partition_by=account_id, order_by=oldest) + before).label("turn")
    which = sa.and_(due, account_id.not_in(out_of_room(share)))
    rows = sa.select(row_id.label("id"), account_id.label("account_id"), oldest.label("oldest"), turn).where(which)
    found = rows.subquery()
    statement = sa.select(found.c.id, found.c.account_id).order_by(found.c.turn, found.c.oldest).limit(limit)
    return [(row[0], row[1]) for row in (await session.execute(statement)).all()]


def out_of_room(share: Share) -> list[Holder]:
    """Accounts whose rows have to wait for others of their own."""
    return [holder for holder in share.accounts if not share.fits(holder)]


def taken(share: Share, rows: Sequence[tuple[uuid.UUID, int]]) -> dict[uuid.UUID, int]:
    """Those of the rows for which their accounts got room: it is theirs now."""
    got: dict[uuid.UUID, int] = {}
    for row_id, account_id in rows:
        try:
            share.take(account_id)
        except DomainError:
            continue
        got[row_id] = account_id
    return got


def give_back(share: Share, got: Mapping[uuid.UUID, int], but: Collection[uuid.UUID]) -> None:
    """What others were faster to claim."""
    for row_id, account_id in got.items():
        if row_id not in but:
            share.give_back(account_id)
