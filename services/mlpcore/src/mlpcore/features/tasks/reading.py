"""Reads tasks and converts them to the contract's forms."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mlpcore.features.tasks.repository import TaskFilter, TaskRepository
from mlpcore.features.tasks.schemas import JobStatusData, JobStatusDataV2, ShortJobView
from mlpcore.features.tasks.service import title
from mlpcore.features.tasks.states import OVER, JobStatus
from mlpcore.features.tasks.tables import Task
from mlpcore.operations import EntityRef, OperationType
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.clock import to_milliseconds
from mlplace_kit.errors import NotFound
from mlplace_runtime.auth.principal import Principal

_PRIORITY = "NORMAL"
_REASONS: Final = {JobStatus.REVERTED: "the task was stopped", JobStatus.REPLACED: "a newer task replaced this one"}
"""Messages of ends that need no error to happen."""


class TaskReader:
    def __init__(self, repository: TaskRepository) -> None:
        self._repository = repository

    async def short(self, *, account_id: int, reader: str, models: frozenset[int] | None) -> list[ShortJobView]:
        """Returns the account's newest 100 tasks with all their parts, newest first. `models` None: of any model."""
        found = await self._repository.tree(account_id=account_id, reader=reader)
        rows = [(task, seen) for task, seen in found if models is None or task.model_id in models]
        below: dict[int | None, list[tuple[Task, str | None]]] = {}
        for row in rows:
            below.setdefault(row[0].parent_id, []).append(row)
        return [_view(task, seen, below) for task, seen in reversed(below.get(None, []))]

    async def flat(self, wanted: TaskFilter) -> list[JobStatusDataV2]:
        return [_status(task) for task in await self._repository.flat(wanted)]

    async def of_caller(self, wanted: TaskFilter, principal: Principal) -> list[JobStatusDataV2]:
        """Returns the tasks of the accounts whose objects the caller may read."""
        accounts = {i for i, grant in principal.grants.items() if KeyPermission.READ in grant.permissions}
        return await self.flat(replace(wanted, accounts=frozenset(accounts), models=principal.allowed_models))

    async def last_of_model(self, *, account_id: int, model_id: int) -> JobStatusData | None:
        task = await self._repository.last_of_model(account_id=account_id, model_id=model_id)
        return None if task is None else _last(task)

    async def existing_last(self, *, account_id: int, model_id: int) -> JobStatusData:
        """Raises NotFound for a model without tasks."""
        found = await self.last_of_model(account_id=account_id, model_id=model_id)
        if found is None:
            raise NotFound(entity="task")
        return found


def _view(task: Task, seen: str | None, below: dict[int | None, list[tuple[Task, str | None]]]) -> ShortJobView:
    status = JobStatus(task.status)
    return ShortJobView(
        job_id=str(task.task_id),
        title=title(task),
        children=[_view(child, read, below) for child, read in below.get(task.task_id, [])],
        percentage=float(task.percentage),
        view_status=status,
        current_step=task.step_name,
        operation=OperationType(task.operation),
        operated_entity=EntityRef.model_validate(task.entity),
        operated_entity_name=task.entity_display_name,
        persistent_job_status=status,
        run_at=task.started_at or task.created_at,
        end_time=task.ended_at,
        step=task.step_name,
        step_key=task.step_key,
        error_code=task.error_code,
        error_args=task.error_args or {},
        error_message=task.error_message,
        interrupted=task.interrupted,
        is_interruptible=task.interruptible and status in {JobStatus.IDLE, JobStatus.RUN},
        wait_for=_texts(task.wait_for),
        unread_status=seen != task.status,
    )


def _status(task: Task) -> JobStatusDataV2:
    return JobStatusDataV2(
        job_id=str(task.task_id),
        job_status=JobStatus(task.status),
        start_time=to_milliseconds(task.started_at or task.created_at),
        end_time=to_milliseconds(task.ended_at) if task.ended_at else None,
        name=title(task),
        parents=_texts(sorted({i for i in (task.root_id, task.parent_id) if i is not None})),
        percentage=task.percentage,
        current_command_name=task.step_name or None,
        original_exception=task.error_code,
        priority_name=_PRIORITY,
        error_message=task.error_message,
        account_id=task.account_id,
        model_id=task.model_id,
        instance_id=task.instance_id,
        group_owner_id=task.group_owner_id,
        group_name=task.group_name,
        server_id=task.server_id,
        wait_for=_texts(task.wait_for),
    )


def _last(task: Task) -> JobStatusData:
    status = JobStatus(task.status)
    return JobStatusData(
        account_id=task.account_id,
        job_id=task.task_id,
        job_type=task.operation,
        state=status,
        done=status in OVER,
        # Clients that only ask for `error` would take any other end for a success.
        error=status in OVER and status is not JobStatus.COMPLETED,
        error_message=task.error_message or _REASONS.get(status),
    )


def _texts(ids: Sequence[int]) -> list[str]:
    return [str(i) for i in ids]
