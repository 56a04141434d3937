"""One run of a work under the claim of its task: renews the claim, cancels the work, writes or drops its result."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final, TypeVar

import structlog

from mlpcore.features.tasks.claims import CLAIM, Claims
from mlpcore.features.tasks.kinds import Apply, TaskKind, Work, WorkContext
from mlpcore.features.tasks.tables import Task
from mlpcore.metrics import TASK_WORK_SECONDS, TASK_WORKS, TASK_WORKS_ENDED
from mlpcore.state import CoreState
from mlplace_runtime.failures import is_away, is_of_the_database
from mlplace_runtime.outage import Outage

log = structlog.get_logger(__name__)

_Value = TypeVar("_Value")
_MARGIN: Final = timedelta(seconds=15)
"""A work whose claim cannot be renewed is cancelled this long before the claim expires, to end before the next one."""
_CLEANING_UP_SECONDS: Final = 10.0
_WRITE_FOR: Final = timedelta(minutes=10)
"""How long a result is kept while the database is unavailable."""


class Ending(StrEnum):
    """How a run ended. `FAILED`: the work raised an error; it is retried, or its step has failed.

    `UNWRITTEN`: `apply` raised unexpectedly, or the database stayed unavailable; the work is repeated.
    """

    APPLIED = "applied"
    FAILED = "failed"
    STOPPED = "stopped"
    LOST = "lost"
    UNWRITTEN = "unwritten"
    GIVEN_BACK = "given_back"


@dataclass(frozen=True, slots=True)
class ClaimedTask:
    """The values of a claimed task at the moment when its work began."""

    task_id: int
    token: uuid.UUID
    kind: str
    step: str
    key: str
    status: str
    attempt: int
    percentages: tuple[int, int] | None
    """The task's percentages at the start and the end of the step; None while the task is being undone."""


def held(task: Task, token: uuid.UUID, kind: TaskKind) -> ClaimedTask:
    ends = (kind.percentage(task, 0.0), kind.percentage(task, 1.0)) if task.status == "RUN" else None
    step = task.step_key or ""
    # The time makes the key unique: ids of tasks start again in a new database, and repeat after a restore.
    key = f"task-{task.task_id}-{int(task.created_at.timestamp())}-{step}"
    return ClaimedTask(task.task_id, token, task.kind, step, key, task.status, task.attempts, ends)


