"""Converts a row of a model to the data that a viewer sees."""

from collections.abc import Sequence
from decimal import Decimal

from mlpcore.features.call_statistics.histogram import Counted
from mlpcore.features.call_statistics.service import shown
from mlpcore.features.datasets.presentation import dataset_info
from mlpcore.features.datasets.schemas import DatasetInfoData
from mlpcore.features.images.schemas import ImageInfoData
from mlpcore.features.images.service import image_info
from mlpcore.features.models.reading.listing import ModelRow
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.schemas import (
    InstanceCountsData,
    ModelBillingSettingsData,
    ModelInfoData,
    ModelInfoPK,
    ModelPublicSettingsData,
    StartData,
)
from mlpcore.features.models.settings.blocks import (
    ModelArchiveSettingsData,
    ModelAutoScalingConfiguration,
    ModelBatchesData,
    ModelCachingData,
    ModelPriorityQueueData,
    ModelRetriesData,
)
from mlpcore.features.models.settings.hidden import HIDING, masked_setting, names_alone
from mlpcore.features.models.tables import Block, Model
from mlpcore.features.models.values import BASE
from mlpcore.ports import ModelObserved
from mlplace_kit.clock import to_milliseconds
from mlplace_kit.money import Currency, from_nano

_AS_STORED = (
    "composite", "prototype", "reject_requests_if_inactive", "task_type", "fittable", "hosting_type",
    "timeouts", "resource_limits", "short_description", "languages", "display_name", "display_author", "model_link",
    "model_author_company", "wait_start", "model_type", "protocols", "aliases", "start_time_sec", "training_type",
    "training_dataset_type", "http_settings",
)  # fmt: skip
_OWNERS_ONLY: dict[str, object] = {
    "image_account_id": None,
    "image_id": None,
    "model_group_id": None,
    "training_dataset_account_id": None,
    "training_dataset_id": None,
    "training_fit_config_id": None,
    "fit_template_model_id": None,
    "config": None,
    "env": None,
    "secret_env": {},
    "additional_flags": [],
    "persistent_volumes": [],
    "data_image_mounts": [],
    "retries_config": ModelRetriesData(),
    "batches_config": ModelBatchesData(),
    "caching": ModelCachingData(),
    "priority_queue": ModelPriorityQueueData(),
    "auto_scaling_configuration": ModelAutoScalingConfiguration().settled(),
    "archive_settings": ModelArchiveSettingsData(),
    "min_instances_count": 0,
    "supported_templates": [],
    "deployment_patch": None,
}


def model_info(
    row: ModelRow, observed: ModelObserved, *, counted: Counted | None, mounts: Sequence[Block], viewer: Viewer
) -> ModelInfoData:
    """`mounts`: those of the model as its owner sees them."""
    model, own = row.model, viewer.owns(row.model.account_id)
    values: dict[str, object] = {name: getattr(model, name) for name in _AS_STORED}
    values |= {**_owned(model, viewer), "data_image_mounts": mounts} if own else _OWNERS_ONLY
    restricted = row.image is not None and row.image.access_mode == "restricted"
    values |= {
        "id": ModelInfoPK(account_id=model.account_id, model_id=model.model_id),
        "model_name": model.name,
        "model_account_name": row.account_name,
        "model_account_display_name": row.account_display_name,
        "image": _image(row) if own else None,
        "model_group_name": row.group_name if own else None,
        **_base(row, own=own),
        "resource_group": row.resource_group if own else None,
        "training_dataset": _dataset(row, viewer) if own else None,
        "training_fit_config": None,
        "public_settings": public_settings(model, own=own),
        "billing_settings": billing_settings(model),
        "restricted_image_access": restricted and row.image is not None and row.image.account_id != model.account_id,
        "last_activity": to_milliseconds(row.last_activity) if row.last_activity else None,
        # Clients of the public SDK expect a number here, even without an image and when the viewer may not see it.
        "image_account_id": values["image_account_id"] or model.account_id,
        "favorite": row.favorite,
        "state": observed.state,
        "waits_for_server": observed.waits,
        "start": start_of(model, observed),
        "measured_start_time_sec": observed.start_seconds,
        "call_statistics": shown(counted),
        "instance_counts": _instances(observed) if own else None,
    }
    return ModelInfoData.model_validate(values)


def _base(row: ModelRow, *, own: bool) -> dict[str, object]:
    """Returns no base that the viewer may not read: a private one of another account, or a deleted one."""
    shown = own and row.base_name is not None
    ids = {name: getattr(row.model, name) if shown else None for name in BASE}
    return {**ids, "training_model_name": row.base_name if shown else None}


def start_of(model: Model, observed: ModelObserved) -> StartData | None:
    seconds = observed.start_seconds
    return StartData.of(observed.start, usual_seconds=model.start_time_sec if seconds is None else seconds)


def _instances(observed: ModelObserved) -> InstanceCountsData:
    return InstanceCountsData(connected=observed.connected, expected=observed.expected)


def _dataset(row: ModelRow, viewer: Viewer) -> DatasetInfoData | None:
    """Returns no dataset that its owner has made private for others since.

    A key that is limited to models sees datasets like others: of its account it sees nothing but the models.
    """
    dataset = row.training_dataset
    if dataset is None:
        return None
    mine = dataset.account_id == row.model.account_id and viewer.allowed_models is None
    if not mine and dataset.access_mode == "private":
        return None
    return dataset_info(dataset, account_name=row.training_dataset_account_name, own=mine)


def _owned(model: Model, viewer: Viewer) -> dict[str, object]:
    """Masks secrets here, too: a row of an earlier version holds them in plain text."""
    values: dict[str, object] = {name: getattr(model, name) for name in _OWNERS_ONLY}
    values |= {name: masked_setting(name, values[name]) for name in HIDING}
    # The time zone is there for the previous release only; that of an earlier row no longer holds.
    values["auto_scaling_configuration"] = {**model.auto_scaling_configuration, "timeZone": None}
    if not viewer.edits(model.account_id):
        values["env"] = names_alone(model.env)
    return values


def public_settings(model: Model, *, own: bool) -> ModelPublicSettingsData:
    """Only the owner sees `allowed_accounts`."""
    return ModelPublicSettingsData(
        is_public=model.is_public,
        available_in_jaicp=model.available_in_jaicp,
        featured=model.featured,
        featured_list_order=model.featured_list_order,
        hidden=model.hidden,
        public_testing_allowed=model.public_testing_allowed,
        visitor_calls_per_day=model.visitor_calls_per_day,
        show_personal_data_disclaimer=model.show_personal_data_disclaimer,
        allowed_accounts=list(model.allowed_accounts) if own else [],
    )


def billing_settings(model: Model) -> ModelBillingSettingsData:
    price: Decimal | None = None if model.unit_price_nano is None else from_nano(model.unit_price_nano)
    return ModelBillingSettingsData.model_validate(
        {
            "is_billing_enabled": model.billing_enabled,
            "billing_unit": model.billing_unit,
            "billing_unit_price_in_nano_token": model.unit_price_nano,
            "billing_unit_price_in_currency": price,
            "free_unit_quota": model.free_unit_quota,
            "allow_deferred_billing": model.allow_deferred_billing,
            "currency": Currency(model.currency),
            "max_price_in_currency": None if model.max_price_nano is None else from_nano(model.max_price_nano),
        }
    )


def _image(row: ModelRow) -> ImageInfoData | None:
    if row.image is None:
        return None
    own = row.image.account_id == row.model.account_id
    return image_info(row.image, account_name=row.image_account_name, own=own)
