"""Tasks as people and programs look at them."""

from collections.abc import Sequence
from dataclasses import replace

from mlpcore.features.jobs.repository import JobFilter, JobRepository
from mlpcore.features.jobs.schemas import JobStatusData, JobStatusDataV2, ShortJobView
from mlpcore.features.jobs.service import title
from mlpcore.features.jobs.states import OVER, JobStatus
from mlpcore.features.jobs.tables import Job
from mlpcore.operations import EntityRef, OperationType
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.clock import to_milliseconds
from mlplace_kit.errors import NotFound
from mlplace_runtime.auth.principal import Principal

_PRIORITY = "NORMAL"


class JobReader:
    def __init__(self, repository: JobRepository) -> None:
        self._repository = repository

    async def short(self, *, account_id: int, reader: str, models: frozenset[int] | None) -> list[ShortJobView]:
        """The account's newest hundred tasks with all their parts, newest first; `models` None: of any model."""
        found = await self._repository.tree(account_id=account_id, reader=reader)
        rows = [(job, seen) for job, seen in found if models is None or job.model_id in models]
        below: dict[int | None, list[tuple[Job, str | None]]] = {}
        for row in rows:
            below.setdefault(row[0].parent_id, []).append(row)
        return [_view(job, seen, below) for job, seen in reversed(below.get(None, []))]

    async def flat(self, wanted: JobFilter) -> list[JobStatusDataV2]:
        return [_status(job) for job in await self._repository.flat(wanted)]

    async def of_caller(self, wanted: JobFilter, principal: Principal) -> list[JobStatusDataV2]:
        """Of the accounts whose objects the caller may read."""
        accounts = {i for i, grant in principal.grants.items() if KeyPermission.READ in grant.permissions}
        return await self.flat(replace(wanted, accounts=frozenset(accounts), models=principal.allowed_models))

    async def last_of_model(self, *, account_id: int, model_id: int) -> JobStatusData | None:
        job = await self._repository.last_of_model(account_id=account_id, model_id=model_id)
        return None if job is None else _last(job)

    async def existing_last(self, *, account_id: int, model_id: int) -> JobStatusData:
        """Raises NotFound for a service without any task."""
        found = await self.last_of_model(account_id=account_id, model_id=model_id)
        if found is None:
            raise NotFound(entity="task")
        return found


def _view(job: Job, seen: str | None, below: dict[int | None, list[tuple[Job, str | None]]]) -> ShortJobView:
    status = JobStatus(job.status)
    return ShortJobView(
        job_id=str(job.job_id),
        title=title(job),
        children=[_view(child, read, below) for child, read in below.get(job.job_id, [])],
        percentage=float(job.percentage),
        view_status=status,
        current_step=job.step_name,
        operation=OperationType(job.operation),
        operated_entity=EntityRef.model_validate(job.entity),
        operated_entity_name=job.entity_display_name,
        persistent_job_status=status,
        run_at=job.started_at or job.created_at,
        end_time=job.ended_at,
        step=job.step_name,
        error_message=job.error_message,
        interrupted=job.interrupted,
        is_interruptible=job.interruptible and status in {JobStatus.IDLE, JobStatus.RUN},
        wait_for=_texts(job.wait_for),
        unread_status=seen != job.status,
    )


def _status(job: Job) -> JobStatusDataV2:
    return JobStatusDataV2(
        job_id=str(job.job_id),
        job_status=JobStatus(job.status),
        start_time=to_milliseconds(job.started_at or job.created_at),
        end_time=to_milliseconds(job.ended_at) if job.ended_at else None,
        name=title(job),
        parents=_texts(sorted({i for i in (job.root_id, job.parent_id) if i is not None})),
        percentage=job.percentage,
        current_command_name=job.step_name or None,
        original_exception=job.error_code,
        priority_name=_PRIORITY,
        error_message=job.error_message,
        account_id=job.account_id,
        model_id=job.model_id,
        instance_id=job.instance_id,
        group_owner_id=job.group_owner_id,
        group_name=job.group_name,
        server_id=job.server_id,
        wait_for=_texts(job.wait_for),
    )


def _last(job: Job) -> JobStatusData:
    status = JobStatus(job.status)
    return JobStatusData(
        account_id=job.account_id,
        job_id=job.job_id,
        job_type=job.operation,
        state=status,
        done=status in OVER,
        error=status is JobStatus.FAILED,
        error_message=job.error_message,
    )


def _texts(ids: Sequence[int]) -> list[str]:
    return [str(i) for i in ids]
