"""All SQL on idempotent calls. Times are the database's, so that the hosts' clocks do not matter."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.call.call import Answer, Payload
from mlpgateway.features.idempotency.tables import IdempotentCall
from mlpgateway.features.storage.counting import ROW_BYTES, Kind, StoredBytes, hours
from mlpgateway.features.storage.tables import StorageSetting
from mlplace_runtime.db.claims import LeasedRows

LEASE = timedelta(seconds=30)
_MOST_AT_ONCE: Final = 10_000
"""Two parameters each; a statement takes at most 32,767."""
PREDICTION: Final = "prediction "
"""How fingerprints of predictions begin. They hold no answer."""
_SCOPE: Final = IdempotentCall.account_id, IdempotentCall.scope
_OF_PREDICTION: Final = IdempotentCall.fingerprint.startswith(PREDICTION)
_CLAIMS = LeasedRows(
    IdempotentCall,
    ends=IdempotentCall.leased_until,
    claimed=IdempotentCall.answered_at.is_(None),
    token=IdempotentCall.token,
)


@dataclass(frozen=True, slots=True)
class Known:
    """The record of a key. `mine`: this process has to serve the call."""

    fingerprint: str
    mine: bool
    answer: Answer | None


class IdempotentCallRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def claim(self, account_id: int, scope: str, *, fingerprint: str, token: uuid.UUID) -> Known:
        """Claims the call unless another process has; an expired lease for the same request is taken over."""
        fresh = {"fingerprint": fingerprint, "token": token, "leased_until": sa.func.now() + LEASE}
        statement = insert(IdempotentCall).values(account_id=account_id, scope=scope, **fresh)
        abandoned = sa.and_(_CLAIMS.lapsed(sa.func.now()), IdempotentCall.fingerprint == fingerprint)
        statement = statement.on_conflict_do_update(
            index_elements=["account_id", "scope"], set_={"token": token, "leased_until": fresh["leased_until"]},
            where=abandoned,
        )  # fmt: skip
        await self._session.execute(statement)
        row = (await self._session.execute(sa.select(IdempotentCall).where(*_call(account_id, scope)))).scalar_one()
        return Known(row.fingerprint, mine=row.token == token, answer=_answer_of(row))

    async def renew(self, account_id: int, scope: str, token: uuid.UUID) -> None:
        renewal = _CLAIMS.renewal(token, *_call(account_id, scope), ends=sa.func.now() + LEASE)
        await self._session.execute(renewal)

    async def keep(self, account_id: int, scope: str, token: uuid.UUID, answer: Answer, body: bytes) -> bool:
        """Stores the answer. `body` is its payload. Returns False when another process has taken over the call."""
        payload = answer.payload
        is_json = payload.protobuf is None
        statement = _CLAIMS.update(token, *_call(account_id, scope))
        values = {
            "answered_at": sa.func.now(),
            "is_json": is_json,
            "data_type": payload.data_type,
            "body": body,
            "headers": dict(answer.headers),
            "stored_bytes": ROW_BYTES + len(body),
        }
        kept = await self._session.execute(statement.values(**values).returning(IdempotentCall.scope))
        if kept.first() is None:
            return False
        await StoredBytes(self._session).change(account_id, Kind.ANSWERS, size=ROW_BYTES + len(body), items=1)
        return True

    async def release(self, account_id: int, scope: str, token: uuid.UUID) -> None:
        mine = _CLAIMS.holds(token, *_call(account_id, scope))
        await self._session.execute(sa.delete(IdempotentCall).where(mine))

    async def forget_predictions(self, scopes: Sequence[tuple[int, str]]) -> None:
        """Deletes the records of predictions. `scopes` are their accounts and scopes.

        Locks them in the order of `old_predictions`: a deletion alone would lock them in any order.
        """
        ordered = sorted(scopes)
        for at in range(0, len(ordered), _MOST_AT_ONCE):
            chosen = sa.tuple_(*_SCOPE).in_(ordered[at : at + _MOST_AT_ONCE]), _OF_PREDICTION
            await self._session.execute(sa.select(*_SCOPE).where(*chosen).order_by(*_SCOPE).with_for_update())
            await self._session.execute(sa.delete(IdempotentCall).where(*chosen))

    async def old_predictions(self, age: timedelta, after: tuple[int, str], limit: int) -> list[tuple[int, str]]:
        """Returns the accounts and scopes of records of predictions older than `age`, those after the given one.

        They stay as they are until the transaction ends.
        """
        old = sa.and_(_OF_PREDICTION, IdempotentCall.created_at < sa.func.now() - age, sa.tuple_(*_SCOPE) > after)
        query = sa.select(*_SCOPE).where(old).order_by(*_SCOPE).limit(limit)
        rows = await self._session.execute(query.with_for_update())
        return [(row[0], row[1]) for row in rows]

    async def forget(self, age: timedelta) -> None:
        """Deletes records older than `age`, or than their account's shorter setting. Calls in progress stay, and so do
        records of predictions, which end with these.
        """
        sooner = sa.select(hours(StorageSetting.answer_hours)).where(
            StorageSetting.account_id == IdempotentCall.account_id
        )
        kept = sa.func.least(sooner.scalar_subquery(), age)
        old = sa.and_(IdempotentCall.created_at < sa.func.now() - kept, IdempotentCall.leased_until < sa.func.now())
        gone = await self._session.execute(
            sa.delete(IdempotentCall)
            .where(old, sa.not_(_OF_PREDICTION))
            .returning(IdempotentCall.account_id, IdempotentCall.stored_bytes, IdempotentCall.answered_at)
        )
        answered = [(row[0], row[1]) for row in gone if row[2] is not None]
        await StoredBytes(self._session).gone(Kind.ANSWERS, answered)


def stored() -> sa.Select[int, int, int]:
    """Selects account, bytes and items of all stored answers."""
    sums = sa.func.sum(IdempotentCall.stored_bytes), sa.func.count()
    kept = sa.select(IdempotentCall.account_id, *sums).where(IdempotentCall.answered_at.is_not(None))
    return kept.group_by(IdempotentCall.account_id)


def _call(account_id: int, scope: str) -> tuple[sa.ColumnElement[bool], ...]:
    return IdempotentCall.account_id == account_id, IdempotentCall.scope == scope


def _answer_of(row: IdempotentCall) -> Answer | None:
    if row.answered_at is None or row.body is None:
        return None
    if row.is_json:
        payload = Payload(json=row.body.decode(), data_type=row.data_type)
    else:
        payload = Payload(protobuf=row.body, data_type=row.data_type)
    return Answer(payload, row.headers or {})
