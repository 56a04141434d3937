"""Builds ModelChanged. Every event contains all settings of the model that gates need."""

from base64 import b64encode

from mlpcore.features.models.repository import OwnerState
from mlpcore.features.models.settings.blocks import (
    ModelArchiveSettingsData,
    ModelBatchesData,
    ModelCachingData,
    ModelHttpSettingsData,
    ModelPriorityQueueData,
    ModelRetriesData,
    ModelTimeoutsData,
)
from mlpcore.features.models.tables import Model
from mlplace_contracts.events import (
    ModelArchive,
    ModelBatches,
    ModelBilling,
    ModelCaching,
    ModelChanged,
    ModelHttp,
    ModelPriorityQueue,
    ModelPublicity,
    ModelRetries,
    ModelTimeouts,
)
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit

_PAGE = "/health"


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
            unit=BillingUnit(model.billing_unit),
            unit_price_nano=model.unit_price_nano or 0,
            currency=Currency(model.currency),
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
        http=_http(ModelHttpSettingsData.model_validate(model.http_settings)),
        caching=_caching(model),
        archive=_archive(model),
        max_price_nano=model.max_price_nano,
        visitor_calls_per_day=model.visitor_calls_per_day,
    )


def _retries(data: ModelRetriesData) -> ModelRetries:
    return ModelRetries(
        most=data.max_retries, timeouts_ms=data.timeouts_ms, most_per_instance=data.max_retries_per_instance
    )


def _batches(data: ModelBatchesData) -> ModelBatches:
    return ModelBatches(size=data.batch_size, wait_ms=data.time_wait_ms, longest_bytes=data.max_length_to_skip)


def _priority_queue(data: ModelPriorityQueueData) -> ModelPriorityQueue:
    return ModelPriorityQueue(enabled=data.enabled, concurrency=data.concurrency_level)


def _http(data: ModelHttpSettingsData) -> ModelHttp | None:
    if not data.is_http_enabled or data.http_port is None:
        return None
    return ModelHttp(port=data.http_port, page=data.main_page_endpoint or _PAGE, only=data.http_interface_only)


def _caching(model: Model) -> ModelCaching | None:
    data = ModelCachingData.model_validate(model.caching)
    if not data.enabled or model.caching_uri_sealed is None or model.deleted_at is not None:
        return None
    address = b64encode(model.caching_uri_sealed).decode()
    return ModelCaching(address=address, collection=data.collection_name, most=data.records_limit)


def _archive(model: Model) -> ModelArchive | None:
    data = ModelArchiveSettingsData.model_validate(model.archive_settings)
    if not data.enabled or model.deleted_at is not None:
        return None
    public_key = data.rsa_pem_public_key if data.encryption_enabled else None
    return ModelArchive(most=data.number_of_archived_requests, public_key=public_key)
