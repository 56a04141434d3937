"""ModelChanged: all that a gate needs of a model, in every event."""

from typing import Literal, cast

from mlpcore.features.models.blocks import (
    ModelBatchesData,
    ModelPriorityQueueData,
    ModelRetriesData,
    ModelTimeoutsData,
)
from mlpcore.features.models.repository import OwnerState
from mlpcore.features.models.tables import Model
from mlplace_contracts.events import (
    ModelBatches,
    ModelBilling,
    ModelChanged,
    ModelPriorityQueue,
    ModelPublicity,
    ModelRetries,
    ModelTimeouts,
)


def model_changed(model: Model, owner: OwnerState) -> ModelChanged:
    timeouts = ModelTimeoutsData.model_validate(model.timeouts)
    return ModelChanged(
        version=model.version,
        account_id=model.account_id,
        model_id=model.model_id,
        account_name=owner.name,
        model_name=model.name,
        task_type=model.task_type,
        active=model.deleted_at is None and owner.active,
        prototype=model.prototype,
        fittable=model.fittable,
        composite=model.composite,
        hosting_type=model.hosting_type,
        reject_if_inactive=model.reject_requests_if_inactive,
        timeouts=ModelTimeouts(
            pod_start=timeouts.pod_start_timeout_sec,
            predict=timeouts.predict_timeout_sec,
            fit=timeouts.fit_timeout_sec or 600,
        ),
        billing=ModelBilling(
            enabled=model.billing_enabled,
            unit=cast('Literal["calls", "direct", "custom"]', model.billing_unit),
            unit_price_nano=model.unit_price_nano or 0,
            currency=cast('Literal["RUBLE", "TOKEN"]', model.currency),
            free_unit_quota=model.free_unit_quota,
        ),
        publicity=ModelPublicity(
            is_public=model.is_public,
            hidden=model.hidden,
            public_testing_allowed=model.public_testing_allowed,
            allowed_accounts=tuple(model.allowed_accounts),
        ),
        retries=_retries(ModelRetriesData.model_validate(model.retries_config)),
        batches=_batches(ModelBatchesData.model_validate(model.batches_config)),
        priority_queue=_priority_queue(ModelPriorityQueueData.model_validate(model.priority_queue)),
    )


def _retries(data: ModelRetriesData) -> ModelRetries:
    return ModelRetries(
        most=data.max_retries, timeouts_ms=data.timeouts_ms, most_per_instance=data.max_retries_per_instance
    )


def _batches(data: ModelBatchesData) -> ModelBatches:
    return ModelBatches(size=data.batch_size, wait_ms=data.time_wait_ms, longest_bytes=data.max_length_to_skip)


def _priority_queue(data: ModelPriorityQueueData) -> ModelPriorityQueue:
    return ModelPriorityQueue(enabled=data.enabled, concurrency=data.concurrency_level)
