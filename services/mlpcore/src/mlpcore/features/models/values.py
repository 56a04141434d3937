"""Converts ModelCreateUpdateData to columns. `null` stands for the default."""

from collections.abc import Mapping
from typing import Final, cast

from pydantic import BaseModel

from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.features.models.settings.blocks import (
    ModelArchiveSettingsData,
    ModelAutoScalingConfiguration,
    ModelBatchesData,
    ModelCachingData,
    ModelHttpSettingsData,
    ModelLimitsData,
    ModelPriorityQueueData,
    ModelRetriesData,
    ModelTimeoutsData,
)
from mlplace_contracts.enums import HostingType

DEFAULTS: Mapping[str, object] = {
    "composite": False,
    "prototype": False,
    "fittable": False,
    "wait_start": False,
    "reject_requests_if_inactive": False,
    "task_type": "custom",
    "model_type": "MLP",
    "hosting_type": HostingType.INTERNAL,
    "config": "{}",
    "env": "{}",
    "secret_env": {},
    "min_instances_count": 0,
    "additional_flags": [],
    "persistent_volumes": [],
    "data_image_mounts": [],
    "languages": [],
    "aliases": [],
    "supported_templates": [],
    "protocols": [],
    "timeouts": ModelTimeoutsData(),
    "resource_limits": ModelLimitsData(),
    "retries_config": ModelRetriesData(),
    "batches_config": ModelBatchesData(),
    "caching": ModelCachingData(),
    "priority_queue": ModelPriorityQueueData(),
    "auto_scaling_configuration": ModelAutoScalingConfiguration(),
    "http_settings": ModelHttpSettingsData(),
    "archive_settings": ModelArchiveSettingsData(),
}
BASE: Final = ("training_model_account_id", "training_model_id")
"""The model that a derived one was trained from. No request and no restoration sets it: another limit counts derived
models.
"""
_ELSEWHERE = frozenset(
    {"model_name", "caching", "image_account_id", "training_dataset_account_id", "resource_group", *BASE}
)


def columns_of(data: ModelCreateUpdateData, *, everything: bool) -> dict[str, object]:
    """Returns the columns to write. `everything`: also the fields that were not sent, with their defaults."""
    fields = type(data).model_fields if everything else data.model_fields_set
    return {name: stored(_value(data, name)) for name in fields if name not in _ELSEWHERE}


def _value(data: ModelCreateUpdateData, name: str) -> object:
    sent: object = getattr(data, name)
    return DEFAULTS.get(name) if sent is None else sent


def stored(value: object) -> object:
    """Returns a value as its column stores it: nested settings in the wire's shape."""
    match value:
        case ModelAutoScalingConfiguration():
            return value.settled().model_dump(mode="json", by_alias=True)
        case BaseModel():
            return value.model_dump(mode="json", by_alias=True)
        case HostingType():
            return value.value
        case list():
            return [stored(entry) for entry in cast("list[object]", value)]
        case _:
            return value


NEW_OFFER: Mapping[str, object] = {
    "is_public": False,
    "hidden": False,
    "featured": False,
    "featured_list_order": None,
    "public_testing_allowed": False,
    "visitor_calls_per_day": 0,
    "show_personal_data_disclaimer": False,
    "available_in_jaicp": False,
    "allowed_accounts": [],
    "billing_enabled": False,
    "billing_unit": "calls",
    "unit_price_nano": None,
    "max_price_nano": None,
    "free_unit_quota": 0,
    "allow_deferred_billing": False,
}
"""Publicity and billing of a new model."""
