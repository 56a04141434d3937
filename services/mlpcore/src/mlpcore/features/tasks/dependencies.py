"""Builds the feature's objects for one session."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.tasks.reading import TaskReader
from mlpcore.features.tasks.repository import TaskRepository
from mlpcore.features.tasks.service import Tasks
from mlpcore.features.tasks.stopping import TaskMarker, TaskStopper
from mlpcore.state import StateDep
from mlplace_kit.clock import Clock
from mlplace_runtime.web.dependencies import SessionDep


def tasks_of(session: AsyncSession, clock: Clock) -> Tasks:
    return Tasks(TaskRepository(session), notifier_of(session, clock), clock)


def task_reader_of(session: AsyncSession) -> TaskReader:
    return TaskReader(TaskRepository(session))


def task_reader(session: SessionDep) -> TaskReader:
    return task_reader_of(session)


def task_stopper(session: SessionDep, state: StateDep) -> TaskStopper:
    return TaskStopper(TaskRepository(session), tasks_of(session, state.clock))


def task_marker(session: SessionDep) -> TaskMarker:
    return TaskMarker(TaskRepository(session))


TaskReaderDep = Annotated[TaskReader, Depends(task_reader)]
TaskStopperDep = Annotated[TaskStopper, Depends(task_stopper)]
TaskMarkerDep = Annotated[TaskMarker, Depends(task_marker)]
