"""All SQL on predictions. Times are the database's, so that the hosts' clocks do not matter."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import cast

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from mlpgateway.features.predictions.fair_turns import claim_in_turns
from mlpgateway.features.predictions.states import OPEN, Status
from mlpgateway.features.predictions.tables import Prediction, WebhookDelivery
from mlpgateway.features.storage.counting import ROW_BYTES, Kind, StoredBytes, hours
from mlpgateway.features.storage.tables import StorageSetting
from mlpgateway.shares.share import Holder, Share
from mlplace_runtime.db.claims import DueRows

LEASE = timedelta(seconds=30)
MOST_INTERRUPTIONS = 2
_CLAIMS = DueRows(
    Prediction,
    key=Prediction.id,
    due=Prediction.not_before,
    waiting=sa.and_(Prediction.status == Status.QUEUED.value, sa.not_(Prediction.cancel_requested)),
    claimed=Prediction.status == Status.RUNNING.value,
    ends=Prediction.leased_until,
    token=Prediction.token,
    attempts=Prediction.attempts,
)
_FREE = {"token": None, "leased_until": None}
_DONE = {**_FREE, "credential": None, "completed_at": sa.func.now()}
_CANCELED = {"status": Status.CANCELED.value, **_DONE}


class PredictionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    # ---- For callers

    async def add(self, values: Mapping[str, object]) -> bool:
        """Inserts a prediction. Returns False when the account has one with the same scope."""
        statement = (
            insert(Prediction).values(**values).on_conflict_do_nothing(constraint="uq_prediction_account_id_scope")
        )
        added = statement.returning(Prediction.account_id, Prediction.stored_bytes)
        row = (await self._session.execute(added)).first()
        if row is None:
            return False
        await StoredBytes(self._session).change(row[0], Kind.PREDICTIONS, size=row[1], items=1)
        return True

    async def of_scope(self, account_id: int, scope: str) -> Prediction | None:
        return await self._one(Prediction.account_id == account_id, Prediction.scope == scope)

    async def find(self, account_id: int, prediction_id: uuid.UUID, *, key_id: int | None) -> Prediction | None:
        """With `key_id`, finds only predictions made with this key."""
        return await self._one(Prediction.id == prediction_id, *_shown_to(account_id, key_id))

    async def newest(
        self, account_id: int, *, key_id: int | None, status: Status | None, limit: int, offset: int
    ) -> list[Prediction]:
        """Returns the newest first, without requests and outputs."""
        light = defer(Prediction.call), defer(Prediction.output)
        statement = sa.select(Prediction).options(*light).where(*_shown_to(account_id, key_id))
        if status is not None:
            statement = statement.where(Prediction.status == status.value)
        statement = statement.order_by(Prediction.created_at.desc(), Prediction.id).limit(limit).offset(offset)
        return list((await self._session.execute(statement)).scalars())

    async def open_ones(self, account_id: int) -> int:
        mine = sa.and_(Prediction.account_id == account_id, Prediction.status.in_([*OPEN]))
        return (await self._session.execute(sa.select(sa.func.count()).where(mine))).scalar_one()

    async def cancel(self, prediction_id: uuid.UUID) -> Prediction | None:
        """Cancels a queued prediction and returns it. For a running one, asks its gate to stop it and returns None."""
        # Without the lock, a gate could queue the prediction again between the two updates: neither would find it.
        this = Prediction.id == prediction_id
        await self._session.execute(sa.select(Prediction.id).where(this).with_for_update())
        canceled = await self._changed(sa.and_(this, Prediction.status == Status.QUEUED.value), _CANCELED)
        if canceled:
            return canceled[0]
        running = sa.and_(this, Prediction.status == Status.RUNNING.value)
        await self._session.execute(sa.update(Prediction).where(running).values(cancel_requested=True))
        return None

    async def hide(
        self, account_id: int, *, key_id: int | None, prediction_id: uuid.UUID | None = None
    ) -> list[str | None]:
        """Hides all finished predictions, or the given one, until they are removed.

        Returns the scope that each had, None for none. Other predictions can have these scopes now.
        """
        over = sa.and_(*_shown_to(account_id, key_id), Prediction.status.not_in([status.value for status in OPEN]))
        which = over if prediction_id is None else sa.and_(over, Prediction.id == prediction_id)
        before = (
            sa.select(Prediction.id, Prediction.scope)
            .where(which)
            .order_by(Prediction.id)
            .with_for_update()
            .cte("before")
        )
        statement = (
            sa.update(Prediction).where(Prediction.id == before.c.id).values(deleted=True, scope=None)
        ).returning(before.c.scope)
        hidden = await self._session.execute(statement, execution_options={"synchronize_session": False})
        return list(hidden.scalars())

    # ---- For the gates

    async def any_open(self) -> bool:
        """Returns whether any prediction is queued or running."""
        which = Prediction.status.in_([Status.QUEUED.value, Status.RUNNING.value])
        return bool((await self._session.execute(sa.select(sa.exists().where(which)))).scalar_one())

    async def claim(self, token: uuid.UUID, limit: int, share: Share) -> list[Prediction]:
        """Claims queued predictions for this process, accounts in turns, as far as the share has room for them.

        Each one takes from the share, and whoever serves it gives that back.
        """
        of = Prediction.id, Prediction.account_id, cast("sa.ColumnElement[object]", Prediction.created_at)

        async def claim(wanted: Collection[uuid.UUID]) -> list[Prediction]:
            values = {"status": Status.RUNNING.value, "started_at": sa.func.now()}
            mine = Prediction.id.in_(wanted)
            return await _CLAIMS.claim(self._session, mine, now=sa.func.now(), lease=LEASE, token=token, values=values)

        return await claim_in_turns(self._session, of, _CLAIMS.free(sa.func.now()), share, limit, claim)

    async def renew(self, token: uuid.UUID, serving: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Renews the leases of `serving`. Returns those to cancel. Predictions not in `serving` lose their lease."""
        statement = _CLAIMS.renewal(token, Prediction.id.in_([*serving]), ends=sa.func.now() + LEASE)
        rows = (await self._session.execute(statement.returning(Prediction.id, Prediction.cancel_requested))).all()
        return {row.id for row in rows if row.cancel_requested}

    async def recover(self, error: Mapping[str, object]) -> tuple[list[Prediction], bool]:
        """Handles expired leases: a prediction is queued again once, and fails the next time.

        One whose caller has asked to cancel it is canceled, also if a gate of an earlier release has queued it again.
        Returns those that ended, and whether any were queued again.
        """
        lapsed, queued = _CLAIMS.lapsed(sa.func.now()), Prediction.status == Status.QUEUED.value
        canceled = await self._changed(sa.and_(Prediction.cancel_requested, sa.or_(lapsed, queued)), _CANCELED)
        left = sa.and_(lapsed, sa.not_(Prediction.cancel_requested))
        again = sa.update(Prediction).where(left, Prediction.attempts < MOST_INTERRUPTIONS)
        values = {"status": Status.QUEUED.value, "started_at": None, **_FREE}
        any_again = (await self._session.execute(again.values(**values).returning(Prediction.id))).first() is not None
        failed = await self._changed(left, {"status": Status.FAILED.value, "error": dict(error), **_DONE})
        return [*canceled, *failed], any_again

    async def hold(self, row: Prediction, token: uuid.UUID, size: int) -> bool:
        """Counts the prediction with `size` bytes from now on, before its answer is written.

        Returns False when another process has the prediction by now, and when its caller has asked to cancel it. A
        cancel after this comes too late.
        """
        mine = _CLAIMS.update(token, Prediction.id == row.id, sa.not_(Prediction.cancel_requested))
        statement = mine.values(stored_bytes=size).returning(Prediction.id)
        held = await self._session.execute(statement, execution_options={"synchronize_session": False})
        if held.first() is None:
            return False
        more = size - row.stored_bytes
        await StoredBytes(self._session).change(row.account_id, Kind.PREDICTIONS, size=more)
        return True

    async def finish(
        self, prediction_id: uuid.UUID, token: uuid.UUID, values: Mapping[str, object]
    ) -> Prediction | None:
        """Ends the prediction with its answer. Returns None when another process has it by now."""
        return await self._end(prediction_id, token, values)

    async def fail(self, prediction_id: uuid.UUID, token: uuid.UUID, error: Mapping[str, object]) -> Prediction | None:
        """Ends the prediction with an error, or as canceled if its caller has asked for that.

        Returns None when another process has it by now.
        """
        failed, canceled = sa.literal(Status.FAILED.value), sa.literal(Status.CANCELED.value)
        kept = _unless_canceled(sa.cast(dict(error), Prediction.error.type), sa.null())
        values = {"status": _unless_canceled(failed, canceled), "error": kept}
        return await self._end(prediction_id, token, values)

    async def _end(self, prediction_id: uuid.UUID, token: uuid.UUID, values: Mapping[str, object]) -> Prediction | None:
        mine = Prediction.id == prediction_id
        changed = await _CLAIMS.apply(self._session, token, mine, values={**values, **_DONE})
        return changed[0] if changed else None

    async def postpone(
        self, prediction_id: uuid.UUID, token: uuid.UUID, *, seconds: float, deadline: timedelta
    ) -> Prediction | None:
        """Queues the prediction for later, without counting an attempt, or cancels it like `put_back`.

        Returns None when it is past the deadline, or another process has it by now.
        """
        young = Prediction.created_at > sa.func.now() - deadline
        values = {**_put_back(seconds), "attempts": _unless_canceled(Prediction.attempts - 1, Prediction.attempts)}
        which = Prediction.id == prediction_id, sa.or_(young, Prediction.cancel_requested)
        changed = await _CLAIMS.apply(self._session, token, *which, values=values)
        return changed[0] if changed else None

    async def put_back(self, prediction_id: uuid.UUID, token: uuid.UUID) -> Prediction | None:
        """Queues an interrupted prediction again, for any process; cancels one whose caller has asked for that.

        Returns None when another process has it by now.
        """
        mine = Prediction.id == prediction_id
        changed = await _CLAIMS.apply(self._session, token, mine, values=_put_back(0))
        return changed[0] if changed else None

    async def due_in(self, *, but: Collection[Holder] = ()) -> float | None:
        """Returns the seconds until the next one of other accounts is due; None when there is none."""
        statement = sa.select(sa.func.min(Prediction.not_before) - sa.func.now())
        queued = sa.and_(Prediction.status == Status.QUEUED.value, Prediction.account_id.not_in([*but]))
        left = (await self._session.execute(statement.where(queued))).scalar_one()
        return None if left is None else left.total_seconds()

    async def old(self, age: timedelta, limit: int) -> list[tuple[uuid.UUID, bool]]:
        """Returns predictions to delete, and for each whether it may have objects, even of failed attempts.

        A postponed one counts no attempt, but its `not_before` has moved.
        """
        again = sa.or_(Prediction.attempts > 1, Prediction.not_before > Prediction.created_at)
        without_answer = sa.and_(Prediction.attempts > 0, Prediction.status != Status.SUCCEEDED.value)
        objects = sa.or_(Prediction.output_key.is_not(None), again, without_answer)
        kept = sa.func.least(hours(StorageSetting.prediction_hours), age)
        owner = sa.outerjoin(Prediction, StorageSetting, StorageSetting.account_id == Prediction.account_id)
        over = sa.or_(Prediction.deleted, Prediction.completed_at < sa.func.now() - kept)
        statement = sa.select(Prediction.id, objects).select_from(owner).where(over).limit(limit)
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def remove(self, predictions: Collection[uuid.UUID]) -> list[tuple[int, str]]:
        """Returns the accounts and scopes that are free now."""
        statement = sa.delete(Prediction).where(Prediction.id.in_(predictions))
        of = Prediction.account_id, Prediction.stored_bytes, Prediction.scope
        gone = (await self._session.execute(statement.returning(*of))).all()
        await StoredBytes(self._session).gone(Kind.PREDICTIONS, [(row[0], row[1]) for row in gone])
        return [(account_id, scope) for account_id, _, scope in gone if scope is not None]

    async def with_scopes(self, scopes: Sequence[tuple[int, str]]) -> set[tuple[int, str]]:
        """Returns those accounts and scopes that have a prediction."""
        of = Prediction.account_id, Prediction.scope
        rows = await self._session.execute(sa.select(*of).where(sa.tuple_(*of).in_(scopes)))
        return {(account_id, scope) for account_id, scope in rows if scope is not None}

    async def outputs_of(self, predictions: Collection[uuid.UUID]) -> dict[uuid.UUID, str | None]:
        """Returns the objects that finished predictions name. An open one is left out: it may write one any moment."""
        over = Prediction.status.not_in([status.value for status in OPEN])
        statement = sa.select(Prediction.id, Prediction.output_key).where(Prediction.id.in_(predictions), over)
        return {row[0]: row[1] for row in await self._session.execute(statement)}

    async def open_of(self, predictions: Collection[uuid.UUID]) -> set[uuid.UUID]:
        still = Prediction.status.in_([status.value for status in OPEN])
        statement = sa.select(Prediction.id).where(Prediction.id.in_(predictions), still)
        return set((await self._session.execute(statement)).scalars())

    async def _one(self, *conditions: sa.ColumnElement[bool]) -> Prediction | None:
        return (await self._session.execute(sa.select(Prediction).where(*conditions))).scalar_one_or_none()

    async def _changed(self, which: sa.ColumnElement[bool], values: Mapping[str, object]) -> list[Prediction]:
        statement = sa.update(Prediction).where(which).values(**values).returning(Prediction)
        rows: Sequence[Prediction] = (
            (await self._session.execute(statement, execution_options={"populate_existing": True})).scalars().all()
        )
        return list(rows)


