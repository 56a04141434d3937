"""SQL of tasks."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.tasks.states import ACTIVE, JobStatus
from mlpcore.features.tasks.tables import Task, TaskRead
from mlplace_runtime.db.claims import DueRows
from mlplace_runtime.db.polling import ONE, moment

_ACTIVE = [status.value for status in ACTIVE]
_CLAIMS = DueRows(
    Task,
    key=Task.task_id,
    due=Task.due_at,
    waiting=Task.status.in_(_ACTIVE),
    ends=Task.locked_until,
    token=Task.lock_token,
)
_ROOTS = 100
DUE: Final = sa.select(ONE).where(_CLAIMS.free(moment("now"))).limit(ONE)
"""Finds something if `claim` does, whatever kinds and steps its caller knows."""
_SLOTS = 0x6A6F_6273
_FLAT = 1000


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Conditions that must all hold. `accounts` None: every account. `models` None: every model."""

    accounts: frozenset[int] | None
    models: frozenset[int] | None = None
    account: int | None = None
    model: int | None = None
    instance: int | None = None
    group_name: str | None = None
    server: int | None = None
    exclude_status: JobStatus | None = None


class TaskRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, task: Task) -> None:
        self._session.add(task)
        await self._session.flush()

    async def flush(self) -> None:
        await self._session.flush()

    async def lock(self, task_id: int) -> Task | None:
        return await self._first(sa.select(Task).where(Task.task_id == task_id).with_for_update())

    async def lock_claimed(self, task_id: int, token: uuid.UUID) -> Task | None:
        """Locks the task. Returns None when the claim is lost: another process has the task, or it was replaced."""
        claimed = sa.select(Task).where(_CLAIMS.holds(token, Task.task_id == task_id))
        return await self._first(claimed.with_for_update())

    async def claim(
        self, keys: Mapping[str, Sequence[str]], *, now: datetime, lease: timedelta, limit: int
    ) -> Sequence[tuple[int, uuid.UUID]]:
        """Claims due tasks without a live claim. Returns their ids, each with the token of the claim.

        `keys`: the steps that the caller knows, by kind. Tasks of other kinds or at other steps are skipped.
        """
        known = [(kind, key) for kind, own in keys.items() for key in own]
        at_known_step = sa.or_(Task.step_key.is_(None), sa.tuple_(Task.kind, Task.step_key).in_(known))
        token = uuid.uuid4()
        statement = _CLAIMS.claim_statement(
            Task.kind.in_(list(keys)), at_known_step, now=now, lease=lease, token=token, limit=limit
        )
        found = await self._session.execute(
            statement.returning(Task.task_id), execution_options={"synchronize_session": False}
        )
        return [(task_id, token) for task_id in sorted(found.scalars())]

    async def renew(self, task_id: int, token: uuid.UUID, *, until: datetime, percentage: int | None) -> str | None:
        """Extends the claim and stores the percentage. Returns the task's status; None when the claim is lost."""
        statement = _CLAIMS.renewal(token, Task.task_id == task_id, ends=until).returning(Task.status)
        if percentage is not None:
            statement = statement.values(percentage=percentage)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def children(self, task_id: int, *, lock: bool = False) -> Sequence[Task]:
        statement = sa.select(Task).where(Task.parent_id == task_id).order_by(Task.task_id)
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked if lock else statement)).all()

    async def by_ids(self, task_ids: Sequence[int], *, lock: bool = False) -> Sequence[Task]:
        ids = sa.literal(list(task_ids), postgresql.ARRAY(sa.BigInteger))
        statement = sa.select(Task).where(Task.task_id == sa.any_(ids)).order_by(Task.task_id)
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked if lock else statement)).all()

    async def lock_slot(self, slot: str) -> Sequence[Task]:
        """Locks the unfinished task of the slot and its descendants. Returns them, the innermost last.

        Locks the slot itself first, so that of two callers that find it free, the second sees the task of the first.
        """
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_SLOTS, sa.func.hashtext(slot))))
        holder = sa.select(Task.task_id).where(Task.slot == slot, Task.status.in_(_ACTIVE)).scalar_subquery()
        below = sa.select(Task.task_id).where(Task.parent_id == holder)
        family = sa.or_(Task.task_id == holder, Task.parent_id == holder, Task.parent_id.in_(below))
        statement = sa.select(Task).where(Task.status.in_(_ACTIVE), family).order_by(Task.task_id)
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked)).all()

    async def wake(self, *, waiting_for: int, parent: int | None, now: datetime) -> None:
        """Makes the tasks that wait for this task, and its parent, due now."""
        waiting = Task.wait_for.contains([waiting_for])
        concerned = waiting if parent is None else sa.or_(waiting, Task.task_id == parent)
        statement = sa.update(Task).where(Task.status.in_(_ACTIVE), concerned, Task.due_at > now).values(due_at=now)
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def tree(self, *, account_id: int, reader: str) -> Sequence[tuple[Task, str | None]]:
        """Returns the account's newest tasks with their parts, each with the status that the reader last saw."""
        roots = (
            sa.select(Task.task_id)
            .where(Task.account_id == account_id, Task.parent_id.is_(None), Task.status != JobStatus.REPLACED.value)
            .order_by(Task.task_id.desc())
            .limit(_ROOTS)
        )
        seen = sa.and_(TaskRead.task_id == Task.task_id, TaskRead.reader == reader)
        statement = (
            sa.select(Task, TaskRead.status)
            .outerjoin(TaskRead, seen)
            .where(
                sa.or_(Task.task_id.in_(roots), Task.root_id.in_(roots)),
                Task.account_id == account_id,
                Task.status != JobStatus.REPLACED.value,
            )
            .order_by(Task.task_id)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def flat(self, wanted: TaskFilter) -> Sequence[Task]:
        """Returns the newest 1,000 matching tasks, newest first."""
        statement = sa.select(Task).where(*_conditions(wanted)).order_by(Task.task_id.desc()).limit(_FLAT)
        return (await self._session.scalars(statement)).all()

    async def last_of_model(self, *, account_id: int, model_id: int) -> Task | None:
        statement = sa.select(Task).where(
            Task.account_id == account_id, Task.model_id == model_id, Task.parent_id.is_(None)
        )
        return await self._first(statement.order_by(Task.task_id.desc()).limit(1))

    async def mark_read(self, *, account_id: int, task_ids: Sequence[int], reader: str) -> None:
        chosen = sa.select(Task.task_id, sa.literal(reader), Task.status).where(
            Task.account_id == account_id, Task.task_id.in_(task_ids)
        )
        insert = postgresql.insert(TaskRead).from_select(["job_id", "reader", "status"], chosen)
        await self._session.execute(
            insert.on_conflict_do_update(index_elements=["job_id", "reader"], set_={"status": insert.excluded.status})
        )

    async def forget(self, *, before: datetime, limit: int) -> int:
        """Deletes up to `limit` tasks that ended before the moment, with their parts. Returns the number of rows."""
        old = (
            sa.select(Task.task_id)
            .where(Task.parent_id.is_(None), Task.ended_at < before)
            .order_by(Task.ended_at)
            .limit(limit)
        )
        ids = (await self._session.scalars(old)).all()
        if not ids:
            return 0
        gone = sa.delete(Task).where(sa.or_(Task.task_id.in_(ids), Task.root_id.in_(ids))).returning(Task.task_id)
        return len((await self._session.execute(gone)).all())

    async def _first(self, statement: sa.Select[Task]) -> Task | None:
        return (await self._session.scalars(statement.execution_options(populate_existing=True))).first()


def _conditions(wanted: TaskFilter) -> list[sa.ColumnElement[bool]]:
    pairs: list[tuple[Any, object | None]] = [
        (Task.account_id, wanted.account),
        (Task.model_id, wanted.model),
        (Task.instance_id, wanted.instance),
        (Task.group_name, wanted.group_name),
        (Task.server_id, wanted.server),
    ]
    found: list[sa.ColumnElement[bool]] = [column == value for column, value in pairs if value is not None]
    if wanted.accounts is not None:
        found.append(Task.account_id.in_(wanted.accounts))
    if wanted.models is not None:
        found.append(Task.model_id.in_(wanted.models))
    if wanted.exclude_status is not None:
        found.append(Task.status != wanted.exclude_status.value)
    return found
