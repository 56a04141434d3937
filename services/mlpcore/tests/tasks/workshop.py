"""Tasks whose steps do what a test sets, and a runner for them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mlpcore.features.tasks.dependencies import tasks_of
from mlpcore.features.tasks.kinds import Done, Kinds, Outcome, Step, TaskKind, Turn
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.features.tasks.service import NewTask
from mlpcore.features.tasks.steps import AllParts
from mlpcore.features.tasks.tables import Task
from mlpcore.operations import Entity, EntityName, OperationType
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database

ACCOUNT = 1000000001
Act = Callable[[Turn], Awaitable[Outcome]]


async def done(_: Turn) -> Outcome:
    return Done()


@dataclass
class Scripted(Step):
    """`log`: the runs of all steps, in order."""

    label: str
    log: list[str]
    forward: Act = done
    backward: Act = done
    name = "A step"  # type: ignore[misc]  # one name for all

    async def advance(self, turn: Turn) -> Outcome:
        self.log.append(f"do {self.label}")
        return await self.forward(turn)

    async def revert(self, turn: Turn) -> Outcome:
        self.log.append(f"undo {self.label}")
        return await self.backward(turn)


@dataclass
class Workshop:
    state: CoreState
    database: Database
    clock: ManualClock
    log: list[str] = field(default_factory=list[str])
    soon: timedelta = timedelta(seconds=70)
    """After this time every waiting task is due and every claim has expired."""
    first: Scripted = field(init=False)
    second: Scripted = field(init=False)
    third: Scripted = field(init=False)
    runner: TaskRunner = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.second, self.third = (Scripted(label, self.log) for label in "abc")
        self.runner = TaskRunner(self.state, self.kinds)

    @property
    def kinds(self) -> Kinds:
        scripted = TaskKind("scripted", {"a": self.first, "b": self.second, "c": self.third})
        return Kinds([scripted, TaskKind("one", {"a": self.first}), TaskKind("whole", {"parts": AllParts()})])

    def on(self, database: Database) -> CoreState:
        """Returns the state of a process that uses that database."""
        return replace(self.state, database=database)

    async def begin(
        self, kind: str = "scripted", *, parent: int | None = None, wait_for: tuple[int, ...] = (),
        slot: str | None = None, interruptible: bool = True,
    ) -> int:  # fmt: skip
        entity = Entity(EntityName.MODEL, ACCOUNT, "greeting", model_id=7)
        new = NewTask(kind, OperationType.RUN, entity, slot=slot, wait_for=wait_for, interruptible=interruptible)
        async with self.database.transaction() as session:
            tasks = tasks_of(session, self.clock)
            above = await session.get(Task, parent) if parent else None
            return (await tasks.begin(new, parent=above)).task_id

    async def interrupt(self, task_id: int) -> None:
        async with self.database.transaction() as session:
            task = await session.get(Task, task_id, with_for_update=True)
            assert task is not None
            await tasks_of(session, self.clock).stop(task)

    async def read(self, task_id: int) -> Task:
        async with self.database.transaction() as session:
            task = await session.get(Task, task_id)
            assert task is not None
            return task

    async def status(self, task_id: int) -> str:
        return (await self.read(task_id)).status

    async def pass_time(self) -> None:
        self.clock.advance(self.soon)
        await self.runner.turn()
