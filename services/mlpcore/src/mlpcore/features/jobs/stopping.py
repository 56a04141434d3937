"""What people do to tasks: stop them, and say that they have seen them."""

from collections.abc import Sequence

from mlpcore.features.jobs.repository import JobRepository
from mlpcore.features.jobs.service import Jobs
from mlpcore.features.jobs.tables import Job
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.errors import AccessDenied, NotFound
from mlplace_runtime.auth.principal import Principal


class JobStopper:
    def __init__(self, repository: JobRepository, jobs: Jobs) -> None:
        self._repository = repository
        self._jobs = jobs

    async def stop(self, *, job_id: int, principal: Principal) -> None:
        """The task undoes what it has done. Raises NotFound, AccessDenied, NotInterruptible."""
        job = await self._repository.lock(job_id)
        if job is None or not _may_see(job, principal):
            raise NotFound(entity="task")
        grant = principal.grants.get(job.account_id)
        if not principal.superadmin and (grant is None or KeyPermission.WRITE not in grant.permissions):
            raise AccessDenied
        await self._jobs.stop(job)


class JobMarker:
    def __init__(self, repository: JobRepository) -> None:
        self._repository = repository

    async def mark_read(self, *, account_id: int, job_ids: Sequence[int], reader: str) -> None:
        """What is not the account's counts for nothing."""
        await self._repository.mark_read(account_id=account_id, job_ids=job_ids, reader=reader)


def _may_see(job: Job, principal: Principal) -> bool:
    if principal.superadmin:
        return True
    models = principal.allowed_models
    return job.account_id in principal.grants and (models is None or job.model_id in models)
