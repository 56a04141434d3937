"""Limits of keys, for many scenarios."""

from mlplace_contracts.limits import KeyLimits, RequestRule, SizeRule, SpendingRule
from mlplace_kit.clock import SystemClock
from mlplace_kit.money import Currency

ONE_CALL_A_DAY = KeyLimits(requests=RequestRule(calls=1, period="DAY", period_seconds=86_400))
ONE_BYTE = KeyLimits(size=SizeRule(most=1, unit="BYTES"))
"""No request of a scenario is so small."""


def spending(amount_nano: int, *, daily: bool) -> KeyLimits:
    rule = SpendingRule(
        amount_nano=amount_nano, currency=Currency.RUBLE if daily else None, period="DAY" if daily else "TOTAL",
        period_seconds=86_400 if daily else None, available_immediately=True, since=SystemClock().now(),
    )  # fmt: skip
    return KeyLimits(spending=(rule,))
