from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from mlpcore.features.metrics.dependencies import MetricServiceDep
from mlpcore.features.metrics.names import AccountMetric, InstanceMetric, ModelMetric, NodeMetric
from mlpcore.features.metrics.schemas import Measurement
from mlpcore.features.metrics.spans import MOST_MINUTES, MOST_STEP_SECONDS
from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.resource_groups.schemas import GroupName
from mlpcore.group_policy import GroupMember
from mlpcore.paths import ModelPath, ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["metric-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
ServerReader = Annotated[Access, Depends(GroupMember(KeyPermission.READ, role=Role.DEVELOPER))]
Minutes = Annotated[int, Query(ge=1, le=MOST_MINUTES)]
Step = Annotated[int, Query(alias="stepSeconds", ge=1, le=MOST_STEP_SECONDS)]
Time = Annotated[int | None, Query(ge=0, lt=2**42, description="Unix time in milliseconds; default: now")]
Node = Annotated[StoredText | None, Query(alias="nodeName", max_length=128, description="one server of the group")]
AccountNames = Annotated[list[AccountMetric], Query(alias="metrics", min_length=1, max_length=100)]
ModelNames = Annotated[list[ModelMetric], Query(alias="metrics", min_length=1, max_length=100)]
InstanceNames = Annotated[list[InstanceMetric], Query(alias="metrics", min_length=1, max_length=100)]
NodeNames = Annotated[list[NodeMetric], Query(alias="metrics", min_length=1, max_length=100)]


@router.get("/metric")
async def get_account_metric(metrics: AccountNames, access: Reader, service: MetricServiceDep) -> dict[str, float]:
    """Returns the values of the last 60 s. What is not known is absent."""
    return await service.account_values(access.account.account_id, metrics, service.at(None))


@router.get("/metric-range")
async def get_account_metric_range(
    metrics: AccountNames, minutes: Minutes, access: Reader, service: MetricServiceDep, step: Step = 60
) -> dict[str, list[Measurement]]:
    """Returns the points of the last minutes. Steps are enlarged so that no series has more than 11,000."""
    span = await service.last(minutes=minutes, step_seconds=step)
    return await service.account_points(access.account.account_id, metrics, span)


@router.get("/metric/start-time")
async def get_earliest_timestamp_of_account_metric(
    metric: AccountMetric, access: Reader, service: MetricServiceDep
) -> int | None:
    """Returns when the first kept sample begins, in milliseconds since 1970; null if there is none."""
    return await service.account_start(access.account.account_id, metric)


@router.get("/model/{model}/metric")
async def get_model_metric(
    model: ModelPath,
    metrics: ModelNames,
    access: Reader,
    models: OwnedModelsDep,
    service: MetricServiceDep,
    time: Time = None,
) -> dict[str, float]:
    """Returns the values of the 60 s before that time. What is not known is absent."""
    found = await models.get(access, model)
    return (await service.model_values({found.model_id: found.account_id}, metrics, service.at(time)))[found.model_id]


@router.get("/model/{model}/metric-range")
async def get_model_metric_range(
    model: ModelPath,
    metrics: ModelNames,
    minutes: Minutes,
    access: Reader,
    models: OwnedModelsDep,
    service: MetricServiceDep,
    step: Step = 60,
) -> dict[str, list[Measurement]]:
    """Returns the points of the last minutes. Steps are enlarged so that no series has more than 11,000."""
    found = await models.get(access, model)
    span = await service.last(minutes=minutes, step_seconds=step)
    return await service.model_points(found.account_id, found.model_id, metrics, span)


@router.get("/model/{model}/metric/start-time")
async def get_earliest_timestamp_of_model_metric(
    model: ModelPath, metric: ModelMetric, access: Reader, models: OwnedModelsDep, service: MetricServiceDep
) -> int | None:
    """Returns when the first kept sample begins, in milliseconds since 1970; null if there is none."""
    found = await models.get(access, model)
    return await service.model_start(found.account_id, found.model_id, metric)


@router.get("/model/{model}/instance/{instanceId}/metric")
async def get_instance_metric(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    metrics: InstanceNames,
    access: Reader,
    models: OwnedModelsDep,
    service: MetricServiceDep,
) -> dict[str, float]:
    """Returns the values of the last 60 s. What is not known is absent."""
    found = await models.get(access, model)
    return await service.instance_values(found.model_id, instance_id, metrics, service.at(None))


@router.get("/model/{model}/instance/{instanceId}/metric-range")
async def get_instance_metric_range(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    metrics: InstanceNames,
    minutes: Minutes,
    access: Reader,
    models: OwnedModelsDep,
    service: MetricServiceDep,
    step: Step = 60,
) -> dict[str, list[Measurement]]:
    """Returns the points of the last minutes. Steps are enlarged so that no series has more than 11,000."""
    found = await models.get(access, model)
    span = await service.last(minutes=minutes, step_seconds=step)
    return await service.instance_points(found.model_id, instance_id, metrics, span)


@router.get("/model/{model}/instance/{instanceId}/metric/start-time")
async def get_earliest_timestamp_of_instance_metric(
    model: ModelPath,
    instance_id: Annotated[ObjectId, Path(alias="instanceId")],
    metric: InstanceMetric,  # noqa: ARG001  part of the contract: an instance's metrics begin together
    access: Reader,
    models: OwnedModelsDep,
    service: MetricServiceDep,
) -> int | None:
    """Returns when the first kept sample begins, in milliseconds since 1970; null if there is none."""
    found = await models.get(access, model)
    return await service.instance_start(found.model_id, instance_id)


@router.get("/resource-groups/{groupName}/metric")
async def get_resource_group_metric(
    group: Annotated[GroupName, Path(alias="groupName")],
    metrics: NodeNames,
    access: ServerReader,
    service: MetricServiceDep,
    time: Time = None,
    node: Node = None,
) -> dict[str, float]:
    """Returns the values of the 60 s before that time: of one server, or the sums over all of them."""
    return await service.node_values(access.account.account_id, group, metrics, service.at(time), node=node)


@router.get("/resource-groups/{groupName}/metric-range")
async def get_resource_metric_range(
    group: Annotated[GroupName, Path(alias="groupName")],
    metrics: NodeNames,
    minutes: Minutes,
    access: ServerReader,
    service: MetricServiceDep,
    step: Step = 60,
    node: Node = None,
) -> dict[str, list[Measurement]]:
    """Returns the points of the last minutes. Steps are enlarged so that no series has more than 11,000."""
    span = await service.last(minutes=minutes, step_seconds=step)
    return await service.node_points(access.account.account_id, group, metrics, span, node=node)


@router.get("/resource-groups/{groupName}/metric/start-time")
async def get_earliest_timestamp_of_resource_group_metric(
    group: Annotated[GroupName, Path(alias="groupName")],
    metric: NodeMetric,
    access: ServerReader,
    service: MetricServiceDep,
    node: Node = None,
) -> int | None:
    """Returns when the first kept sample begins, in milliseconds since 1970; null if there is none."""
    return await service.node_start(access.account.account_id, group, metric, node=node)