def stored() -> sa.Select[int, int, int]:
    """Selects account, bytes and items of all predictions and webhook deliveries."""
    rows = sa.union_all(
        sa.select(Prediction.account_id, Prediction.stored_bytes, sa.literal(1).label("number")),
        sa.select(WebhookDelivery.account_id, WebhookDelivery.stored_bytes, sa.literal(0).label("number")),
    ).subquery()
    sums = sa.func.sum(rows.c.stored_bytes), sa.func.sum(rows.c.number)
    return sa.select(rows.c.account_id, *sums).group_by(rows.c.account_id)


def size_of(call: bytes, output: int = 0) -> int:
    """Returns the size with which a prediction is counted."""
    return ROW_BYTES + len(call) + output


def _shown_to(account_id: int, key_id: int | None) -> tuple[sa.ColumnElement[bool], ...]:
    mine = sa.true() if key_id is None else Prediction.key_id == key_id
    return Prediction.account_id == account_id, sa.not_(Prediction.deleted), mine


def _put_back(seconds: float) -> dict[str, object]:
    """Returns values that queue a prediction again, or end it if its caller has asked to cancel it.

    One statement decides: a cancel waits for it, and finds the prediction queued or canceled.
    """
    return {
        **_FREE,
        "status": _unless_canceled(sa.literal(Status.QUEUED.value), sa.literal(Status.CANCELED.value)),
        "started_at": _unless_canceled(sa.null(), Prediction.started_at),
        "not_before": sa.func.now() + timedelta(seconds=seconds),
        "credential": _unless_canceled(Prediction.credential, sa.null()),
        "completed_at": _unless_canceled(sa.null(), sa.func.now()),
    }


def _unless_canceled(value: object, otherwise: object) -> sa.ColumnElement[object]:
    return sa.case((Prediction.cancel_requested, otherwise), else_=value)


async def orphans(session: AsyncSession, objects: Sequence[tuple[uuid.UUID, str]]) -> list[str]:
    """Returns the keys of objects whose predictions are gone, and of leftovers of finished ones."""
    ids, repository = {found for found, _ in objects}, PredictionRepository(session)
    still, over = await repository.open_of(ids), await repository.outputs_of(ids)
    return [key for found, key in objects if found not in still and over.get(found) != key]
