"""Claims of tasks, and what may be written under them.

A claim is a token that ends by itself. A process that dies leaves its claim to end; one that was only slow finds its
token gone when it wants to write, and has changed nothing.
"""

import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mlpcore.features.tasks.dependencies import tasks_of
from mlpcore.features.tasks.kinds import Kinds
from mlpcore.features.tasks.machine import Machine
from mlpcore.features.tasks.repository import TaskRepository
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState

CLAIM: Final = timedelta(seconds=60)
_BATCH = 20


@dataclass(slots=True)
class Claimed:
    """A task that is locked by the present transaction. `keep`: its claim goes on when the transaction has ended."""

    task: Task
    machine: Machine
    keep: bool = False


class Claims:
    def __init__(self, state: CoreState, kinds: Kinds) -> None:
        self._state = state
        self._kinds = kinds

    async def take(self, *, outside: bool) -> list[tuple[int, uuid.UUID]]:
        """Some of the due tasks. `outside`: also those that are at a step which works outside the session.

        Tasks of kinds and at steps that this build does not know are left to processes of a newer one.
        """
        now = self._state.clock.now()
        keys = self._kinds.keys if outside else self._kinds.keys_inside
        async with self._state.database.transaction() as session:
            return list(await TaskRepository(session).claim(keys, now=now, until=now + CLAIM, limit=_BATCH))

    @asynccontextmanager
    async def opened(self, task_id: int, token: uuid.UUID) -> AsyncGenerator[Claimed | None]:
        """One transaction with the claimed task; None without the claim. The claim ends with it, unless it is kept."""
        async with self._state.database.transaction() as session:
            repository = TaskRepository(session)
            task = await repository.lock_claimed(task_id, token)
            if task is None:
                yield None
                return
            claimed = Claimed(task, Machine(self._kinds, session, self._state, tasks_of(session, self._state.clock)))
            yield claimed
            if claimed.keep:
                task.locked_until = self._state.clock.now() + CLAIM
            else:
                task.lock_token = task.locked_until = None
            await repository.flush()

    async def renew(self, task_id: int, token: uuid.UUID, *, percentage: int | None) -> str | None:
        """Returns the status of the task, None when the claim is over."""
        until = self._state.clock.now() + CLAIM
        async with self._state.database.transaction() as session:
            return await TaskRepository(session).renew(task_id, token, until=until, percentage=percentage)
