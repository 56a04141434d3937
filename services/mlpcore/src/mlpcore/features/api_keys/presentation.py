"""Converts keys to the data that callers see, and to the event that caches of keys read."""

from typing import Any, Literal, cast

from mlpcore.features.api_keys.limits import key_limits, max_price_nano, restrictions_of
from mlpcore.features.api_keys.schemas import AccessTokenData, Restrictions
from mlpcore.features.api_keys.tables import ApiKey
from mlplace_contracts.events import ApiKeyChanged


def key_data(key: ApiKey) -> AccessTokenData:
    restrictions = restrictions_of(key.restrictions)
    values: dict[str, object] = {name: getattr(restrictions, name) for name in Restrictions.model_fields}
    values |= {
        "token": f"{key.account_id}.{key.key_id}.************{key.last_four}",
        "name": key.name,
        "creation_date": key.created_at.isoformat(),
        "expires_at": key.expires_at,
        "permissions": key.permissions,
        "allowed_services": key.allowed_models,
        "allowed_origins": key.allowed_origins,
        "temporary": bool(restrictions.temporary),
    }
    return AccessTokenData.model_validate(values)


def stored_restrictions(data: Restrictions) -> dict[str, Any]:
    """Returns JSON data with amounts as text, because a JSON number would lose digits."""
    only = Restrictions.model_validate({name: getattr(data, name) for name in Restrictions.model_fields})
    stored = only.model_dump(mode="json", by_alias=True)
    if only.expense_limit is not None:
        stored["expenseLimit"] = str(only.expense_limit)
    if only.max_price_per_call is not None:
        stored["maxPricePerCall"] = str(only.max_price_per_call)
    for written, limit in zip(stored["spendingLimits"] or (), only.spending_limits or (), strict=True):
        written["amount"] = str(limit.amount)
    return stored


def key_changed(key: ApiKey, *, account_is_active: bool) -> ApiKeyChanged:
    allowed = None if key.allowed_models is None else tuple(entry["modelId"] for entry in key.allowed_models)
    return ApiKeyChanged(
        version=key.version,
        key_id=key.key_id,
        account_id=key.account_id,
        name=key.name,
        key_hash=key.key_hash,
        permissions=cast('tuple[Literal["predict", "read", "write"], ...]', tuple(key.permissions)),
        allowed_models=allowed,
        expires_at=key.expires_at,
        active=key.revoked_at is None and account_is_active,
        limits=key_limits(key.restrictions, key.created_at),
        max_price_nano=max_price_nano(key.restrictions),
        allowed_origins=tuple(key.allowed_origins),
    )
