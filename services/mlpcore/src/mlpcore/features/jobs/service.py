"""Tasks within one transaction: begin, move, stop, replace. What a kind's steps do is the machine's business."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mlpcore.features.jobs.errors import NotInterruptible
from mlpcore.features.jobs.repository import JobRepository
from mlpcore.features.jobs.states import OVER, JobStatus, transition
from mlpcore.features.jobs.tables import Job
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import News, Notifier
from mlpcore.operations import Entity, EntityName, OperationType
from mlplace_kit.clock import Clock

DEPTH = 3
_SAID = {
    JobStatus.COMPLETED: (Severity.INFO, "completed"),
    JobStatus.FAILED: (Severity.ERROR, "failed"),
    JobStatus.REVERTED: (Severity.WARNING, "was stopped"),
}


@dataclass(frozen=True, slots=True)
class NewJob:
    """`slot`: the unfinished task that holds it is replaced by this one. `wait_for` are tasks that must end well."""

    kind: str
    operation: OperationType
    entity: Entity
    data: dict[str, object] = field(default_factory=dict[str, object])
    interruptible: bool = True
    slot: str | None = None
    wait_for: Sequence[int] = ()


class Jobs:
    def __init__(self, repository: JobRepository, notifier: Notifier, clock: Clock) -> None:
        self._repository = repository
        self._notifier = notifier
        self._clock = clock

    async def begin(self, new: NewJob, *, parent: Job | None = None) -> Job:
        """Raises ValueError for a task deeper than three levels."""
        depth = parent.depth + 1 if parent else 0
        if depth >= DEPTH:
            raise ValueError(f"tasks nest {DEPTH} levels at most")
        if new.slot:
            await self.replace(new.slot)
        now = self._clock.now()
        job = Job(
            account_id=new.entity.account_id,
            kind=new.kind,
            operation=new.operation.value,
            parent_id=parent.job_id if parent else None,
            root_id=(parent.root_id or parent.job_id) if parent else None,
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
        await self._repository.add(job)
        return job

    async def children(self, job: Job) -> Sequence[Job]:
        return await self._repository.children(job.job_id)

    async def lock_children(self, job: Job) -> Sequence[Job]:
        return await self._repository.children(job.job_id, lock=True)

    async def by_ids(self, job_ids: Sequence[int]) -> Sequence[Job]:
        return await self._repository.by_ids(job_ids)

    async def hold(self, slot: str) -> None:
        """Nobody works on the slot's task until the transaction ends.

        Whoever is going to replace it calls this before locking anything that its steps lock: they hold the task.
        """
        await self._repository.lock_slot(slot)

    async def replace(self, slot: str) -> None:
        """Whoever does the same to the same thing has become pointless; what it did stays."""
        for job in await self._repository.lock_slot(slot):
            job.interrupted = True
            await self.move(job, JobStatus.REPLACED)

    async def stop(self, job: Job) -> None:
        """Undo it, from now on. A task that is being undone already goes on so. Raises NotInterruptible."""
        status = JobStatus(job.status)
        if status is JobStatus.REVERTING:
            return
        if status in OVER or not job.interruptible:
            raise NotInterruptible(status=status.value)
        await self.interrupt(job)

    async def interrupt(self, job: Job) -> None:
        """As `stop`, whether people may stop it or not."""
        status = JobStatus(job.status)
        if status in OVER or status is JobStatus.REVERTING:
            return
        job.interrupted = True
        await self.move(job, JobStatus.REVERTED if status is JobStatus.IDLE else JobStatus.REVERTING)

    async def move(self, job: Job, wanted: JobStatus) -> None:
        """Raises IllegalJobTransition. At its end, those who wait for it are woken, and people are told."""
        job.status = transition(JobStatus(job.status), wanted).value
        now = self._clock.now()
        job.attempts = 0
        job.due_at = now
        if wanted is JobStatus.RUN:
            job.started_at = now
        if wanted in OVER:
            await self._end(job, wanted, now)
        await self._repository.flush()

    async def _end(self, job: Job, status: JobStatus, now: datetime) -> None:
        job.ended_at = now
        job.lock_token = job.locked_until = None
        if status is JobStatus.COMPLETED:
            job.percentage = 100
        await self._repository.wake(waiting_for=job.job_id, parent=job.parent_id, now=now)
        if job.parent_id is None and status in _SAID:
            await self._tell(job, status)

    async def _tell(self, job: Job, status: JobStatus) -> None:
        severity, words = _SAID[status]
        reason = f": {job.error_message}" if job.error_message and status is JobStatus.FAILED else ""
        news = News(
            NotificationType.PIPELINE_OPERATION,
            severity,
            f"{title(job)} {words}{reason}",
            operation=OperationType(job.operation),
            entity=_entity(job),
        )
        await self._notifier.tell([job.account_id], news)


_WORDS = {
    OperationType.RUN: "Start",
    OperationType.WAKE_UP: "Wake-up",
    OperationType.SCALE_UP: "Scaling up",
    OperationType.SCALE_DOWN: "Scaling down",
    OperationType.REMOVE: "Removal",
    OperationType.RELOAD: "Restart",
    OperationType.CREATE: "Creation",
    OperationType.FIT: "Training",
}


def title(job: Job) -> str:
    """In English, as all texts of the API: the interface has words of its own for operations."""
    operation = OperationType(job.operation)
    words = _WORDS.get(operation, operation.value.replace("_", " ").capitalize())
    return f"{words} of {job.entity_display_name}"


def _entity(job: Job) -> Entity:
    return Entity(
        name=EntityName(job.entity["name"]),
        account_id=job.account_id,
        display_name=job.entity_display_name,
        model_id=job.model_id,
        instance_id=job.instance_id,
        group_owner_id=job.group_owner_id,
        group_name=job.group_name,
        server_id=job.server_id,
    )
