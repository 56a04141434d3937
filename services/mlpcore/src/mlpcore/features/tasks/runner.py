"""The loop that runs tasks. Any number of processes may run it: each claims a task before working on it."""

import asyncio
import uuid
from datetime import timedelta
from typing import Final

import structlog

from mlpcore.features.tasks.claims import Claims
from mlpcore.features.tasks.kinds import Kinds
from mlpcore.features.tasks.repository import DUE, TaskRepository
from mlpcore.features.tasks.work_run import held
from mlpcore.features.tasks.works import AT_ONCE, BEAT_SECONDS, Works
from mlpcore.state import CoreState
from mlplace_runtime.failures import is_away
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)

KEPT_FOR: Final = timedelta(days=30)
_NO_ROOM_PAUSE = timedelta(seconds=1)
_IDLE_SECONDS = 0.5
_TURNS = 50
_FORGET_SECONDS = 600.0
_FORGOTTEN_AT_ONCE = 500


class TaskRunner:
    def __init__(
        self, state: CoreState, kinds: Kinds, *, works_at_once: int = AT_ONCE, beat_seconds: float = BEAT_SECONDS
    ) -> None:
        self._state = state
        self._kinds = kinds
        self._claims = Claims(state, kinds)
        self.works = Works(state, self._claims, at_once=works_at_once, beat_seconds=beat_seconds)

    async def run(self) -> None:
        """Runs until cancelled. Works continue while the loop restarts after an error."""
        try:
            await every(_IDLE_SECONDS, self._look)
        except asyncio.CancelledError:
            await self.works.close()
            raise

    async def _look(self) -> None:
        if await self._state.database.polling.finds(DUE, now=self._state.clock.now()):
            await self.turn()

    async def turn(self) -> None:
        """Runs due tasks until none is due or 50 batches are done. Works run beside it."""
        for _ in range(_TURNS):
            claimed = await self.claim()
            for task_id, token in claimed:
                await self.work(task_id, token)
            if not claimed:
                return

    async def claim(self) -> list[tuple[int, uuid.UUID]]:
        return await self._claims.take(outside=not self.works.full)

    async def work(self, task_id: int, token: uuid.UUID) -> None:
        """Runs one turn of the task. Then the claim ends, or a work begins under it. Does nothing without the claim."""
        try:
            await self._once(task_id, token)
        except Exception as error:
            if is_away(error):
                raise
            log.exception("task_step_failed", task_id=task_id)
            async with self._claims.opened(task_id, token) as claimed:
                if claimed is not None:
                    await claimed.machine.stumbled(claimed.task, error)

    async def _once(self, task_id: int, token: uuid.UUID) -> None:
        async with self._claims.opened(task_id, token) as claimed:
            if claimed is None:
                return
            task = claimed.task
            if self.works.full and claimed.machine.goes_outside(task):
                task.due_at = self._state.clock.now() + _NO_ROOM_PAUSE
                return
            work = await claimed.machine.turn(task)
            claimed.keep = work is not None
        if work is not None:
            self.works.begin(held(task, token, self._kinds.of(task)), work)

    async def forget(self) -> None:
        """Deletes tasks that ended more than 30 days ago."""
        before = self._state.clock.now() - KEPT_FOR
        async with self._state.database.transaction() as session:
            while await TaskRepository(session).forget(before=before, limit=_FORGOTTEN_AT_ONCE):
                pass


def runner_loop(state: CoreState, kinds: Kinds) -> Loop:
    runner = TaskRunner(state, kinds)
    return Loop("tasks", runner.run)


def forgetting_loop(state: CoreState, kinds: Kinds) -> Loop:
    runner = TaskRunner(state, kinds)
    return Loop("tasks-forgetting", lambda: every(_FORGET_SECONDS, runner.forget))
