"""SQL of tasks."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.jobs.states import ACTIVE, JobStatus
from mlpcore.features.jobs.tables import Job, JobRead

_ACTIVE = [status.value for status in ACTIVE]
_ROOTS = 100
_SLOTS = 0x6A6F_6273
_FLAT = 1000


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Conditions that must all hold. `accounts` None: of every account; `models` None: of every model."""

    accounts: frozenset[int] | None
    models: frozenset[int] | None = None
    account: int | None = None
    model: int | None = None
    instance: int | None = None
    group_name: str | None = None
    server: int | None = None
    exclude_status: JobStatus | None = None


class JobRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, job: Job) -> None:
        self._session.add(job)
        await self._session.flush()

    async def flush(self) -> None:
        await self._session.flush()

    async def lock(self, job_id: int) -> Job | None:
        return await self._first(sa.select(Job).where(Job.job_id == job_id).with_for_update())

    async def lock_claimed(self, job_id: int, token: uuid.UUID) -> Job | None:
        """None when the claim is over: another worker has it, or it was replaced."""
        claimed = sa.select(Job).where(Job.job_id == job_id, Job.lock_token == token, Job.status.in_(_ACTIVE))
        return await self._first(claimed.with_for_update())

    async def claim(
        self, keys: Mapping[str, Sequence[str]], *, now: datetime, until: datetime, limit: int
    ) -> Sequence[tuple[int, uuid.UUID]]:
        """Due tasks that nobody works on, each with a token of this claim.

        `keys`: the steps that the caller knows, by kind. Tasks of other kinds or at other steps are left out.
        """
        known = [(kind, key) for kind, own in keys.items() for key in own]
        due = (
            sa.select(Job.job_id)
            .where(
                Job.status.in_(_ACTIVE),
                Job.due_at <= now,
                Job.kind.in_(list(keys)),
                sa.or_(Job.step_key.is_(None), sa.tuple_(Job.kind, Job.step_key).in_(known)),
                sa.or_(Job.locked_until.is_(None), Job.locked_until < now),
            )
            .order_by(Job.due_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        token = uuid.uuid4()
        statement = (
            sa.update(Job).where(Job.job_id.in_(due)).values(lock_token=token, locked_until=until).returning(Job.job_id)
        )
        found = await self._session.execute(statement, execution_options={"synchronize_session": False})
        return [(job_id, token) for job_id in sorted(found.scalars())]

    async def renew(self, job_id: int, token: uuid.UUID, *, until: datetime, percentage: int | None) -> str | None:
        """The claim ends later, and the task is that far. Returns its status, None when the claim is over."""
        values = {"locked_until": until} | ({} if percentage is None else {"percentage": percentage})
        claimed = (Job.job_id == job_id, Job.lock_token == token, Job.status.in_(_ACTIVE))
        statement = sa.update(Job).where(*claimed).values(values).returning(Job.status)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def children(self, job_id: int, *, lock: bool = False) -> Sequence[Job]:
        statement = sa.select(Job).where(Job.parent_id == job_id).order_by(Job.job_id)
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked if lock else statement)).all()

    async def by_ids(self, job_ids: Sequence[int]) -> Sequence[Job]:
        return (await self._session.scalars(sa.select(Job).where(Job.job_id.in_(job_ids)))).all()

    async def lock_slot(self, slot: str) -> Sequence[Job]:
        """The unfinished task of the slot with its descendants, the innermost last.

        The slot itself is locked before: of two who find it free, the second sees what the first has put there.
        """
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_SLOTS, sa.func.hashtext(slot))))
        holder = sa.select(Job.job_id).where(Job.slot == slot, Job.status.in_(_ACTIVE)).scalar_subquery()
        below = sa.select(Job.job_id).where(Job.parent_id == holder)
        family = sa.or_(Job.job_id == holder, Job.parent_id == holder, Job.parent_id.in_(below))
        statement = sa.select(Job).where(Job.status.in_(_ACTIVE), family).order_by(Job.job_id)
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked)).all()

    async def wake(self, *, waiting_for: int, parent: int | None, now: datetime) -> None:
        """What waits for this task is due now."""
        waiting = Job.wait_for.contains([waiting_for])
        concerned = waiting if parent is None else sa.or_(waiting, Job.job_id == parent)
        statement = sa.update(Job).where(Job.status.in_(_ACTIVE), concerned, Job.due_at > now).values(due_at=now)
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def tree(self, *, account_id: int, reader: str) -> Sequence[tuple[Job, str | None]]:
        """The account's newest tasks with their parts, each with the status in which the reader has seen it."""
        roots = (
            sa.select(Job.job_id)
            .where(Job.account_id == account_id, Job.parent_id.is_(None), Job.status != JobStatus.REPLACED.value)
            .order_by(Job.job_id.desc())
            .limit(_ROOTS)
        )
        seen = sa.and_(JobRead.job_id == Job.job_id, JobRead.reader == reader)
        statement = (
            sa.select(Job, JobRead.status)
            .outerjoin(JobRead, seen)
            .where(
                sa.or_(Job.job_id.in_(roots), Job.root_id.in_(roots)),
                Job.account_id == account_id,
                Job.status != JobStatus.REPLACED.value,
            )
            .order_by(Job.job_id)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def flat(self, wanted: JobFilter) -> Sequence[Job]:
        """The newest thousand that pass, newest first."""
        statement = sa.select(Job).where(*_conditions(wanted)).order_by(Job.job_id.desc()).limit(_FLAT)
        return (await self._session.scalars(statement)).all()

    async def last_of_model(self, *, account_id: int, model_id: int) -> Job | None:
        statement = sa.select(Job).where(
            Job.account_id == account_id, Job.model_id == model_id, Job.parent_id.is_(None)
        )
        return await self._first(statement.order_by(Job.job_id.desc()).limit(1))

    async def mark_read(self, *, account_id: int, job_ids: Sequence[int], reader: str) -> None:
        chosen = sa.select(Job.job_id, sa.literal(reader), Job.status).where(
            Job.account_id == account_id, Job.job_id.in_(job_ids)
        )
        insert = postgresql.insert(JobRead).from_select(["job_id", "reader", "status"], chosen)
        await self._session.execute(
            insert.on_conflict_do_update(index_elements=["job_id", "reader"], set_={"status": insert.excluded.status})
        )

    async def forget(self, *, before: datetime, limit: int) -> int:
        """Delete trees that ended before that moment. Returns how many tasks went."""
        old = (
            sa.select(Job.job_id)
            .where(Job.parent_id.is_(None), Job.ended_at < before)
            .order_by(Job.ended_at)
            .limit(limit)
        )
        ids = (await self._session.scalars(old)).all()
        if not ids:
            return 0
        gone = sa.delete(Job).where(sa.or_(Job.job_id.in_(ids), Job.root_id.in_(ids))).returning(Job.job_id)
        return len((await self._session.execute(gone)).all())

    async def _first(self, statement: sa.Select[Job]) -> Job | None:
        return (await self._session.scalars(statement.execution_options(populate_existing=True))).first()


def _conditions(wanted: JobFilter) -> list[sa.ColumnElement[bool]]:
    pairs: list[tuple[Any, object | None]] = [
        (Job.account_id, wanted.account),
        (Job.model_id, wanted.model),
        (Job.instance_id, wanted.instance),
        (Job.group_name, wanted.group_name),
        (Job.server_id, wanted.server),
    ]
    found: list[sa.ColumnElement[bool]] = [column == value for column, value in pairs if value is not None]
    if wanted.accounts is not None:
        found.append(Job.account_id.in_(wanted.accounts))
    if wanted.models is not None:
        found.append(Job.model_id.in_(wanted.models))
    if wanted.exclude_status is not None:
        found.append(Job.status != wanted.exclude_status.value)
    return found
