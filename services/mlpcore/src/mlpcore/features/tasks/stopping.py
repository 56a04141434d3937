"""Lets people stop tasks and mark them as read."""

from collections.abc import Sequence

from mlpcore.features.tasks.repository import TaskRepository
from mlpcore.features.tasks.service import Tasks
from mlpcore.features.tasks.tables import Task
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.denials import PermissionMissing
from mlplace_kit.errors import NotFound
from mlplace_runtime.auth.principal import Principal


class TaskStopper:
    def __init__(self, repository: TaskRepository, tasks: Tasks) -> None:
        self._repository = repository
        self._tasks = tasks

    async def stop(self, *, task_id: int, principal: Principal) -> None:
        """Begins to undo the task. Raises NotFound, AccessDenied, NotInterruptible."""
        task = await self._repository.lock(task_id)
        if task is None or not _may_see(task, principal):
            raise NotFound(entity="task")
        grant = principal.grants.get(task.account_id)
        if not principal.superadmin and (grant is None or KeyPermission.WRITE not in grant.permissions):
            raise PermissionMissing(permission=KeyPermission.WRITE.value)
        await self._tasks.stop(task)


class TaskMarker:
    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    async def mark_read(self, *, account_id: int, task_ids: Sequence[int], reader: str) -> None:
        """Ignores tasks of other accounts."""
        await self._repository.mark_read(account_id=account_id, task_ids=task_ids, reader=reader)


def _may_see(task: Task, principal: Principal) -> bool:
    if principal.superadmin:
        return True
    models = principal.allowed_models
    return task.account_id in principal.grants and (models is None or task.model_id in models)
