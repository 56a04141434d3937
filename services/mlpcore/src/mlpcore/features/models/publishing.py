"""The settings that decide who may see and call a model, and its price."""

from mlpcore.features.accounts.service import FeatureGate
from mlpcore.features.models.events import model_changed
from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.reading.presentation import billing_settings, public_settings
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import ModelBillingSettingsData, ModelPublicSettingsData
from mlpcore.features.models.tables import Model
from mlpcore.features.models.versions.log import VersionLog
from mlpcore.features.models.versions.schemas import VersionKind
from mlpcore.features.models.versions.snapshot import Snapshot
from mlplace_contracts.enums import Feature
from mlplace_kit.clock import Clock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import to_nano
from mlplace_kit.pricing import BillingUnit
from mlplace_kit.violations import broken
from mlplace_runtime.db.outbox import Publisher
from mlplace_runtime.web.policy import Access

_PLAIN = ("available_in_jaicp", "hidden", "public_testing_allowed", "show_personal_data_disclaimer")


class PublishingService:
    def __init__(
        self,
        *,
        repository: ModelRepository,
        features: FeatureGate,
        versions: VersionLog,
        outbox: Publisher,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._owned = OwnedModels(repository)
        self._features = features
        self._versions = versions
        self._outbox = outbox
        self._clock = clock

    async def set_publicity(
        self, *, access: Access, model: str, data: ModelPublicSettingsData
    ) -> ModelPublicSettingsData:
        """Publishing, featuring and sharing a model need the feature mlp.public_model_admin."""
        found = await self._owned.get(access, model, lock=True)
        before = self._versions.seen(found)
        if (data.is_public and not found.is_public) or _changes_featuring(found, data):
            await self._features.demand(access, Feature.PUBLIC_MODEL_ADMIN)
        if data.allowed_accounts is not None:
            await self._demand_to_share(access, found, data.allowed_accounts)
            found.allowed_accounts = sorted(set(data.allowed_accounts))
        if data.is_public is not None:
            found.is_public = data.is_public
        if data.featured is not None:
            found.featured = data.featured
        if "featured_list_order" in data.model_fields_set:
            found.featured_list_order = data.featured_list_order
        if data.visitor_calls_per_day is not None:
            found.visitor_calls_per_day = data.visitor_calls_per_day
        for name in _PLAIN:
            value: bool | None = getattr(data, name)
            if value is not None:
                setattr(found, name, value)
        await self._changed(found, before, access, VersionKind.PUBLICATION_CHANGED)
        return public_settings(found, own=True)

    async def set_billing(
        self, *, access: Access, model: str, data: ModelBillingSettingsData
    ) -> ModelBillingSettingsData:
        """Enabling billing, and changing it while it is enabled, needs the feature mlp.public_model_admin."""
        found = await self._owned.get(access, model, lock=True)
        before = self._versions.seen(found)
        if data.is_billing_enabled:
            await self._features.demand(access, Feature.PUBLIC_MODEL_ADMIN)
        nano = price_nano(data)
        unit = data.billing_unit.value if data.billing_unit else found.billing_unit
        if nano is not None:
            found.unit_price_nano = nano
        if data.is_billing_enabled and found.unit_price_nano is None and unit != BillingUnit.DIRECT:
            raise ValidationFailed({"billingUnitPriceInCurrency": broken("billing_price")})
        found.billing_enabled, found.billing_unit = data.is_billing_enabled, unit
        if data.currency is not None:
            found.currency = data.currency.value
        if data.free_unit_quota is not None:
            found.free_unit_quota = data.free_unit_quota
        if data.allow_deferred_billing is not None:
            found.allow_deferred_billing = data.allow_deferred_billing
        if "max_price_in_currency" in data.model_fields_set:
            found.max_price_nano = max_price_nano(data)
        _check_max_price(found)
        await self._changed(found, before, access, VersionKind.PRICE_CHANGED)
        return billing_settings(found)

    async def _demand_to_share(self, access: Access, model: Model, wanted: list[int]) -> None:
        """Allowing further accounts needs the same feature as publishing."""
        if set(wanted) - set(model.allowed_accounts) - {model.account_id}:
            await self._features.demand(access, Feature.PUBLIC_MODEL_ADMIN)

    async def _changed(self, model: Model, before: Snapshot, access: Access, kind: VersionKind) -> None:
        model.version += 1
        model.updated_at = self._clock.now()
        await self._repository.flush(model)
        await self._versions.record(model, before, kind, access.principal)
        await self._outbox.add(model_changed(model, await self._repository.owner(model.account_id)))


def price_nano(data: ModelBillingSettingsData) -> int | None:
    """Returns the sent price in nano-units. Raises ValidationFailed when two prices differ or an amount is invalid."""
    nano, amount = data.billing_unit_price_in_nano_token, data.billing_unit_price_in_currency
    if amount is None:
        return nano
    try:
        converted = to_nano(amount)
    except ValueError as error:
        raise ValidationFailed({"billingUnitPriceInCurrency": broken("amount", message=str(error))}) from error
    if nano is not None and nano != converted:
        raise ValidationFailed(
            {"billingUnitPriceInNanoToken": broken("price_differs", other="billingUnitPriceInCurrency")}
        )
    return converted


def max_price_nano(data: ModelBillingSettingsData) -> int | None:
    """Returns the maximal price in nano-units. Raises ValidationFailed for more than nine decimal places."""
    if data.max_price_in_currency is None:
        return None
    try:
        return to_nano(data.max_price_in_currency)
    except ValueError as error:
        raise ValidationFailed({"maxPriceInCurrency": broken("amount", message=str(error))}) from error


def _check_max_price(model: Model) -> None:
    """Raises ValidationFailed when the maximal price is below the price of one unit, so that no call could be paid."""
    bound, price = model.max_price_nano, model.unit_price_nano or 0
    if model.billing_enabled and model.billing_unit == BillingUnit.CUSTOM and bound is not None and bound < price:
        raise ValidationFailed({"maxPriceInCurrency": broken("below_unit_price")})


def _changes_featuring(model: Model, data: ModelPublicSettingsData) -> bool:
    order_sent = "featured_list_order" in data.model_fields_set
    return (data.featured is not None and data.featured != model.featured) or (
        order_sent and data.featured_list_order != model.featured_list_order
    )
