from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import Field

from mlpcore.callers import known_caller
from mlpcore.features.tasks.dependencies import TaskMarkerDep, TaskReaderDep, TaskStopperDep
from mlpcore.features.tasks.repository import TaskFilter
from mlpcore.features.tasks.schemas import JobStatusDataV2, ShortJobView
from mlpcore.features.tasks.states import JobStatus
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, InSelectedAccount, SignedIn, Superadmin

router = APIRouter(prefix="/api/mlpcore/task", tags=["task-endpoint"])
Id = Annotated[int | None, Query(ge=1, lt=2**63)]
Reader = Annotated[Access, Depends(InSelectedAccount(KeyPermission.READ, narrows=True))]


def task_filter(
    account: Id = None,
    model: Id = None,
    instance_id: Annotated[int | None, Query(alias="instanceId", ge=1, lt=2**63)] = None,
    group_name: Annotated[StoredText | None, Query(alias="groupName", max_length=128)] = None,
    server_id: Annotated[int | None, Query(alias="serverId", ge=1, lt=2**63)] = None,
    exclude_status: Annotated[JobStatus | None, Query(alias="excludeStatus")] = None,
) -> TaskFilter:
    return TaskFilter(
        accounts=None,
        account=account,
        model=model,
        instance=instance_id,
        group_name=group_name,
        server=server_id,
        exclude_status=exclude_status,
    )


FilterDep = Annotated[TaskFilter, Depends(task_filter)]


@router.get("", dependencies=[Depends(Superadmin())])
async def list_jobs(wanted: FilterDep, reader: TaskReaderDep) -> list[JobStatusDataV2]:
    return await reader.flat(wanted)


@router.get("/user")
async def list_account_jobs(
    access: Annotated[Access, Depends(SignedIn())], wanted: FilterDep, reader: TaskReaderDep
) -> list[JobStatusDataV2]:
    return await reader.of_caller(wanted, access.principal)


@router.get("/list")
async def list_selected_account_jobs(access: Reader, reader: TaskReaderDep) -> list[JobStatusDataV2]:
    mine = TaskFilter(accounts=None, account=access.account.account_id, models=access.principal.allowed_models)
    return await reader.flat(mine)


@router.get("/short")
async def short_tasks_view(access: Reader, reader: TaskReaderDep) -> list[ShortJobView]:
    principal = access.principal
    return await reader.short(
        account_id=access.account.account_id, reader=known_caller(principal), models=principal.allowed_models
    )


@router.post("/read", response_class=Response)
async def mark_tasks_read(
    access: Reader,
    tasks: TaskMarkerDep,
    task_ids: Annotated[
        list[Annotated[int, Field(ge=1, lt=2**63)]], Query(alias="jobId", max_length=1000, default_factory=list)
    ],
) -> Response:
    await tasks.mark_read(
        account_id=access.account.account_id, task_ids=task_ids, reader=known_caller(access.principal)
    )
    return Response()


@router.post("/{taskId}/stop", response_class=Response)
async def stop_job(
    task_id: Annotated[ObjectId, Path(alias="taskId")],
    access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.WRITE, narrows=True))],
    stopper: TaskStopperDep,
) -> Response:
    await stopper.stop(task_id=task_id, principal=access.principal)
    return Response()
