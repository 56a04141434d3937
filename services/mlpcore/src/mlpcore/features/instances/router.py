from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Response
from fastapi.responses import PlainTextResponse

from mlpcore.features.instances.dependencies import (
    ChangeTurn,
    ExchangingDep,
    ExternalServiceDep,
    InstanceServiceDep,
    ScalingDep,
    StartAnswersDep,
)
from mlpcore.features.instances.errors import StoppedBySchedule
from mlpcore.features.instances.launching.hosts import InstanceHost
from mlpcore.features.instances.schemas import (
    ExternalConnectionInfoData,
    InstanceEnvironmentData,
    InstanceEventData,
    InstanceLastState,
    InstanceLogTailData,
    InstanceMetadata,
    InstancesStatusData,
    ModelInstanceListData,
    ModelShortStatusData,
    ModelStartTimeData,
)
from mlpcore.features.models.dependencies import OwnedModelsDep, TestableModelsDep
from mlpcore.features.stat_logs.dependencies import StatLogsDep
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.features.tasks.dependencies import TaskReaderDep
from mlpcore.features.tasks.schemas import JobStatusData
from mlpcore.paths import ModelPath, ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, AccountPath, Internal, Member, SignedIn, Superadmin

router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}", tags=["model-instance-endpoint"])
platform_router = APIRouter(prefix="/api/mlpcore", tags=["internal"], dependencies=[Depends(Internal())])
admin_router = APIRouter(prefix="/api/mlpcore/admin/instances", tags=["admin-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.get("/external")
async def get_external_connections(
    model: ModelPath, access: Writer, models: OwnedModelsDep, service: ExternalServiceDep
) -> list[ExternalConnectionInfoData]:
    return await service.listed(await models.get(access, model))


@router.post("/external")
async def create_external_connection(
    model: ModelPath,
    access: Writer,
    _turn: ChangeTurn,
    models: OwnedModelsDep,
    service: ExternalServiceDep,
    http_host: Annotated[InstanceHost | None, Query(alias="httpHost")] = None,
    http_port: Annotated[int | None, Query(alias="httpPort", ge=1, le=65_535)] = None,
) -> ExternalConnectionInfoData:
    return await service.create(await models.get(access, model), http_host=http_host, http_port=http_port)


@router.post("/external-application")
async def create_external_application_connection(
    model: ModelPath, access: Writer, _turn: ChangeTurn, models: OwnedModelsDep, service: ExternalServiceDep
) -> ExternalConnectionInfoData:
    """Creates an external connection without an HTTP address, for a model with a web application."""
    return await service.create(await models.get(access, model), http_host=None, http_port=None)


@router.delete("/external/{instanceId}")
async def delete_external_connection(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Writer,
    _turn: ChangeTurn,
    models: OwnedModelsDep,
    service: ExternalServiceDep,
) -> list[ExternalConnectionInfoData]:
    return await service.delete(await models.get(access, model), instance_id)


@router.get("/instance")
async def get_instances(
    model: ModelPath, access: Reader, models: OwnedModelsDep, service: InstanceServiceDep
) -> ModelInstanceListData:
    return await service.listed(await models.get(access, model))


@router.get("/instances")
async def get_instances_status(
    model: ModelPath, access: Reader, models: OwnedModelsDep, service: InstanceServiceDep
) -> InstancesStatusData:
    return await service.numbers(await models.get(access, model))


@router.post("/instances", response_class=Response)
async def set_instances_count(
    model: ModelPath,
    body: Annotated[int, Body(ge=0, le=1000, strict=True)],
    access: Writer,
    _turn: ChangeTurn,
    models: OwnedModelsDep,
    service: ScalingDep,
    answers: StartAnswersDep,
) -> Response:
    """With `waitStart`, answers when the instances are connected, after 25 seconds at most."""
    found = await models.get(access, model)
    await service.request(found, body)
    return answers.of(found, least=body)


@router.post("/instances/single", response_class=Response)
async def start_single_instance(
    account: AccountPath,
    model: ModelPath,
    access: Annotated[Access, Depends(SignedIn(KeyPermission.WRITE))],
    _turn: ChangeTurn,
    models: TestableModelsDep,
    service: ScalingDep,
    answers: StartAnswersDep,
    _cause: Annotated[int | None, Query(alias="causeAccountId", ge=1, lt=2**63)] = None,
) -> Response:
    """Starts an instance if none is requested. Others than the owner may do it with `publicTestingAllowed`.

    With `waitStart`, answers when an instance is connected, after 25 seconds at most.
    """
    wanted = {"account": parse_ref(account), "model": parse_ref(model)}
    found, own = await models.get(access, **wanted, own=KeyPermission.WRITE)
    if own:
        if not await service.wake_up(found, by="owner"):
            raise StoppedBySchedule
    else:
        selected = access.principal.selected
        await service.wake_up_for(found, cause=selected.account_id if selected else None)
    return answers.of(found, least=1)


@router.post("/instance/start", response_class=Response)
async def start_instance(
    model: ModelPath,
    access: Writer,
    _turn: ChangeTurn,
    models: OwnedModelsDep,
    service: ScalingDep,
    answers: StartAnswersDep,
) -> Response:
    """With `waitStart`, answers when all requested instances are connected, after 25 seconds at most."""
    found = await models.get(access, model)
    return answers.of(found, least=await service.request_one_more(found))


@router.post("/rolling-update", response_class=Response)
async def rolling_update(
    model: ModelPath, access: Writer, _turn: ChangeTurn, models: OwnedModelsDep, service: ExchangingDep
) -> Response:
    """Replaces the instances on servers one by one. The task RELOAD shows the progress."""
    await service.exchange_all(await models.get(access, model))
    return Response()


@router.get("/last-job")
async def last_job(model: ModelPath, access: Reader, models: OwnedModelsDep, tasks: TaskReaderDep) -> JobStatusData:
    found = await models.get(access, model)
    return await tasks.existing_last(account_id=found.account_id, model_id=found.model_id)


@router.post("/instance/{instanceId}/stop", response_class=Response)
async def stop_instance(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Writer,
    _turn: ChangeTurn,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
) -> Response:
    await service.stop(await models.get(access, model), instance_id, force=False)
    return Response()


@router.post("/instance/{instanceId}/terminate", response_class=Response)
async def terminate_instance(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Writer,
    _turn: ChangeTurn,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
) -> Response:
    await service.stop(await models.get(access, model), instance_id, force=True)
    return Response()


@router.get("/instance/{instanceId}/laststate")
async def get_instance_last_state(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Reader,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
) -> InstanceLastState:
    return await service.last_state(await models.get(access, model), instance_id)


@router.get("/instance/{instanceId}/timing")
async def get_instance_timing(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Reader,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
) -> ModelStartTimeData:
    return await service.timing(await models.get(access, model), instance_id)


@router.get("/instance/{instanceId}/environment")
async def get_instance_environment(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Reader,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
) -> InstanceEnvironmentData:
    """Returns the environment with secrets masked. Callers who may not change the model see no values of its owner."""
    editable = KeyPermission.WRITE in access.account.permissions
    return await service.environment(await models.get(access, model), instance_id, editable=editable)


@router.get("/instance/{instanceId}/events")
async def get_instance_events(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Reader,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
) -> InstanceEventData:
    return await service.events(await models.get(access, model), instance_id)


@router.get("/instance/{instanceId}/file/logs", response_class=PlainTextResponse)
async def get_instance_logs(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Reader,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
    *,
    previous: Annotated[bool, Query(alias="previousContainer")] = False,
) -> PlainTextResponse:
    return PlainTextResponse(await service.output(await models.get(access, model), instance_id, previous=previous))


@router.get("/instance/{instanceId}/file/logs/tail")
async def get_instance_log_tail(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    access: Reader,
    models: OwnedModelsDep,
    service: InstanceServiceDep,
    *,
    previous: Annotated[bool, Query(alias="previousContainer")] = False,
    run: Annotated[StoredText | None, Query(max_length=32, description="`run` of the last answer")] = None,
    since: Annotated[int, Query(ge=0, lt=2**62, description="`end` of the last answer")] = 0,
) -> InstanceLogTailData:
    """Returns the output after the last answer; all that is kept at first, and when another run has begun."""
    found = await models.get(access, model)
    return await service.tail(found, instance_id, run=run, since=since, previous=previous)


@router.get("/status")
async def get_model_status(
    account: AccountPath,
    model: ModelPath,
    access: Annotated[Access, Depends(SignedIn())],
    models: TestableModelsDep,
    service: InstanceServiceDep,
) -> ModelShortStatusData:
    """Others than the owner read it with `publicTestingAllowed`: the state, and how long a start takes."""
    wanted = {"account": parse_ref(account), "model": parse_ref(model)}
    found, own = await models.get(access, **wanted, own=KeyPermission.READ)
    return await service.status(found, own=own)


@router.get("/logs")
async def get_model_logs(
    model: ModelPath, access: Reader, models: OwnedModelsDep, logs: StatLogsDep
) -> list[StatLogData]:
    found = await models.get(access, model)
    return await logs.of_model(account_id=found.account_id, model_id=found.model_id)


@platform_router.post("/account/{account}/model/{model}/instance/{instanceId}/metadata", response_class=Response)
async def update_instance_metadata(
    account: ObjectId,
    model: ObjectId,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    body: InstanceMetadata,
    service: InstanceServiceDep,
) -> Response:
    await service.set_metadata(account_id=account, model_id=model, instance_id=instance_id, data=body)
    return Response()


@platform_router.post("/update-heartbeats", response_class=Response)
async def update_heartbeats(
    body: Annotated[list[Annotated[int, Body(ge=1, lt=2**63)]], Body(max_length=10_000)], service: InstanceServiceDep
) -> Response:
    await service.seen(body)
    return Response()


@admin_router.post("/rolling-update")
async def rolling_update_all_instances(
    *,
    access: Annotated[Access, Depends(Superadmin())],
    service: ExchangingDep,
    only_kubernetes: Annotated[bool, Query(alias="onlyK8s")] = True,
) -> str:
    """Replaces only instances on Kubernetes unless `onlyK8s` is false. The task belongs to the selected account."""
    account = access.account
    services = await service.exchange_everywhere(
        account_id=account.account_id, account_name=account.account_name, only_kubernetes=only_kubernetes
    )
    return f"{services} services"
