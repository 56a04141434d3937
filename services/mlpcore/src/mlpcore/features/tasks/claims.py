"""Claims of tasks. Only the holder of a claim may write to its task.

A claim is a token that expires. When a process dies, its claim expires and another process takes the task. A process
that was only slow no longer finds its token when it wants to write, and changes nothing.
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
"""Of a task at a step that works outside the session; the process renews it."""
TAKEN: Final = timedelta(seconds=15)
"""Of a task whose step is about to run: tasks of a killed process go on soon. A step locks its row while it runs,
so a long one keeps its task.
"""
_BATCH = 20


@dataclass(slots=True)
class Claimed:
    """A task that the current transaction has locked. `keep`: the claim continues after the transaction."""

    task: Task
    machine: Machine
    keep: bool = False


class Claims:
    def __init__(self, state: CoreState, kinds: Kinds) -> None:
        self._state = state
        self._kinds = kinds

    async def take(self, *, outside: bool) -> list[tuple[int, uuid.UUID]]:
        """Claims some of the due tasks. `outside`: also tasks at a step that works outside the session.

        Skips tasks of kinds and at steps that this build does not know: a process of a newer build takes them.
        """
        now = self._state.clock.now()
        keys = self._kinds.keys if outside else self._kinds.keys_inside
        async with self._state.database.transaction() as session:
            return list(await TaskRepository(session).claim(keys, now=now, lease=TAKEN, limit=_BATCH))

    @asynccontextmanager
    async def opened(self, task_id: int, token: uuid.UUID) -> AsyncGenerator[Claimed | None]:
        """Opens a transaction with the claimed task; yields None when the claim is lost.

        The claim ends with the transaction unless `keep` is set.
        """
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
        """Extends the claim. Returns the status of the task; None when the claim is lost."""
        until = self._state.clock.now() + CLAIM
        async with self._state.database.transaction() as session:
            return await TaskRepository(session).renew(task_id, token, until=until, percentage=percentage)
