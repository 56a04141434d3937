"""SQL of an instance's history: its events, and the newest output of its last two runs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.tables import InstanceEvent, InstanceLog

_SHOWN_EVENTS = 200
_KEPT_BYTES = 256 * 1024
_KEPT_RUNS = 2
_MAX_MESSAGE = 2000


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
                instance_id=instance_id, generation=generation, restart_count=restart_count, text="", end_offset=offset
            )
            self._session.add(row)
        fresh = text.encode(errors="replace")[max(0, row.end_offset - offset) :]
        row.end_offset = max(row.end_offset, offset)  # the chunk starts later when an earlier one was lost
        row.end_offset += len(fresh)
        row.text = (row.text.encode() + fresh)[-_KEPT_BYTES:].decode(errors="ignore").replace("\0", "\ufffd")
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

    async def text(self, instance_id: int, *, previous: bool) -> str:
        """Returns the output of the newest run or of the run before it; empty when there is none."""
        mine = sa.select(InstanceLog.text).where(InstanceLog.instance_id == instance_id)
        ordered = mine.order_by(InstanceLog.generation.desc(), InstanceLog.restart_count.desc())
        return await self._session.scalar(ordered.offset(1 if previous else 0).limit(1)) or ""