class WorkRun:
    def __init__(self, state: CoreState, claims: Claims, held: ClaimedTask, work: Work, *, beat_seconds: float) -> None:
        self._state = state
        self._claims = claims
        self._held = held
        self._work = work
        self._beat_seconds = beat_seconds
        self._percentage: int | None = None
        self._log = log.bind(task_id=held.task_id, kind=held.kind, step=held.step)

    async def run(self) -> None:
        """Runs until the work has ended. When cancelled, gives the task back to other processes."""
        labels = (self._held.kind, self._held.step)
        running = asyncio.create_task(self._bounded())
        ending = Ending.LOST
        with TASK_WORKS.labels(*labels).track_inprogress(), TASK_WORK_SECONDS.labels(*labels).time():
            try:
                ending = await self._watch(running) or await self._conclude(running)
                if ending is Ending.STOPPED:
                    await self._release()
            except asyncio.CancelledError:
                ending = await self._leave(running)
                raise
            finally:
                await self._stop(running)
                TASK_WORKS_ENDED.labels(*labels, ending.value).inc()
                self._log.info("task_work_ended", outcome=ending.value)

    async def _bounded(self) -> Apply:
        context = WorkContext(
            task_id=self._held.task_id,
            key=self._held.key,
            attempt=self._held.attempt,
            state=self._state,
            report=self._report,
        )
        async with asyncio.timeout(self._work.limit_seconds):
            return await self._work.run(context)

    def _report(self, fraction: float) -> None:
        if self._held.percentages is not None:
            begin, end = self._held.percentages
            self._percentage = int(begin + (end - begin) * min(max(fraction, 0.0), 1.0))

    # ---- While the work runs

    async def _watch(self, running: asyncio.Task[Apply]) -> Ending | None:
        """Renews the claim while the work runs. Returns None when the work has ended by itself."""
        lease_ends = self._state.clock.now() + CLAIM
        while not await self._ended(running):
            began = self._state.clock.now()
            try:
                status = await self._renew()
            except Exception as error:
                if not is_of_the_database(error):
                    raise
                self._log.warning("task_claim_not_renewed", error=repr(error)[:500])
                if self._state.clock.now() < lease_ends - _MARGIN:
                    continue
                status = None
            if status is None:
                await self._stop(running)
                return Ending.LOST
            lease_ends = began + CLAIM
            if status != self._held.status:
                await self._stop(running, renewing=True)
                return Ending.STOPPED
        return None

    async def _ended(self, running: asyncio.Task[Apply]) -> bool:
        return bool((await asyncio.wait({running}, timeout=self._beat_seconds))[0])

    async def _renew(self) -> str | None:
        return await self._claims.renew(self._held.task_id, self._held.token, percentage=self._percentage)

    async def _stop(self, running: asyncio.Task[Apply], *, renewing: bool = False) -> None:
        """Cancels the work and waits for its end. `renewing`: keeps the claim until then, so that no undo begins."""
        clock = asyncio.get_running_loop().time
        again = clock()
        while not running.done():
            if clock() >= again:
                running.cancel()
                again = clock() + _CLEANING_UP_SECONDS
            if not await self._ended(running) and renewing:
                await self._try(self._renew)
        if not running.cancelled():
            running.exception()  # marks the error as retrieved, else asyncio reports it

    # ---- When the work has ended

    async def _conclude(self, running: asyncio.Task[Apply]) -> Ending:
        """Writes the result, after an outage of the database, too: nobody else can claim the task during the outage."""
        until = self._state.clock.now() + _WRITE_FOR
        outage = Outage(f"task {self._held.task_id}")
        while True:
            try:
                ending = await self._write(running)
            except Exception as error:  # noqa: BLE001  whatever it is, the step is tried again
                if not is_away(error):
                    self._log.exception("task_result_not_written")
                    await self._try(partial(self._missed, error))
                    return Ending.UNWRITTEN
                if self._state.clock.now() >= until:
                    return Ending.UNWRITTEN
                await outage.wait_after(error)
            else:
                outage.over()
                return ending

    async def _write(self, running: asyncio.Task[Apply]) -> Ending:
        """Writes the result in the transaction that ends the claim."""
        async with self._claims.opened(self._held.task_id, self._held.token) as claimed:
            if claimed is None:
                return Ending.LOST
            if claimed.task.status != self._held.status:
                return Ending.STOPPED
            error = _error_of(running)
            if error is None:
                await claimed.machine.apply(claimed.task, running.result())
                return Ending.APPLIED
            self._log.warning("task_work_failed", attempt=self._held.attempt, exc_info=error)
            await claimed.machine.missed(claimed.task, error)
            return Ending.FAILED

    async def _missed(self, error: Exception) -> None:
        async with self._claims.opened(self._held.task_id, self._held.token) as claimed:
            if claimed is not None and claimed.task.status == self._held.status:
                await claimed.machine.missed(claimed.task, error)

    async def _release(self) -> None:
        """Ends the claim, so that undoing can begin."""
        await self._try(self._let_go)

    async def _let_go(self) -> None:
        async with self._claims.opened(self._held.task_id, self._held.token):
            pass

    # ---- When this process ends before the work

    async def _leave(self, running: asyncio.Task[Apply]) -> Ending:
        """Writes the result if there is one; otherwise gives the task back, so that another process begins at once."""
        await self._stop(running)
        if running.cancelled() or running.exception() is not None:
            await self._try(self._give_back)
            return Ending.GIVEN_BACK
        return await self._try(partial(self._write, running)) or Ending.UNWRITTEN

    async def _give_back(self) -> None:
        async with self._claims.opened(self._held.task_id, self._held.token) as claimed:
            if claimed is not None and claimed.task.status == self._held.status:
                claimed.task.attempts -= 1  # the end of the process is no failure of the work
                claimed.task.due_at = self._state.clock.now()

    async def _try(self, attempt: Callable[[], Awaitable[_Value]]) -> _Value | None:
        """Logs and ignores an error: the claim expires anyway."""
        try:
            return await attempt()
        except Exception:  # noqa: BLE001  a bound logger is none that the rule knows
            self._log.exception("task_claim_not_ended")
            return None


def _error_of(running: asyncio.Task[Apply]) -> Exception | None:
    if running.cancelled():
        return RuntimeError("the work cancelled itself")
    error = running.exception()
    return error if error is None or isinstance(error, Exception) else RuntimeError(repr(error))
