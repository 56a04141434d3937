"""The loop that works on tasks. Any number of processes may run it: a task is claimed before it is worked on.

A claim is a token that ends by itself. A worker that dies leaves its claim to end; one that was only slow finds its
token gone when it wants to write, and has changed nothing.
"""

import uuid
from datetime import timedelta
from typing import Final

import structlog

from mlpcore.features.jobs.dependencies import jobs_of
from mlpcore.features.jobs.kinds import Kinds
from mlpcore.features.jobs.machine import Machine
from mlpcore.features.jobs.repository import JobRepository
from mlpcore.state import CoreState
from mlplace_runtime.failures import is_away
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)

CLAIM: Final = timedelta(seconds=60)
KEPT_FOR: Final = timedelta(days=30)
_BATCH = 20
_IDLE_SECONDS = 0.5
_TURNS = 50
_FORGET_SECONDS = 600.0
_FORGOTTEN_AT_ONCE = 500


class JobRunner:
    def __init__(self, state: CoreState, kinds: Kinds) -> None:
        self._state = state
        self._kinds = kinds

    async def turn(self) -> None:
        """Until nothing is due, or for a good while."""
        for _ in range(_TURNS):
            claimed = await self.claim()
            for job_id, token in claimed:
                await self.work(job_id, token)
            if not claimed:
                return

    async def claim(self) -> list[tuple[int, uuid.UUID]]:
        """Tasks of kinds and at steps that this build does not know are left to processes of a newer one."""
        now = self._state.clock.now()
        async with self._state.database.transaction() as session:
            repository = JobRepository(session)
            return list(await repository.claim(self._kinds.keys, now=now, until=now + CLAIM, limit=_BATCH))

    async def work(self, job_id: int, token: uuid.UUID) -> None:
        """One turn, then the claim ends. Does nothing without the claim."""
        try:
            await self._once(job_id, token, None)
        except Exception as error:
            if is_away(error):
                raise
            log.exception("task_step_failed", job_id=job_id)
            await self._once(job_id, token, error)

    async def _once(self, job_id: int, token: uuid.UUID, error: Exception | None) -> None:
        async with self._state.database.transaction() as session:
            repository = JobRepository(session)
            job = await repository.lock_claimed(job_id, token)
            if job is None:
                return
            machine = Machine(self._kinds, session, self._state, jobs_of(session, self._state.clock))
            if error is None:
                await machine.turn(job)
            else:
                await machine.stumbled(job, error)
            job.lock_token = job.locked_until = None
            await repository.flush()

    async def forget(self) -> None:
        """What ended long ago."""
        before = self._state.clock.now() - KEPT_FOR
        async with self._state.database.transaction() as session:
            while await JobRepository(session).forget(before=before, limit=_FORGOTTEN_AT_ONCE):
                pass


def runner_loop(state: CoreState, kinds: Kinds) -> Loop:
    runner = JobRunner(state, kinds)
    return Loop("jobs", lambda: every(_IDLE_SECONDS, runner.turn))


def forgetting_loop(state: CoreState, kinds: Kinds) -> Loop:
    runner = JobRunner(state, kinds)
    return Loop("jobs-forgetting", lambda: every(_FORGET_SECONDS, runner.forget))
