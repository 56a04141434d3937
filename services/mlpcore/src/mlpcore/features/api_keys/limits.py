"""Converts the limits of a key from the form that its owner sends to the form that gates enforce."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from mlpcore.features.api_keys.schemas import LimitPeriod, Restrictions, SpendingLimit
from mlplace_contracts.limits import KeyLimits, RequestRule, SizeRule, SpendingRule
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import to_nano
from mlplace_kit.violations import Violation, broken
from mlplace_kit.web_origins import web_origin

SINCE = "spendingSince"
"""Stored beside a key's restrictions: the time from which each spending limit counts. Callers do not see it."""
_TOTAL = "TOTAL"


def restrictions_of(stored: Mapping[str, object]) -> Restrictions:
    return Restrictions.model_validate({name: value for name, value in stored.items() if name != SINCE})


def check_limits(data: Restrictions) -> None:
    """Raises ValidationFailed for incomplete or contradictory limits."""
    problems: dict[str, Violation] = {}
    pairs = (
        ("requestLimit", data.request_limit, "requestLimitPeriod", data.request_limit_period),
        ("maxRequestSize", data.max_request_size, "maxRequestSizeUnit", data.max_request_size_unit),
    )
    for name, value, other, word in pairs:
        if value is not None and word is None:
            problems[other] = broken("required_with", other=name)
        if value is None and word is not None:
            problems[name] = broken("required_with", other=other)
    seen: set[tuple[str, str]] = set()
    for place, limit in enumerate(data.spending_limits or ()):
        if _identity(limit) in seen:
            problems[f"spendingLimits.{place}.period"] = broken("one_limit_per_currency")
        seen.add(_identity(limit))
        if limit.amount != round(limit.amount, 9):
            problems[f"spendingLimits.{place}.amount"] = broken(
                "decimal_places", message="has more than nine decimal places", max="9"
            )
    if data.expense_limit is not None and data.expense_limit != round(data.expense_limit, 9):
        problems["expenseLimit"] = broken("decimal_places", message="has more than nine decimal places", max="9")
    if data.max_price_per_call is not None and data.max_price_per_call != round(data.max_price_per_call, 9):
        problems["maxPricePerCall"] = broken("decimal_places", message="has more than nine decimal places", max="9")
    if problems:
        raise ValidationFailed(problems)


def allowed_origins(given: Sequence[str] | None) -> list[str]:
    """Returns each origin once, in the form in which browsers send it. Raises ValidationFailed."""
    found = [web_origin(text) for text in given or ()]
    problems = {f"allowedOrigins.{place}": broken("web_origin") for place, origin in enumerate(found) if origin is None}
    if problems:
        raise ValidationFailed(problems)
    return list(dict.fromkeys(origin for origin in found if origin is not None))


def spending_since(data: Restrictions, before: Mapping[str, object], now: datetime) -> dict[str, str]:
    """Returns the start time of each limit. A limit keeps its time when its amount changes."""
    known = cast("Mapping[str, str]", before.get(SINCE) or {})
    names = [":".join(_identity(limit)) for limit in data.spending_limits or ()]
    if data.expense_limit is not None:
        names.append(_TOTAL)
    return {name: known.get(name, now.isoformat()) for name in names}


def max_price_nano(stored: Mapping[str, object]) -> int | None:
    """Returns the maximal price of one call with the key, in nano-units; None without a maximum."""
    amount = restrictions_of(stored).max_price_per_call
    return None if amount is None else to_nano(amount)


def key_limits(stored: Mapping[str, object], created_at: datetime) -> KeyLimits | None:
    """Returns None for a key without limits. A spending limit stored without a time counts from `created_at`."""
    data = restrictions_of(stored)
    requests = size = None
    if data.request_limit is not None and data.request_limit_period is not None:
        period = data.request_limit_period
        requests = RequestRule(calls=data.request_limit, period=period.value, period_seconds=_seconds(period))
    if data.max_request_size is not None and data.max_request_size_unit is not None:
        size = SizeRule(most=data.max_request_size, unit=data.max_request_size_unit)
    limits = KeyLimits(
        requests=requests, size=size, spending=_spending(data, stored, created_at), llms=data.allowed_llms
    )
    return None if limits == KeyLimits() else limits


def _spending(data: Restrictions, stored: Mapping[str, object], created_at: datetime) -> tuple[SpendingRule, ...]:
    times = cast("Mapping[str, str]", stored.get(SINCE) or {})

    def since(name: str) -> datetime:
        return datetime.fromisoformat(times[name]) if name in times else created_at

    rules = [
        SpendingRule(
            amount_nano=to_nano(limit.amount),
            currency=limit.currency,
            period=limit.period,
            period_seconds=_seconds(LimitPeriod(limit.period)),
            available_immediately=limit.available_immediately,
            since=since(":".join(_identity(limit))),
        )
        for limit in data.spending_limits or ()
    ]
    if data.expense_limit is not None:
        rules.append(
            SpendingRule(
                amount_nano=to_nano(data.expense_limit),
                currency=None,
                period=_TOTAL,
                period_seconds=None,
                available_immediately=True,
                since=since(_TOTAL),
            )
        )
    return tuple(rules)


def _identity(limit: SpendingLimit) -> tuple[str, str]:
    return limit.period, limit.currency.value


def _seconds(period: LimitPeriod) -> int:
    return int(period.length.total_seconds())


def is_limited(stored: Mapping[str, object]) -> bool:
    """Whether the key has limits that it could evade by creating a second key."""
    data = restrictions_of(stored)
    values: Sequence[object] = (
        data.request_limit, data.max_request_size, data.spending_limits, data.expense_limit, data.allowed_llms,
        data.max_price_per_call,
    )  # fmt: skip
    return any(value is not None for value in values)
