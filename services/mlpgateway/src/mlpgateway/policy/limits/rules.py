"""Converts the limits of accounts and keys into buckets and the errors that name them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from mlpgateway.errors.limits import KeyRateExceeded, KeySpendingExceeded, PageRateExceeded, RateExceeded
from mlplace_contracts.limits import RequestRule, SpendingRule
from mlplace_kit.errors import DomainError
from mlplace_kit.money import Currency, exact
from mlplace_runtime.quotas import Bucket

_SECOND_MS = 1000
_FILES_OF_A_CALL = 60
_PAGE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Rule:
    """`label` names the limit in headers. `currency` is the money that it counts; None: calls, or all currencies."""

    bucket: Bucket
    label: str
    refusal: Callable[[], DomainError]
    currency: Currency | None = None
    policy: str = ""
    since: datetime | None = None
    spends: SpendingRule | None = None

    def begins(self, now: datetime) -> float:
        """Returns the level of a bucket that the store does not know: full, or filled since it was created."""
        full = float(self.bucket.capacity)
        if self.since is None:
            return full
        return min(full, max(0.0, (now - self.since).total_seconds() * 1000) * self.bucket.per_ms)


def account_rule(account_id: int, per_second: int) -> Rule:
    bucket = Bucket(f"account:{account_id}:predict", per_second, _SECOND_MS)
    refusal = lambda: RateExceeded(limit=str(per_second))  # noqa: E731  one line says it
    return Rule(bucket, "account", refusal, policy=_policy("account", per_second, 1))


def page_rule(account_id: int, per_second: int) -> Rule:
    """Returns the limit on page files: a page loads dozens of them at once."""
    files = per_second * _FILES_OF_A_CALL
    bucket = Bucket(f"account:{account_id}:pages", files, _PAGE_SECONDS * _SECOND_MS)
    refusal = lambda: PageRateExceeded(limit=str(files), seconds=str(_PAGE_SECONDS))  # noqa: E731  one line says it
    return Rule(bucket, "pages", refusal, policy=_policy("pages", files, _PAGE_SECONDS))


def request_rule(key_id: int, rule: RequestRule) -> Rule:
    bucket = Bucket(f"key:{key_id}:calls:{rule.period}", rule.calls, rule.period_seconds * 1000)
    refusal = lambda: KeyRateExceeded(limit=str(rule.calls), period=rule.period)  # noqa: E731  one line says it
    return Rule(bucket, "key", refusal, policy=_policy("key", rule.calls, rule.period_seconds))


def paying(rule: Rule) -> Rule:
    """Returns the limit of the key that pays instead of the caller's, under a label of its own in headers."""
    return replace(rule, label="billing-key", policy=rule.policy.replace('"key"', '"billing-key"', 1))


def spending_rule(key_id: int, rule: SpendingRule) -> Rule:
    """Returns the spending limit. A limit that was removed and set again is a new bucket: its name has its time."""
    began = int(rule.since.timestamp() * 1000)
    name = f"key:{key_id}:spending:{rule.period}:{rule.currency or 'ANY'}:{began}"
    period_ms = rule.period_seconds * 1000 if rule.period_seconds else None
    bucket = Bucket(name, rule.amount_nano, period_ms, rises_at_once=rule.available_immediately)
    label = f"key-{rule.period.lower()}"

    def refusal() -> DomainError:
        return KeySpendingExceeded(limit=exact(rule.amount_nano), currency=rule.currency or "any", period=rule.period)

    since = None if rule.available_immediately else rule.since
    return Rule(bucket, label, refusal, rule.currency, since=since, spends=rule)


def _policy(label: str, quota: int, seconds: int) -> str:
    return f'"{label}";q={quota};w={seconds}'
