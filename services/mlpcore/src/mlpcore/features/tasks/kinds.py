"""Kinds of tasks and their steps. A step reads the platform's state, changes it, and reports its progress.

A step runs repeatedly until it is done. Each run is one database transaction together with the task's row, so a crash
leaves all of its effects or none; a run makes no network calls. `turn.data` holds what a step must remember; it is
stored with the task. A step that calls an external system returns a `Work`: see `io_step`.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.tasks.service import Tasks
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState


@dataclass(frozen=True, slots=True)
class Done:
    """The step has reached its goal."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The step is not done. `fraction`: its progress from 0 to 1. It runs again after `seconds`, or when woken."""

    fraction: float
    seconds: float = 1.0


Outcome = Done | Wait


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of a step."""

    session: AsyncSession
    state: CoreState
    task: Task
    tasks: Tasks
    data: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class WorkContext:
    """The context of a work.

    `key`: the same for every run of this step of this task; an idempotency key for external calls. `attempt` counts
    from 1 since the step last made progress. `report` takes the step's progress from 0 to 1.
    """

    task_id: int
    key: str
    attempt: int
    state: CoreState
    report: Callable[[float], None]


Apply = Callable[[Turn], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Work:
    """Runs outside the session while the task stays claimed. The function that it returns then runs as the step.

    After `limit_seconds` it is cancelled, which counts as an error.
    """

    run: Callable[[WorkContext], Awaitable[Apply]]
    limit_seconds: float = 3600.0


class Step(ABC):
    name: ClassVar[str]
    """What the step does, as people see it."""
    attempts: ClassVar[int] = 5
    """The number of unexpected errors after which the step has failed."""
    outside: ClassVar[bool] = False
    """Whether it may return a `Work`."""

    @abstractmethod
    async def advance(self, turn: Turn) -> Outcome | Work:
        """Raises a DomainError; after any other error it is retried a few times."""

    async def revert(self, turn: Turn) -> Outcome | Work:
        """Undoes what this step has done so far. `turn.task.interrupted`: true after a stop, false after a failure."""
        del turn
        return Done()


@dataclass(frozen=True, slots=True)
class TaskKind:
    """`steps` by key, in order. The name and the keys are stored with tasks, so they must not change."""

    name: str
    steps: Mapping[str, Step]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.steps)

    def position(self, task: Task) -> int:
        """Returns the index of the task's current step in this build's list; -1: everything is undone.

        The stored number counts only without a key: before the first step, and for tasks of the release that stored
        numbers only, when the migration knew no key for them.
        """
        return task.step if task.step_key is None else self.keys.index(task.step_key)

    def percentage(self, task: Task, fraction: float) -> int:
        """Returns the progress of the whole task from 0 to 100, given its current step's. Steps have equal weight."""
        return int(100 * (self.position(task) + min(max(fraction, 0.0), 1.0)) / len(self.steps))


class Kinds:
    """All kinds of tasks, by name."""

    def __init__(self, kinds: Sequence[TaskKind]) -> None:
        self._kinds: Mapping[str, TaskKind] = {kind.name: kind for kind in kinds}
        if len(self._kinds) != len(kinds):
            raise ValueError("two kinds of tasks have the same name")

    @property
    def keys(self) -> Mapping[str, Sequence[str]]:
        """Returns the keys of the steps that this build knows, by kind."""
        return {kind.name: kind.keys for kind in self._kinds.values()}

    @property
    def keys_inside(self) -> Mapping[str, Sequence[str]]:
        """Returns `keys` without the steps that work outside the session."""
        return {
            kind.name: [key for key, step in kind.steps.items() if not step.outside] for kind in self._kinds.values()
        }

    def of(self, task: Task) -> TaskKind:
        """Raises KeyError for a kind that this build does not know."""
        return self._kinds[task.kind]
