"""The settings of a model at one moment, as a version holds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from pydantic.alias_generators import to_camel

from mlpcore.features.models.caching_secret import CachingSecret
from mlpcore.features.models.schemas import ModelCreateUpdateData
from mlpcore.features.models.settings.hidden import HIDING, HiddenSettings, masked_setting
from mlpcore.features.models.tables import Block, Model
from mlpcore.features.models.values import BASE, DEFAULTS, stored
from mlplace_kit.money import exact
from mlplace_runtime.secrets import UnreadableSecretError

ADDRESS: Final = "mongoUri"
ENV: Final = "env"
SETTINGS: Final = "settings"
GROUP: Final = "resourceGroup"
_APART: Final = frozenset({ENV, "model_name", "image_account_id", "training_dataset_account_id", *BASE})
"""Not by their names in the document: the whole environment is hidden, the accounts follow from the ids, and the base
is no setting.
"""
_FIELDS: Final = tuple(name for name in ModelCreateUpdateData.model_fields if name not in _APART)
_ORDER: Final = ("modelName", *map(to_camel, _FIELDS))
_PUBLICITY: Final = (
    "is_public", "available_in_jaicp", "featured", "featured_list_order", "hidden", "public_testing_allowed",
    "visitor_calls_per_day", "show_personal_data_disclaimer", "allowed_accounts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`document`: what a version stores, by names on the wire, with the id of the group beside its name.

    `secrets`: complete values that no version stores, by paths on the wire; to see whether they change.
    """

    document: Block
    secrets: Mapping[str, object] = field(repr=False)


class Snapshots:
    def __init__(self, hidden: HiddenSettings, caching: CachingSecret) -> None:
        self._hidden = hidden
        self._caching = caching

    def of(self, model: Model) -> Snapshot:
        return Snapshot(_document(model), self._secrets(model))

    def _secrets(self, model: Model) -> dict[str, object]:
        whole = {to_camel(name): value for name, value in self._hidden.compared(model).items()}
        return {**whole, f"caching.{ADDRESS}": self._address(model)}

    def _address(self, model: Model) -> str | bytes | None:
        try:
            return self._caching.reveal(model)
        except UnreadableSecretError:
            return model.caching_uri_sealed


def complete(settings: Mapping[str, object]) -> Block:
    """Returns the settings of a document with the defaults of the nested fields that it does not have.

    So an addition to the nested settings is no difference between what releases before and after it wrote. The settings
    get their own order again, which the database does not keep.
    """
    ordered = {name: settings[name] for name in _ORDER if name in settings} | dict(settings)
    return {name: _with_defaults(name, value) for name, value in ordered.items()}


def _with_defaults(name: str, value: object) -> object:
    defaults = _NESTED.get(name)
    return value if defaults is None else defaults | cast("Block", value)


def _document(model: Model) -> Block:
    settings: Block = {"modelName": model.name}
    for name in _FIELDS:
        value: object = getattr(model, name)
        settings[to_camel(name)] = masked_setting(name, value) if name in HIDING else value
    return {SETTINGS: complete(_without_others(settings)), "resourceGroupId": model.resource_group_id} | _offer(model)


def _without_others(settings: Block) -> Block:
    """Leaves out the address of the cache, the zone of schedules, which is the account's, and an older name."""
    for block, names in (("caching", {ADDRESS}), ("autoScalingConfiguration", {"timeZone", "active"})):
        settings[block] = {key: value for key, value in settings[block].items() if key not in names}
    return settings


def _offer(model: Model) -> Block:
    """Returns what a restoration leaves as it is. Prices are texts: numbers of JSON may lose digits."""
    prices = (model.unit_price_nano, model.max_price_nano)
    unit_price, max_price = (None if nano is None else exact(nano) for nano in prices)
    return {
        "publicSettings": {to_camel(name): getattr(model, name) for name in _PUBLICITY},
        "billingSettings": {
            "isBillingEnabled": model.billing_enabled,
            "billingUnit": model.billing_unit,
            "billingUnitPriceInCurrency": unit_price,
            "currency": model.currency,
            "freeUnitQuota": model.free_unit_quota,
            "allowDeferredBilling": model.allow_deferred_billing,
            "maxPriceInCurrency": max_price,
        },
    }


def _nested_defaults() -> Block:
    blocks = {to_camel(name): stored(value) for name, value in DEFAULTS.items()}
    return _without_others({name: value for name, value in blocks.items() if isinstance(value, dict) and value})


_NESTED: Final = _nested_defaults()
