"""SQL of an instance's history: its events, and the newest output of its last two runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.tables import InstanceEvent, InstanceLog
from mlplace_runtime.db.bulk import given_rows

_SHOWN_EVENTS = 200
_KEPT_BYTES = 256 * 1024
_KEPT_RUNS = 2
_MAX_MESSAGE = 2000


@dataclass(frozen=True, slots=True)
class Tail:
    """The last characters of a run's output. `end`: characters of it that were ever stored."""

    run: str
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class NewEvent:
    instance_id: int
    reason: str
    message: str
    type: Literal["Normal", "Warning"] = "Normal"
    host: str | None = None


class EventHistory:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(
        self,
        *,
        instance_id: int,
        reason: str,
        message: str,
        at: datetime,
        type_: Literal["Normal", "Warning"] = "Normal",
        host: str | None = None,
    ) -> None:
        """Adds an event. One that equals the last event only raises that event's count."""
        message = message[:_MAX_MESSAGE]
        last = await self._last(instance_id)
        if last is not None and (last.reason, last.message) == (reason, message):
            last.count += 1
            last.last_seen_at = at
            return
        self._session.add(
            InstanceEvent(
                instance_id=instance_id,
                type=type_,
                reason=reason,
                message=message,
                host=host,
                count=1,
                first_seen_at=at,
                last_seen_at=at,
            )
        )
        await self._session.flush()

    async def add_all(self, events: Sequence[NewEvent], *, at: datetime) -> None:
        """Adds events of several instances in one statement, without comparing them with earlier ones."""
        if not events:
            return
        columns = {
            "instance_id": (sa.BigInteger(), [event.instance_id for event in events]),
            "type": (sa.Text(), [event.type for event in events]),
            "reason": (sa.Text(), [event.reason for event in events]),
            "message": (sa.Text(), [event.message[:_MAX_MESSAGE] for event in events]),
            "host": (sa.Text(), [event.host for event in events]),
        }
        given = given_rows(columns)
        same = {"count": sa.literal(1), "first_seen_at": sa.literal(at), "last_seen_at": sa.literal(at)}
        rows = sa.select(*given.c, *same.values())
        await self._session.execute(sa.insert(InstanceEvent).from_select([*columns, *same], rows))

    async def _last(self, instance_id: int) -> InstanceEvent | None:
        mine = sa.select(InstanceEvent).where(InstanceEvent.instance_id == instance_id)
        return (await self._session.scalars(mine.order_by(InstanceEvent.event_id.desc()).limit(1))).first()

    async def of_instance(self, instance_id: int) -> Sequence[InstanceEvent]:
        """Returns the newest 200 events, the oldest first."""
        mine = sa.select(InstanceEvent).where(InstanceEvent.instance_id == instance_id)
        newest = await self._session.scalars(mine.order_by(InstanceEvent.event_id.desc()).limit(_SHOWN_EVENTS))
        return list(reversed(newest.all()))


class OutputHistory:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def append(self, *, instance_id: int, generation: int, restart_count: int, offset: int, text: str) -> None:
        """Appends a chunk of a run's output. Skips the bytes that are stored already, so a chunk may be repeated.

        `offset`: bytes of output before the chunk since the run began.
        """
        row = await self._session.get(InstanceLog, (instance_id, generation, restart_count))
        if row is None:
            row = InstanceLog(
                instance_id=instance_id,
                generation=generation,
                restart_count=restart_count,
                text="",
                end_offset=offset,
                stored_length=0,
            )
            self._session.add(row)
        fresh = text.encode(errors="replace")[max(0, row.end_offset - offset) :]
        row.end_offset = max(row.end_offset, offset)  # the chunk starts later when an earlier one was lost
        row.end_offset += len(fresh)
        added = fresh.decode(errors="ignore").replace("\0", "\ufffd")
        row.stored_length += len(added)
        row.text = (row.text + added).encode()[-_KEPT_BYTES:].decode(errors="ignore")
        await self._session.flush()
        await self._forget_old_runs(instance_id)

    async def _forget_old_runs(self, instance_id: int) -> None:
        runs = sa.tuple_(InstanceLog.generation, InstanceLog.restart_count)
        newest = (
            sa.select(InstanceLog.generation, InstanceLog.restart_count)
            .where(InstanceLog.instance_id == instance_id)
            .order_by(InstanceLog.generation.desc(), InstanceLog.restart_count.desc())
            .limit(_KEPT_RUNS)
        )
        statement = sa.delete(InstanceLog).where(InstanceLog.instance_id == instance_id, runs.not_in(newest))
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def tail(self, instance_id: int, *, run: str | None, since: int, previous: bool) -> Tail | None:
        """Returns what was stored after the first `since` characters of the newest run, or of the run before it.

        Returns all that is kept if this is not the run that the caller read; None without output.
        """
        name = sa.func.concat(InstanceLog.generation, ".", InstanceLog.restart_count)
        fresh = InstanceLog.stored_length - since
        # The text is cut in the database: a reader who follows it asks every few seconds.
        text = sa.case((name != (run or ""), InstanceLog.text), else_=sa.func.right(InstanceLog.text, _count(fresh)))
        rows = sa.select(name, InstanceLog.stored_length, text).where(InstanceLog.instance_id == instance_id)
        ordered = rows.order_by(InstanceLog.generation.desc(), InstanceLog.restart_count.desc())
        found = (await self._session.execute(ordered.offset(1 if previous else 0).limit(1))).first()
        return None if found is None else Tail(*found)

    async def text(self, instance_id: int, *, previous: bool) -> str:
        """Returns the output of the newest run or of the run before it; empty when there is none."""
        mine = sa.select(InstanceLog.text).where(InstanceLog.instance_id == instance_id)
        ordered = mine.order_by(InstanceLog.generation.desc(), InstanceLog.restart_count.desc())
        return await self._session.scalar(ordered.offset(1 if previous else 0).limit(1)) or ""


def _count(length: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """Bounds the length: `right` counts a negative one from the start, and takes a 32-bit number."""
    return sa.cast(sa.func.least(sa.func.greatest(length, 0), _KEPT_BYTES), sa.Integer)
