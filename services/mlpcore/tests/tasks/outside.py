"""A task with an I/O step between two plain steps. Tests set what each part does."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.tasks.io_step import IoStep, Ready
from mlpcore.features.tasks.kinds import Apply, Done, Kinds, Outcome, TaskKind, Turn, Work, WorkContext
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.state import CoreState
from mlplace_runtime.db.database import Database

from .workshop import Act, Scripted, Workshop, done

KIND = "fetch"
KEY = "fetch-page"
WorkAct = Callable[[WorkContext], Awaitable[str]]


async def found(context: WorkContext) -> str:
    return f"found by {context.attempt}"


async def ready(_: Turn) -> Ready[str] | Outcome:
    return Ready("page")


@dataclass
class Fetch(IoStep[str, str]):
    """`working` is set while the work runs, `worked` after it. `apply` writes one row, then does what the test sets."""

    log: list[str]
    act: WorkAct = found
    before: Callable[[Turn], Awaitable[Ready[str] | Outcome]] = ready
    after: Act = done
    undo: Callable[[WorkContext], Awaitable[None]] | None = None
    contexts: list[WorkContext] = field(default_factory=list[WorkContext])
    working: asyncio.Event = field(default_factory=asyncio.Event)
    worked: asyncio.Event = field(default_factory=asyncio.Event)
    name = "Fetching"  # type: ignore[misc]  # of the class, in a data class

    async def prepare(self, turn: Turn) -> Ready[str] | Outcome:
        self.log.append("prepare")
        return await self.before(turn)

    async def work(self, plan: str, context: WorkContext) -> str:
        self.log.append(f"work on {plan}")
        self.contexts.append(context)
        self.working.set()
        try:
            return await self.act(context)
        except asyncio.CancelledError:
            self.log.append("cancelled")
            raise
        finally:
            self.working.clear()
            self.worked.set()

    async def apply(self, turn: Turn, found: str) -> Outcome:
        self.log.append(f"apply {found}")
        await write_row(turn.session)
        return await self.after(turn)

    async def revert(self, turn: Turn) -> Outcome | Work:
        self.log.append("undo fetch")
        return Done() if self.undo is None else Work(self._undo)

    async def _undo(self, context: WorkContext) -> Apply:
        if self.undo is not None:
            await self.undo(context)
        return done


async def write_row(session: AsyncSession) -> None:
    number = "(SELECT coalesce(max(id), 0) + 1 FROM license_excess)"
    await session.execute(sa.text(f"INSERT INTO license_excess (id, since) VALUES ({number}, now())"))


class LosableDatabase(Database):
    """`away`: refuses all transactions. `refused` counts them."""

    away = False
    refused = 0

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        if self.away:
            self.refused += 1
            raise ConnectionRefusedError
        async with super().transaction() as session:
            yield session


@dataclass
class Hangs:
    """A work that waits for `go_on`. When cancelled, it ends at once."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, context: WorkContext) -> str:
        await self.go_on.wait()
        return await found(context)


@dataclass
class Outside:
    workshop: Workshop
    first: Scripted = field(init=False)
    fetch: Fetch = field(init=False)
    last: Scripted = field(init=False)
    runners: list[TaskRunner] = field(default_factory=list[TaskRunner])

    def __post_init__(self) -> None:
        log = self.workshop.log
        self.first, self.fetch, self.last = Scripted("first", log), Fetch(log), Scripted("last", log)

    @property
    def log(self) -> list[str]:
        return self.workshop.log

    @property
    def kinds(self) -> Kinds:
        steps = {"first": self.first, KEY: self.fetch, "last": self.last}
        return Kinds([TaskKind(KIND, steps), TaskKind("one", {"a": self.workshop.first})])

    def runner(self, *, at_once: int = 4, beat_seconds: float = 60.0, state: CoreState | None = None) -> TaskRunner:
        """Returns the runner of one process. By default it renews no claim within a test."""
        made = TaskRunner(state or self.workshop.state, self.kinds, works_at_once=at_once, beat_seconds=beat_seconds)
        self.runners.append(made)
        return made

    async def begun(self, runner: TaskRunner) -> int:
        """Begins a task and waits until its work is in progress in that process."""
        task_id = await self.workshop.begin(KIND)
        await runner.turn()
        await self.fetch.working.wait()
        return task_id

    async def finish(self, runner: TaskRunner) -> None:
        """Runs until no task is due and no work is in progress."""
        await runner.turn()
        await runner.works.settled()
        await runner.turn()

    async def rows(self) -> int:
        async with self.workshop.database.transaction() as session:
            return (await session.execute(sa.text("SELECT count(*) FROM license_excess"))).scalar_one()
