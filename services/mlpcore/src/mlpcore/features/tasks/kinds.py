"""What a task is made of: steps that look at the platform's state, change it, and say how far they are.

A step runs again and again until it is done. Each run is one transaction of the database together with the task's row,
so that a crash leaves either all of it or nothing; it does no network calls. Whatever a step must remember is in
`turn.data`, which is kept with the task. A step that talks to something outside returns a `Work`: see `io_step`.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.tasks.service import Tasks
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState


class StepFailedError(Exception):
    """The step cannot reach its goal; the text is for people."""

    def __init__(self, reason: str, *, code: str = "mlp.core.task_failed") -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


@dataclass(frozen=True, slots=True)
class Done:
    """The step's goal is reached."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Not yet. `fraction` of the step is reached, from 0 to 1; it runs again in so many seconds, or when woken."""

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
    """What a work is told.

    `key` is the same each time that this step of this task works: an idempotency key for those whom it calls. `attempt`
    counts from 1 since the step last got on. `report` takes the fraction of the step that is reached, from 0 to 1.
    """

    task_id: int
    key: str
    attempt: int
    state: CoreState
    report: Callable[[float], None]


Apply = Callable[[Turn], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Work:
    """Goes on outside the session, while the task stays claimed; what it returns is then run as the step.

    After `limit_seconds` it is cancelled, and counts as gone wrong.
    """

    run: Callable[[WorkContext], Awaitable[Apply]]
    limit_seconds: float = 3600.0


class Step(ABC):
    name: ClassVar[str]
    """What it does, for people."""
    attempts: ClassVar[int] = 5
    """So often it may go wrong without a reason of its own before it has failed."""
    outside: ClassVar[bool] = False
    """Whether it may return a `Work`."""

    @abstractmethod
    async def advance(self, turn: Turn) -> Outcome | Work:
        """Raises StepFailedError or a DomainError; after any other error it is tried again a few times."""

    async def revert(self, turn: Turn) -> Outcome | Work:
        """Undo what this step did, as far as it got. `turn.task.interrupted` tells a stop from a failure."""
        del turn
        return Done()


@dataclass(frozen=True, slots=True)
class TaskKind:
    """`steps` by their keys, in the order in which they are taken. Name and keys are stored: they do not change."""

    name: str
    steps: Mapping[str, Step]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.steps)

    def position(self, task: Task) -> int:
        """The index of the task's present step in this build's list. -1: everything is undone.

        A number counts only without a key: before the first step, and for what a process of the release that stored
        numbers alone has left where the migration knew no key for it.
        """
        return task.step if task.step_key is None else self.keys.index(task.step_key)

    def percentage(self, task: Task, fraction: float) -> int:
        """Of the whole task, from 0 to 100, when this fraction of its present step is reached. Steps count alike."""
        return int(100 * (self.position(task) + min(max(fraction, 0.0), 1.0)) / len(self.steps))


class Kinds:
    """All kinds of tasks, by name."""

    def __init__(self, kinds: Sequence[TaskKind]) -> None:
        self._kinds: Mapping[str, TaskKind] = {kind.name: kind for kind in kinds}
        if len(self._kinds) != len(kinds):
            raise ValueError("two kinds of tasks have one name")

    @property
    def keys(self) -> Mapping[str, Sequence[str]]:
        """The keys of the steps that this build knows, by the name of the kind."""
        return {kind.name: kind.keys for kind in self._kinds.values()}

    @property
    def keys_inside(self) -> Mapping[str, Sequence[str]]:
        """As `keys`, without the steps that work outside the session."""
        return {
            kind.name: [key for key, step in kind.steps.items() if not step.outside] for kind in self._kinds.values()
        }

    def of(self, task: Task) -> TaskKind:
        """Raises KeyError for a kind that this build does not know."""
        return self._kinds[task.kind]
