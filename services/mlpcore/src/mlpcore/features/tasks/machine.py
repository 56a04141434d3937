"""Runs one step of one task once, and moves the task to its next step or status."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import assert_never

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.tasks.errors import PredecessorFailed, StepDefect, StepNeverFinished
from mlpcore.features.tasks.kinds import Apply, Done, Kinds, Outcome, Step, Turn, Wait, Work
from mlpcore.features.tasks.service import Tasks
from mlpcore.features.tasks.states import JobStatus
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState
from mlplace_kit.errors import DomainError
from mlplace_runtime.backoff import Backoff

MAX_ATTEMPTS = Step.attempts
_PAUSES = Backoff(first=2.0, longest=300.0)
_WAITED_SECONDS = 5.0
_MAX_MESSAGE = 1000
_NOT_UNDONE = "notUndone"
"""In a task's data: the keys of the steps that could not be undone."""
_AT_A_STEP = frozenset({JobStatus.RUN, JobStatus.REVERTING})
_LOST = frozenset({JobStatus.FAILED.value, JobStatus.REVERTED.value})
_Run = Callable[[Turn], Awaitable[Outcome | Work]]


class Machine:
    def __init__(self, kinds: Kinds, session: AsyncSession, state: CoreState, tasks: Tasks) -> None:
        self._kinds = kinds
        self._session = session
        self._state = state
        self._tasks = tasks

    async def turn(self, task: Task) -> Work | None:
        """Runs the current step. Returns its work, if any: the caller keeps the claim and calls `apply` or `missed`.

        Raises the step's unexpected errors. The caller then rolls back and calls `stumbled` in a new transaction.
        """
        match JobStatus(task.status):
            case JobStatus.IDLE:
                await self._start(task)
            case JobStatus.RUN:
                return await self._advance(task)
            case JobStatus.REVERTING:
                return await self._revert(task)
            case JobStatus.COMPLETED | JobStatus.FAILED | JobStatus.REVERTED | JobStatus.REPLACED:
                pass
        return None

    async def apply(self, task: Task, apply: Apply) -> None:
        """Applies the result of a work. Raises like `turn`; the caller then calls `missed`: the attempt is counted."""
        await self._take(task, apply)

    async def missed(self, task: Task, error: Exception) -> None:
        """Handles an error of a work or of `apply`. The attempt was counted when the work began."""
        match error:
            case DomainError():
                await self._fail(task, error)
            case _:
                await self._again(task, error)

    async def stumbled(self, task: Task, error: Exception) -> None:
        """Handles an unexpected error: counts it and retries later; after a few errors the step has failed."""
        task.attempts += 1
        await self._again(task, error)

    def goes_outside(self, task: Task) -> bool:
        step = self._step(task)
        return step is not None and step.outside

    async def _again(self, task: Task, error: Exception) -> None:
        step = self._step(task)
        attempts = MAX_ATTEMPTS if step is None else step.attempts
        if task.attempts < attempts:
            pause = _PAUSES.seconds(task.attempts)
            task.due_at = self._state.clock.now() + timedelta(seconds=pause)
            return
        await self._fail(task, StepDefect(error=type(error).__name__, attempts=str(attempts)))

    def _step(self, task: Task) -> Step | None:
        """Returns the current step; None before the first and after the last."""
        steps = list(self._kinds.of(task).steps.values())
        position = self._kinds.of(task).position(task)
        return steps[position] if JobStatus(task.status) in _AT_A_STEP and 0 <= position < len(steps) else None

    async def _start(self, task: Task) -> None:
        """Starts the task when all tasks that it waits for have succeeded. When one has not, it never starts."""
        before = await self._tasks.by_ids(task.wait_for)
        if any(other.status in _LOST for other in before):
            _note_error(task, PredecessorFailed())
            await self._tasks.interrupt(task)
        elif all(other.status in {JobStatus.COMPLETED.value, JobStatus.REPLACED.value} for other in before):
            if self._kinds.of(task).steps:
                self._put(task, 0)
            await self._tasks.move(task, JobStatus.RUN)
        else:
            task.due_at = self._state.clock.now() + timedelta(seconds=_WAITED_SECONDS)

    async def _advance(self, task: Task) -> Work | None:
        kind = self._kinds.of(task)
        position = kind.position(task)
        if position < len(kind.steps):
            step = self._put(task, position)
            return await self._begin(task, step, step.advance)
        await self._tasks.move(task, JobStatus.COMPLETED)
        return None

    async def _revert(self, task: Task) -> Work | None:
        """Undoes the steps from the current one back to the first."""
        kind = self._kinds.of(task)
        position = min(kind.position(task), len(kind.steps) - 1)
        if position >= 0:
            step = self._put(task, position)
            return await self._begin(task, step, step.revert)
        await self._undone(task)
        return None

    async def _begin(self, task: Task, step: Step, run: _Run) -> Work | None:
        """Counts a work when it begins, so that a work that crashes its process is not retried for ever."""
        if task.attempts >= step.attempts:
            await self._fail(task, StepNeverFinished(attempts=str(task.attempts)))
            return None
        work = await self._take(task, run)
        if work is not None:
            task.attempts += 1
        return work

    async def _take(self, task: Task, run: _Run) -> Work | None:
        """Runs the current step once, forwards or backwards."""
        try:
            async with self._session.begin_nested():
                turn = Turn(self._session, self._state, task, self._tasks, data=dict(task.data))
                outcome = await run(turn)
                task.data = turn.data
                await self._session.flush()
        except DomainError as refusal:
            await self._fail(task, refusal)
        else:
            if isinstance(outcome, Work):
                return outcome
            await self._note(task, outcome)
        return None

    async def _note(self, task: Task, outcome: Outcome) -> None:
        task.attempts = 0
        forwards = JobStatus(task.status) is JobStatus.RUN
        match outcome:
            case Done() if forwards:
                await self._next(task)
            case Done():
                await self._back(task)
            case Wait(fraction=fraction, seconds=seconds):
                if forwards:
                    task.percentage = self._kinds.of(task).percentage(task, fraction)
                task.due_at = self._state.clock.now() + timedelta(seconds=seconds)
            case _:
                assert_never(outcome)

    async def _next(self, task: Task) -> None:
        kind = self._kinds.of(task)
        position = kind.position(task) + 1
        task.percentage = max(task.percentage, kind.percentage(task, 1.0))
        if position >= len(kind.steps):
            await self._tasks.move(task, JobStatus.COMPLETED)
            return
        self._put(task, position)
        task.due_at = self._state.clock.now()

    async def _back(self, task: Task) -> None:
        position = self._kinds.of(task).position(task) - 1
        if position < 0:
            await self._undone(task)
            return
        self._put(task, position)
        task.attempts = 0
        task.due_at = self._state.clock.now()

    async def _undone(self, task: Task) -> None:
        stopped = task.interrupted and not task.data.get(_NOT_UNDONE)
        await self._tasks.move(task, JobStatus.REVERTED if stopped else JobStatus.FAILED)

    def _put(self, task: Task, position: int) -> Step:
        """Makes this step the task's current one."""
        key, step = list(self._kinds.of(task).steps.items())[position]
        task.step_key, task.step_name = key, step.name
        return step

    async def _fail(self, task: Task, error: DomainError) -> None:
        status = JobStatus(task.status)
        if status is JobStatus.REVERTING:
            await self._leave_done(task, error)
            return
        _note_error(task, error)
        if status is JobStatus.IDLE:
            await self._tasks.interrupt(task)
        else:
            await self._tasks.move(task, JobStatus.REVERTING)

    async def _leave_done(self, task: Task, error: DomainError) -> None:
        """Records that a step could not be undone, names it in the error, and goes on undoing the steps before it."""
        found = f"the step “{task.step_name}” could not be undone: {error.text}"
        before = task.error_message
        if task.error_code is None:
            _note_error(task, error)
        task.error_message = (f"{before}; {found}" if before else found)[:_MAX_MESSAGE]
        task.data = {**task.data, _NOT_UNDONE: [*task.data.get(_NOT_UNDONE, []), task.step_key]}
        await self._back(task)


def _note_error(task: Task, error: DomainError) -> None:
    task.error_code = error.code
    task.error_message = error.text[:_MAX_MESSAGE]
    task.error_args = {name: str(value)[:_MAX_MESSAGE] for name, value in error.details.items()}
