"""Limits of visitors by address. Each gate counts separately, in memory."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mlpgateway.errors.limits import VisitorRateExceeded
from mlpgateway.policy.limits.rules import Rule
from mlplace_contracts.events import ModelChanged
from mlplace_runtime.quotas import Bucket

_MOST_ADDRESSES: Final = 10_000
_MINUTE: Final = 60
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class VisitorTerms:
    """`per_minute`, `per_day`: calls of one address. `total_per_minute`: calls of all visitors, at all gates.

    `at_once`: calls of visitors in progress at this gate; 0 refuses visitors. One address gets an eighth, at least one.
    """

    per_minute: int = 6
    per_day: int = 60
    total_per_minute: int = 240
    at_once: int = 16
    body_bytes: int = 16 * 1024
    answer_seconds: float = 30.0


class Rate:
    """Lets each address make `most` calls in `seconds`, refilled evenly (GCRA). Forgets the address unseen longest.

    Whoever has so many addresses that theirs are forgotten is bounded by the limits on all visitors.
    """

    def __init__(self, most: int, seconds: int, period: str, now: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._period = period
        self._now = now
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def check(self, address: str) -> None:
        """Raises VisitorRateExceeded."""
        if self._wait(address) > 0:
            error = VisitorRateExceeded(limit=str(self._most), period=self._period)
            error.retry_after_seconds = max(1.0, self._wait(address)) if self._most else None
            raise error

    def count(self, address: str) -> None:
        now = self._now()
        self._full_at[address] = max(self._full_at.get(address, now), now) + self._seconds / max(1, self._most)
        self._full_at.move_to_end(address)
        if len(self._full_at) > _MOST_ADDRESSES:
            self._full_at.popitem(last=False)

    def _wait(self, address: str) -> float:
        """Returns the seconds until a call of the address is allowed; 0 or less: now."""
        if not self._most:
            return float(self._seconds)
        used = max(0.0, self._full_at.get(address, 0.0) - self._now())
        return used + self._seconds / self._most - self._seconds - 1e-9


class AddressRates:
    def __init__(self, terms: VisitorTerms, now: Callable[[], float] = time.monotonic) -> None:
        self._rates = (
            Rate(terms.per_minute, _MINUTE, "MINUTE", now),
            Rate(terms.per_day, _DAY, "DAY", now),
        )

    def take(self, address: str) -> None:
        """Counts a call of the address in all limits or none. Raises VisitorRateExceeded."""
        for rate in self._rates:
            rate.check(address)
        for rate in self._rates:
            rate.count(address)


def total_rule(terms: VisitorTerms) -> Rule:
    """Returns the limit on all visitors together, at all gates."""
    most = terms.total_per_minute
    refusal = lambda: VisitorRateExceeded(limit=str(most), period="MINUTE", of="all")  # noqa: E731  one line says it
    return Rule(
        Bucket("visitors:total", most, _MINUTE * 1000), "visitors", refusal, policy=_policy("visitors", most, 60)
    )


def model_rule(model: ModelChanged) -> Rule:
    """Returns the owner's limit on the calls of visitors, at all gates."""
    most = model.visitor_calls_per_day
    refusal = lambda: VisitorRateExceeded(limit=str(most), period="DAY", of="model")  # noqa: E731  one line says it
    bucket = Bucket(f"visitors:model:{model.model_id}", most, _DAY * 1000)
    return Rule(bucket, "model", refusal, policy=_policy("model", most, _DAY))


def _policy(label: str, quota: int, seconds: int) -> str:
    return f'"{label}";q={quota};w={seconds}'
