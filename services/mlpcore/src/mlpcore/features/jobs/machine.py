"""Moves one task by one run of one of its steps."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import assert_never

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.jobs.kinds import Apply, Done, Kinds, Outcome, Step, StepFailedError, Turn, Wait, Work
from mlpcore.features.jobs.service import Jobs
from mlpcore.features.jobs.states import JobStatus
from mlpcore.features.jobs.tables import Job
from mlpcore.state import CoreState
from mlplace_kit.errors import DomainError

MAX_ATTEMPTS = Step.attempts
_LONGEST_PAUSE_SECONDS = 300
_WAITED_SECONDS = 5.0
_MAX_MESSAGE = 1000
_NOT_UNDONE = "notUndone"
"""Within the data of a task: keys of the steps whose undoing failed."""
_DEFECT = "mlp.core.internal_error"
_AT_A_STEP = frozenset({JobStatus.RUN, JobStatus.REVERTING})
_LOST = frozenset({JobStatus.FAILED.value, JobStatus.REVERTED.value})
_Run = Callable[[Turn], Awaitable[Outcome | Work]]


class Machine:
    def __init__(self, kinds: Kinds, session: AsyncSession, state: CoreState, jobs: Jobs) -> None:
        self._kinds = kinds
        self._session = session
        self._state = state
        self._jobs = jobs

    async def turn(self, job: Job) -> Work | None:
        """A work that the step wants done is for the caller, who keeps the task claimed and calls `apply` or `missed`.

        Raises what a step raises unexpectedly: the caller's transaction is void then, and `stumbled` follows.
        """
        match JobStatus(job.status):
            case JobStatus.IDLE:
                await self._start(job)
            case JobStatus.RUN:
                return await self._advance(job)
            case JobStatus.REVERTING:
                return await self._revert(job)
            case JobStatus.COMPLETED | JobStatus.FAILED | JobStatus.REVERTED | JobStatus.REPLACED:
                pass
        return None

    async def apply(self, job: Job, apply: Apply) -> None:
        """What a work has brought. Raises as `turn`; the work has been counted, so `missed` follows."""
        await self._take(job, apply)

    async def missed(self, job: Job, error: Exception) -> None:
        """A work, or the writing of its result, has ended with an error. It was counted when it began."""
        match error:
            case StepFailedError(reason=reason, code=code):
                await self._fail(job, reason, code)
            case DomainError():
                await self._fail(job, error.text, error.code)
            case _:
                await self._again(job, error)

    async def stumbled(self, job: Job, error: Exception) -> None:
        """An unexpected error: try again later, a few times; then it counts as the step's failure."""
        job.attempts += 1
        await self._again(job, error)

    def goes_outside(self, job: Job) -> bool:
        step = self._step(job)
        return step is not None and step.outside

    async def _again(self, job: Job, error: Exception) -> None:
        step = self._step(job)
        attempts = MAX_ATTEMPTS if step is None else step.attempts
        if job.attempts < attempts:
            pause = min(2**job.attempts, _LONGEST_PAUSE_SECONDS)
            job.due_at = self._state.clock.now() + timedelta(seconds=pause)
            return
        await self._fail(job, f"{type(error).__name__}: it went wrong {attempts} times", _DEFECT)

    def _step(self, job: Job) -> Step | None:
        """The present one; None before and behind them."""
        steps = list(self._kinds.of(job).steps.values())
        position = self._kinds.of(job).position(job)
        return steps[position] if JobStatus(job.status) in _AT_A_STEP and 0 <= position < len(steps) else None

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

    async def _advance(self, job: Job) -> Work | None:
        kind = self._kinds.of(job)
        position = kind.position(job)
        if position < len(kind.steps):
            step = self._put(job, position)
            return await self._begin(job, step, step.advance)
        await self._jobs.move(job, JobStatus.COMPLETED)
        return None

    async def _revert(self, job: Job) -> Work | None:
        """From the step that it got to back to the first."""
        kind = self._kinds.of(job)
        position = min(kind.position(job), len(kind.steps) - 1)
        if position >= 0:
            step = self._put(job, position)
            return await self._begin(job, step, step.revert)
        await self._undone(job)
        return None

    async def _begin(self, job: Job, step: Step, run: _Run) -> Work | None:
        """Works are counted when they begin: one that takes its process with it must not go on doing so for ever."""
        if job.attempts >= step.attempts:
            await self._fail(job, f"it was begun {job.attempts} times and came to no end", _DEFECT)
            return None
        work = await self._take(job, run)
        if work is not None:
            job.attempts += 1
        return work

    async def _take(self, job: Job, run: _Run) -> Work | None:
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
            if isinstance(outcome, Work):
                return outcome
            await self._note(job, outcome)
        return None

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
                    job.percentage = self._kinds.of(job).percentage(job, fraction)
                job.due_at = self._state.clock.now() + timedelta(seconds=seconds)
            case _:
                assert_never(outcome)

    async def _next(self, job: Job) -> None:
        kind = self._kinds.of(job)
        position = kind.position(job) + 1
        job.percentage = max(job.percentage, kind.percentage(job, 1.0))
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
