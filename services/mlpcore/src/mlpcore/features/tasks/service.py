"""Begins, moves, stops and replaces tasks within one transaction. The machine runs their steps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification, Notifier
from mlpcore.features.tasks.errors import NotInterruptible
from mlpcore.features.tasks.repository import TaskRepository
from mlpcore.features.tasks.states import OVER, JobStatus, transition
from mlpcore.features.tasks.tables import Task
from mlpcore.operations import Entity, EntityName, OperationType
from mlplace_kit.clock import Clock

DEPTH = 3
_SAID = {
    JobStatus.COMPLETED: (Severity.INFO, "completed"),
    JobStatus.FAILED: (Severity.ERROR, "failed"),
    JobStatus.REVERTED: (Severity.WARNING, "was stopped"),
}


@dataclass(frozen=True, slots=True)
class NewTask:
    """`slot`: this task replaces the unfinished task of the slot. `wait_for`: ids of tasks that must succeed first."""

    kind: str
    operation: OperationType
    entity: Entity
    data: dict[str, object] = field(default_factory=dict[str, object])
    interruptible: bool = True
    slot: str | None = None
    wait_for: Sequence[int] = ()


class Tasks:
    def __init__(self, repository: TaskRepository, notifier: Notifier, clock: Clock) -> None:
        self._repository = repository
        self._notifier = notifier
        self._clock = clock

    async def begin(self, new: NewTask, *, parent: Task | None = None) -> Task:
        """Stores the task, replacing the unfinished task of its slot. Raises ValueError below the third level."""
        depth = parent.depth + 1 if parent else 0
        if depth >= DEPTH:
            raise ValueError(f"tasks nest {DEPTH} levels at most")
        if new.slot:
            await self.replace(new.slot)
        now = self._clock.now()
        task = Task(
            account_id=new.entity.account_id,
            kind=new.kind,
            operation=new.operation.value,
            parent_id=parent.task_id if parent else None,
            root_id=(parent.root_id or parent.task_id) if parent else None,
            depth=depth,
            entity=new.entity.stored,
            entity_display_name=new.entity.display_name,
            model_id=new.entity.model_id,
            instance_id=new.entity.instance_id,
            group_owner_id=new.entity.group_owner_id,
            group_name=new.entity.group_name,
            server_id=new.entity.server_id,
            status=JobStatus.IDLE.value,
            step=0,
            step_name="",
            percentage=0,
            interrupted=False,
            interruptible=new.interruptible,
            wait_for=list(new.wait_for),
            slot=new.slot,
            data=dict(new.data),
            created_at=now,
            due_at=now,
            attempts=0,
        )
        await self._repository.add(task)
        return task

    async def children(self, task: Task) -> Sequence[Task]:
        return await self._repository.children(task.task_id)

    async def lock_children(self, task: Task) -> Sequence[Task]:
        return await self._repository.children(task.task_id, lock=True)

    async def by_ids(self, task_ids: Sequence[int], *, lock: bool = False) -> Sequence[Task]:
        return await self._repository.by_ids(task_ids, lock=lock)

    async def hold(self, slot: str) -> Sequence[Task]:
        """Locks the slot's unfinished task and its parts until the transaction ends. Returns them, the innermost last.

        A caller that will replace the task must call this before it locks rows that the task's steps lock: the steps
        lock the task first.
        """
        return await self._repository.lock_slot(slot)

    async def replace(self, slot: str) -> None:
        """Ends the slot's unfinished task as REPLACED, with its parts. Undoes nothing."""
        for task in await self._repository.lock_slot(slot):
            task.interrupted = True
            await self.move(task, JobStatus.REPLACED)

    async def stop(self, task: Task) -> None:
        """Begins to undo the task. Ignores a task that is being undone already. Raises NotInterruptible."""
        status = JobStatus(task.status)
        if status is JobStatus.REVERTING:
            return
        if status in OVER or not task.interruptible:
            raise NotInterruptible(status=status.value)
        await self.interrupt(task)

    async def interrupt(self, task: Task) -> None:
        """Begins to undo the task like `stop`, even when people may not stop it. Ignores an ended task."""
        status = JobStatus(task.status)
        if status in OVER or status is JobStatus.REVERTING:
            return
        task.interrupted = True
        await self.move(task, JobStatus.REVERTED if status is JobStatus.IDLE else JobStatus.REVERTING)

    async def move(self, task: Task, wanted: JobStatus) -> None:
        """Changes the status. At its end, wakes the tasks that wait for it and notifies the account.

        Raises IllegalTaskTransition.
        """
        task.status = transition(JobStatus(task.status), wanted).value
        now = self._clock.now()
        task.attempts = 0
        task.due_at = now
        if wanted is JobStatus.RUN:
            task.started_at = now
        if wanted in OVER:
            await self._end(task, wanted, now)
        await self._repository.flush()

    async def _end(self, task: Task, status: JobStatus, now: datetime) -> None:
        task.ended_at = now
        task.lock_token = task.locked_until = None
        if status is JobStatus.COMPLETED:
            task.percentage = 100
        await self._repository.wake(waiting_for=task.task_id, parent=task.parent_id, now=now)
        if task.parent_id is None and status in _SAID:
            await self._tell(task, status)

    async def _tell(self, task: Task, status: JobStatus) -> None:
        severity, words = _SAID[status]
        reason = f": {task.error_message}" if task.error_message and status is JobStatus.FAILED else ""
        notification = NewNotification(
            NotificationType.PIPELINE_OPERATION,
            severity,
            f"{title(task)} {words}{reason}",
            operation=OperationType(task.operation),
            entity=_entity(task),
        )
        await self._notifier.notify([task.account_id], notification)


_WORDS = {
    OperationType.RUN: "Start",
    OperationType.WAKE_UP: "Wake-up",
    OperationType.SCALE_UP: "Scaling up",
    OperationType.SCALE_DOWN: "Scaling down",
    OperationType.REMOVE: "Removal",
    OperationType.EVICT: "Eviction",
    OperationType.RELOAD: "Restart",
    OperationType.CREATE: "Creation",
    OperationType.FIT: "Training",
}


def title(task: Task) -> str:
    """Returns the title in English, like all texts of the API. The web interface translates operations itself."""
    operation = OperationType(task.operation)
    words = _WORDS.get(operation, operation.value.replace("_", " ").capitalize())
    return f"{words} of {task.entity_display_name}"


def _entity(task: Task) -> Entity:
    return Entity(
        name=EntityName(task.entity["name"]),
        account_id=task.account_id,
        display_name=task.entity_display_name,
        model_id=task.model_id,
        instance_id=task.instance_id,
        group_owner_id=task.group_owner_id,
        group_name=task.group_name,
        server_id=task.server_id,
    )
