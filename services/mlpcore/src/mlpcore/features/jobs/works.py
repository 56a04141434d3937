"""The works that are in progress in this process."""

import asyncio
from functools import partial
from typing import Final

import structlog

from mlpcore.features.jobs.claims import Claims
from mlpcore.features.jobs.kinds import Work
from mlpcore.features.jobs.work_run import Held, WorkRun
from mlpcore.state import CoreState

log = structlog.get_logger(__name__)

AT_ONCE: Final = 16
BEAT_SECONDS: Final = 3.0
"""A stop reaches the work within this time; a twentieth of a lease, so that some beats may fail."""


class Works:
    def __init__(
        self, state: CoreState, claims: Claims, *, at_once: int = AT_ONCE, beat_seconds: float = BEAT_SECONDS
    ) -> None:
        """`at_once`: so many works may be in progress. `beat_seconds`: between two renewals of a lease."""
        self._state = state
        self._claims = claims
        self._at_once = at_once
        self._beat_seconds = beat_seconds
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def full(self) -> bool:
        return len(self._tasks) >= self._at_once

    def begin(self, held: Held, work: Work) -> None:
        run = WorkRun(self._state, self._claims, held, work, beat_seconds=self._beat_seconds)
        task = asyncio.create_task(run.run(), name=f"task {held.job_id}")
        self._tasks.add(task)
        task.add_done_callback(partial(self._forget, held.job_id))

    async def settled(self) -> None:
        """All that are in progress have ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Cancels them, and gives their tasks to other processes."""
        for task in self._tasks:
            task.cancel()
        await self.settled()

    def _forget(self, job_id: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("task_work_run_failed", job_id=job_id, exc_info=error)
