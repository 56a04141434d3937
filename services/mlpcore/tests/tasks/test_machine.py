"""The machine under any behaviour of steps, with stops and crashes at any time; without database and real time."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.notifications.service import NewNotification, Notifier
from mlpcore.features.tasks.errors import TaskFailed
from mlpcore.features.tasks.kinds import Done, Kinds, Outcome, Step, TaskKind, Turn, Wait
from mlpcore.features.tasks.machine import MAX_ATTEMPTS, Machine
from mlpcore.features.tasks.repository import TaskRepository
from mlpcore.features.tasks.service import Tasks
from mlpcore.features.tasks.states import OVER, JobStatus
from mlpcore.features.tasks.tables import Task
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock

S = JobStatus
_STORED = (
    "status",
    "step",
    "step_key",
    "step_name",
    "percentage",
    "interrupted",
    "data",
    "attempts",
    "error_message",
    "ended_at",
)


class NullStore:
    """A session and a repository that store nothing."""

    @asynccontextmanager
    async def begin_nested(self) -> AsyncGenerator[None]:
        yield

    async def flush(self) -> None: ...

    async def wake(self, **_: object) -> None: ...

    async def by_ids(self, _: Sequence[int], *, lock: bool) -> Sequence[Task]:
        return ()


class RecordingNotifier(Notifier):
    def __init__(self) -> None:
        self.texts: list[str] = []

    async def notify(self, accounts: Sequence[int], notification: NewNotification) -> Sequence[int]:
        self.texts.append(notification.text)
        return accounts


class Fated(Step):
    """Each run has the next of the given fates. After the last one every run is done."""

    name = "Fated"

    def __init__(self, number: int, fates: list[str], log: list[tuple[str, int]]) -> None:
        self._number, self._fates, self._log = number, fates, log

    async def advance(self, turn: Turn) -> Outcome:
        return self._next("do")

    async def revert(self, turn: Turn) -> Outcome:
        return self._next("undo")

    def _next(self, what: str) -> Outcome:
        fate = self._fates.pop(0) if self._fates else "done"
        if fate == "crash":
            raise RuntimeError("the run is lost")
        if fate == "fail":
            raise TaskFailed(reason="it went wrong")
        if fate == "wait":
            return Wait(0.5)
        self._log.append((what, self._number))
        return Done()


def stored_task() -> Task:
    return Task(
        task_id=1, account_id=1, kind="fated", operation="RUN", parent_id=None, root_id=None, depth=0,
        entity={"name": "model"}, entity_display_name="m", status="IDLE", step=0, step_name="", percentage=0,
        interrupted=False, interruptible=True, wait_for=[], data={}, attempts=0,
    )  # fmt: skip


async def live(fates: list[list[str]], stop_at: int | None) -> tuple[Task, list[str], list[tuple[str, int]], list[str]]:
    """Returns the ended task, its statuses in order, the steps done and undone, and the notifications."""
    log: list[tuple[str, int]] = []
    notifier, store, task, clock = RecordingNotifier(), NullStore(), stored_task(), ManualClock()
    tasks = Tasks(cast("TaskRepository", store), notifier, clock)
    kind = TaskKind("fated", {str(number): Fated(number, list(own), log) for number, own in enumerate(fates)})
    state = cast("CoreState", SimpleNamespace(clock=clock))
    machine = Machine(Kinds([kind]), cast("Any", store), state, tasks)
    statuses = [task.status]
    for turn in range(1000):
        if S(task.status) in OVER:
            return task, statuses, log, notifier.texts
        if turn == stop_at:
            await tasks.stop(task)
        else:
            before = {name: getattr(task, name) for name in _STORED}
            try:
                await machine.turn(task)
            except RuntimeError as error:
                for name, value in before.items():  # as the rollback of its transaction does
                    setattr(task, name, value)
                await machine.stumbled(task, error)
        assert 0 <= task.percentage <= 100
        if statuses[-1] != task.status:
            statuses.append(task.status)
    raise AssertionError("it never ends")


fate = st.sampled_from(["done", "wait", "fail", "crash"])
scripts = st.lists(st.lists(fate, max_size=2 * MAX_ATTEMPTS), min_size=1, max_size=4)


class TestMachine:
    @given(scripts, st.none() | st.integers(0, 12))
    def test_every_task_ends_and_undoes_its_steps_unless_completed(
        self, fates: list[list[str]], stop_at: int | None
    ) -> None:
        task, statuses, log, texts = asyncio.run(live(fates, stop_at))
        done = [number for what, number in log if what == "do"]
        undone = [number for what, number in log if what == "undo"]
        assert done == list(range(len(done))), "each step is done once, in order"
        match S(task.status):
            case S.COMPLETED:
                assert (len(done), undone, task.percentage) == (len(fates), [], 100)
            case S.REVERTED:
                assert task.interrupted
                assert set(done) <= set(undone)
            case S.FAILED:
                assert task.error_message
                assert set(done) <= {*undone, *map(int, task.data.get("notUndone", []))}
                assert ("could not be undone" in task.error_message) is ("notUndone" in task.data)
            case _:
                raise AssertionError(task.status)
        assert undone == sorted(undone, reverse=True), "the last one first"
        assert statuses[-1] in {S.COMPLETED, S.FAILED, S.REVERTED}
        assert len(texts) == 1

    @given(scripts)
    def test_task_stopped_before_its_first_step_runs_no_step(self, fates: list[list[str]]) -> None:
        task, statuses, log, _ = asyncio.run(live(fates, 0))
        assert (task.status, statuses, log) == ("REVERTED", ["IDLE", "REVERTED"], [])
