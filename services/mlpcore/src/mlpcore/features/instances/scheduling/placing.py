"""Writes the results of scheduling: which instances got a server, and why the others wait.

A pass may concern a thousand instances, so each kind of row is written by one statement.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm.attributes import set_committed_value

from mlpcore.features.instances.lifecycle.history import EventHistory, NewEvent
from mlpcore.features.instances.states import InstanceState, transition
from mlpcore.features.instances.tables import Instance
from mlpcore.features.placement.reasons import message_of
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.entries import NewEntry
from mlpcore.features.stat_logs.service import StatLogs
from mlplace_kit.clock import Clock
from mlplace_runtime.db.bulk import given_rows


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the scheduler knows of a locked instance that waits for a server.

    `row`: the instance in the session, if its attributes are read after scheduling.
    """

    instance_id: int
    account_id: int
    model_id: int
    derived: bool
    hostname: str | None
    reason: str | None
    details: Mapping[str, Any] | None
    row: Instance | None = None

    @classmethod
    def of(cls, row: Instance) -> "Candidate":
        return cls(
            row.instance_id,
            row.account_id,
            row.model_id,
            row.derived,
            row.hostname,
            row.waiting_reason,
            row.waiting_details,
            row,
        )


@dataclass(frozen=True, slots=True)
class Placed:
    instance: Candidate
    server_id: int
    server_name: str


@dataclass(frozen=True, slots=True)
class Waits:
    """`reason`: a short word; `details`: the numbers behind it, in the shape of `Instance.waiting_details`."""

    instance: Candidate
    reason: str
    details: Mapping[str, Any] | None

    @property
    def is_news(self) -> bool:
        """Whether another reason, or other numbers, are stored."""
        return (self.instance.reason, self.instance.details) != (self.reason, self.details)

    @property
    def is_another_cause(self) -> bool:
        """Whether something else is lacking than before. Another amount of it is no event."""
        before = (self.instance.reason, _kinds(self.instance.details))
        return before != (self.reason, _kinds(self.details))


class Placing:
    def __init__(self, session: AsyncSession, events: EventHistory, logs: StatLogs, clock: Clock) -> None:
        self._session = session
        self._events = events
        self._logs = logs
        self._clock = clock

    async def schedule(self, placed: Sequence[Placed]) -> None:
        """Gives each instance its server. The platform orders a new start."""
        if not placed:
            return
        transition(InstanceState.IDLE, InstanceState.SCHEDULED)
        now = self._clock.now()
        given = given_rows(
            {
                "instance_id": (sa.BigInteger(), [each.instance.instance_id for each in placed]),
                "server_id": (sa.BigInteger(), [each.server_id for each in placed]),
            }
        )
        values: dict[str, object] = {
            "state": InstanceState.SCHEDULED.value,
            "state_changed_at": now,
            "start_requested_at": now,
            "restart_count": 0,
            "waiting_reason": None,
            "waiting_details": None,
            "phase": None,
        }
        await self._write(
            sa.update(Instance)
            .where(Instance.instance_id == given.c.instance_id)
            .values(server_id=given.c.server_id, generation=Instance.generation + 1, **values)
        )
        for each in placed:
            if (row := each.instance.row) is not None:
                _remember(row, server_id=each.server_id, generation=row.generation + 1, **values)
        await self._events.add_all(
            [
                NewEvent(
                    each.instance.instance_id,
                    "Scheduled",
                    f"The instance was assigned to the server {each.server_name}",
                    host=each.instance.hostname,
                )
                for each in placed
            ],
            at=now,
        )

    async def wait(self, waiting: Sequence[Waits]) -> None:
        """Stores why the instances wait. Adds an event when the cause has changed, not for each change of a number."""
        news = [each for each in waiting if each.is_news]
        if not news:
            return
        given = given_rows(
            {
                "instance_id": (sa.BigInteger(), [each.instance.instance_id for each in news]),
                "reason": (sa.Text(), [each.reason for each in news]),
                "details": (sa.Text(), [_json(each.details) for each in news]),
            }
        )
        await self._write(
            sa.update(Instance)
            .where(Instance.instance_id == given.c.instance_id)
            .values(waiting_reason=given.c.reason, waiting_details=sa.cast(given.c.details, postgresql.JSONB))
        )
        for each in news:
            if (row := each.instance.row) is not None:
                _remember(row, waiting_reason=each.reason, waiting_details=each.details)
        await self._tell([each for each in news if each.is_another_cause])

    async def _tell(self, waiting: Sequence[Waits]) -> None:
        now = self._clock.now()
        texts = [message_of(each.details) or each.reason for each in waiting]
        await self._events.add_all(
            [
                NewEvent(each.instance.instance_id, each.reason, f"The instance waits: {why}", type="Warning")
                for each, why in zip(waiting, texts, strict=True)
            ],
            at=now,
        )
        entries = [_entry(each, why) for each, why in zip(waiting, texts, strict=True)]
        await self._logs.add_all(LogCode.INSTANCE_WAITING, entries, at=now, level="WARNING")

    async def _write(self, statement: sa.Update) -> None:
        await self._session.execute(statement, execution_options={"synchronize_session": False})


def _entry(each: Waits, why: str) -> NewEntry:
    args: dict[str, object] = {"instanceId": each.instance.instance_id, "reason": each.reason}
    if each.details is not None:
        args["details"] = each.details
    message = f"Instance {each.instance.instance_id} waits: {why}"
    return NewEntry(each.instance.account_id, each.instance.model_id, message, args)


def _remember(row: Instance, **values: object) -> None:
    """Sets attributes that the database has already."""
    for name, value in values.items():
        set_committed_value(row, name, value)


def _json(details: Mapping[str, Any] | None) -> str | None:
    return None if details is None else json.dumps(details)


def _kinds(details: Mapping[str, Any] | None) -> object:
    """Returns what is lacking, without amounts."""
    details = details or {}
    return details.get("limit", {}).get("name"), sorted(entry["what"] for entry in details.get("lacking", ()))
