"""The works that are in progress in this process."""

import asyncio
from functools import partial
from typing import Final

import structlog

from mlpcore.features.tasks.claims import Claims
from mlpcore.features.tasks.kinds import Work
from mlpcore.features.tasks.work_run import ClaimedTask, WorkRun
from mlpcore.state import CoreState

log = structlog.get_logger(__name__)

AT_ONCE: Final = 16
BEAT_SECONDS: Final = 3.0
"""A stop reaches the work within this time. It is a twentieth of a claim's lifetime, so that some renewals may fail."""


class Works:
    def __init__(
        self, state: CoreState, claims: Claims, *, at_once: int = AT_ONCE, beat_seconds: float = BEAT_SECONDS
    ) -> None:
        """`at_once`: the maximal number of works in progress. `beat_seconds`: the time between renewals of a claim."""
        self._state = state
        self._claims = claims
        self._at_once = at_once
        self._beat_seconds = beat_seconds
        self._runs: set[asyncio.Task[None]] = set()

    @property
    def full(self) -> bool:
        return len(self._runs) >= self._at_once

    def begin(self, held: ClaimedTask, work: Work) -> None:
        run = WorkRun(self._state, self._claims, held, work, beat_seconds=self._beat_seconds)
        running = asyncio.create_task(run.run(), name=f"task {held.task_id}")
        self._runs.add(running)
        running.add_done_callback(partial(self._forget, held.task_id))

    async def settled(self) -> None:
        """Waits until all works in progress have ended."""
        while self._runs:
            await asyncio.wait(self._runs)

    async def close(self) -> None:
        """Cancels all works and gives their tasks back to other processes."""
        for running in self._runs:
            running.cancel()
        await self.settled()

    def _forget(self, task_id: int, running: asyncio.Task[None]) -> None:
        self._runs.discard(running)
        if not running.cancelled() and (error := running.exception()) is not None:
            log.error("task_work_run_failed", task_id=task_id, exc_info=error)
