"""Moves one task by one run of one of its steps."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import assert_never

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.jobs.kinds import Done, Kinds, Outcome, Step, StepFailedError, Turn, Wait
from mlpcore.features.jobs.service import Jobs
from mlpcore.features.jobs.states import JobStatus
from mlpcore.features.jobs.tables import Job
from mlpcore.state import CoreState
from mlplace_kit.errors import DomainError

MAX_ATTEMPTS = 5
_WAITED_SECONDS = 5.0
_MAX_MESSAGE = 1000
_NOT_UNDONE = "notUndone"
"""Within the data of a task: keys of the steps whose undoing failed."""
_LOST = frozenset({JobStatus.FAILED.value, JobStatus.REVERTED.value})


class Machine:
    def __init__(self, kinds: Kinds, session: AsyncSession, state: CoreState, jobs: Jobs) -> None:
        self._kinds = kinds
        self._session = session
        self._state = state
        self._jobs = jobs

    async def turn(self, job: Job) -> None:
        """Raises what a step raises unexpectedly: the caller's transaction is void then, and `stumbled` follows."""
        match JobStatus(job.status):
            case JobStatus.IDLE:
                await self._start(job)
            case JobStatus.RUN:
                await self._advance(job)
            case JobStatus.REVERTING:
                await self._revert(job)
            case JobStatus.COMPLETED | JobStatus.FAILED | JobStatus.REVERTED | JobStatus.REPLACED:
                return

    async def stumbled(self, job: Job, error: Exception) -> None:
        """An unexpected error: try again later, a few times; then it counts as the step's failure."""
        job.attempts += 1
        if job.attempts < MAX_ATTEMPTS:
            job.due_at = self._state.clock.now() + timedelta(seconds=2**job.attempts)
            return
        await self._fail(job, f"{type(error).__name__}: it went wrong {MAX_ATTEMPTS} times", "mlp.core.internal_error")

    async def _start(self, job: Job) -> None:
        """When all that it waits for has ended well; when some of it has not, it never begins."""
        before = await self._jobs.by_ids(job.wait_for)
        if any(other.status in _LOST for other in before):
            job.error_message = "a task that it waited for did not complete"
            await self._jobs.interrupt(job)
        elif all(other.status in {JobStatus.COMPLETED.value, JobStatus.REPLACED.value} for other in before):
            if self._kinds.of(job).steps:
                self._put(job, 0)
            await self._jobs.move(job, JobStatus.RUN)
        else:
            job.due_at = self._state.clock.now() + timedelta(seconds=_WAITED_SECONDS)

    async def _advance(self, job: Job) -> None:
        kind = self._kinds.of(job)
        position = kind.position(job)
        if position >= len(kind.steps):
            await self._jobs.move(job, JobStatus.COMPLETED)
        else:
            await self._take(job, self._put(job, position).advance)

    async def _revert(self, job: Job) -> None:
        """From the step that it got to back to the first."""
        kind = self._kinds.of(job)
        position = min(kind.position(job), len(kind.steps) - 1)
        if position < 0:
            await self._undone(job)
        else:
            await self._take(job, self._put(job, position).revert)

    async def _take(self, job: Job, run: Callable[[Turn], Awaitable[Outcome]]) -> None:
        """One run of the present step, forwards or back."""
        try:
            async with self._session.begin_nested():
                turn = Turn(self._session, self._state, job, self._jobs, data=dict(job.data))
                outcome = await run(turn)
                job.data = turn.data
                await self._session.flush()
        except StepFailedError as failure:
            await self._fail(job, failure.reason, failure.code)
        except DomainError as refusal:
            await self._fail(job, refusal.text, refusal.code)
        else:
            await self._note(job, outcome)

    async def _note(self, job: Job, outcome: Outcome) -> None:
        job.attempts = 0
        forwards = JobStatus(job.status) is JobStatus.RUN
        match outcome:
            case Done() if forwards:
                await self._next(job)
            case Done():
                await self._back(job)
            case Wait(fraction=fraction, seconds=seconds):
                if forwards:
                    kind = self._kinds.of(job)
                    job.percentage = _percent(kind.position(job), fraction, len(kind.steps))
                job.due_at = self._state.clock.now() + timedelta(seconds=seconds)
            case _:
                assert_never(outcome)

    async def _next(self, job: Job) -> None:
        kind = self._kinds.of(job)
        position = kind.position(job) + 1
        job.percentage = max(job.percentage, _percent(position, 0.0, len(kind.steps)))
        if position >= len(kind.steps):
            await self._jobs.move(job, JobStatus.COMPLETED)
            return
        self._put(job, position)
        job.due_at = self._state.clock.now()

    async def _back(self, job: Job) -> None:
        position = self._kinds.of(job).position(job) - 1
        if position < 0:
            await self._undone(job)
            return
        self._put(job, position)
        job.attempts = 0
        job.due_at = self._state.clock.now()

    async def _undone(self, job: Job) -> None:
        stopped = job.interrupted and not job.data.get(_NOT_UNDONE)
        await self._jobs.move(job, JobStatus.REVERTED if stopped else JobStatus.FAILED)

    def _put(self, job: Job, position: int) -> Step:
        """The task is at this step."""
        key, step = list(self._kinds.of(job).steps.items())[position]
        job.step_key, job.step_name = key, step.name
        return step

    async def _fail(self, job: Job, reason: str, code: str) -> None:
        status = JobStatus(job.status)
        if status is JobStatus.REVERTING:
            await self._leave_done(job, reason, code)
            return
        job.error_message = reason[:_MAX_MESSAGE]
        job.error_code = code
        if status is JobStatus.IDLE:
            await self._jobs.interrupt(job)
        else:
            await self._jobs.move(job, JobStatus.REVERTING)

    async def _leave_done(self, job: Job, reason: str, code: str) -> None:
        """A step cannot be undone: people are told which, and the steps before it are undone all the same."""
        found = f"the step “{job.step_name}” could not be undone: {reason}"
        job.error_message = (f"{job.error_message}; {found}" if job.error_message else found)[:_MAX_MESSAGE]
        job.error_code = job.error_code or code
        job.data = {**job.data, _NOT_UNDONE: [*job.data.get(_NOT_UNDONE, []), job.step_key]}
        await self._back(job)


def _percent(position: int, fraction: float, steps: int) -> int:
    return int(100 * (position + min(max(fraction, 0.0), 1.0)) / steps)
