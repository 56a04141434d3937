"""Takes work from a table, accounts in turns: an account with a thousand rows there delays no other."""

import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlpgateway.features.predictions.tables import Prediction, WebhookDelivery
from mlpgateway.shares.share import Fractions, Holder, Share
from mlplace_kit.errors import DomainError

MOST_OF_ONE: Final = Fractions(account=0.75)
"""The part of the work that one account may have in progress. Other accounts get their turns without waiting for it: an
eighth is reserved for accounts that have none."""
Of = tuple[InstrumentedAttribute[uuid.UUID], InstrumentedAttribute[int], sa.ColumnElement[object]]
"""The columns of a row: id, account, and sort order."""


_Row = TypeVar("_Row", Prediction, WebhookDelivery)


async def claim_in_turns(
    session: AsyncSession,
    of: Of,
    due: sa.ColumnElement[bool],
    share: Share,
    limit: int,
    claim: Callable[[Collection[uuid.UUID]], Awaitable[list[_Row]]],
) -> list[_Row]:
    """Claims due rows, accounts in turns. `claim` gets ids and returns the rows that no other process claimed first.

    Each row takes from the share, and whoever works on it gives that back.
    """
    got = taken(share, await in_turns(session, of, due, share, limit))
    if not got:
        return []
    try:
        claimed = await claim(got)
    except BaseException:
        give_back(share, got, ())
        raise
    give_back(share, got, {row.id for row in claimed})
    return claimed


async def in_turns(
    session: AsyncSession, of: Of, due: sa.ColumnElement[bool], share: Share, limit: int
) -> list[tuple[uuid.UUID, int]]:
    """Returns due rows with their accounts: the first of each account, then the second of each, and so on.

    Work that an account has in the share counts as its first rows. Accounts whose share is used up are left out.
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
    """Returns the accounts whose share is used up."""
    return [holder for holder in share.accounts if not share.fits(holder)]


def taken(share: Share, rows: Sequence[tuple[uuid.UUID, int]]) -> dict[uuid.UUID, int]:
    """Takes from the share for each row. Returns the rows for which there was room, with their accounts."""
    got: dict[uuid.UUID, int] = {}
    for row_id, account_id in rows:
        try:
            share.take(account_id)
        except DomainError:
            continue
        got[row_id] = account_id
    return got


def give_back(share: Share, got: Mapping[uuid.UUID, int], but: Collection[uuid.UUID]) -> None:
    """Gives back the share of rows that other processes claimed first."""
    for row_id, account_id in got.items():
        if row_id not in but:
            share.give_back(account_id)
