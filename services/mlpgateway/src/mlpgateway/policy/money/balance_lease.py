"""The leases that one payer has for calls of one model. No I/O."""

import asyncio
import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from mlpgateway.policy.money.lease import Hold, Lease
from mlplace_kit.errors import DomainError
from mlplace_kit.money import Currency
from mlplace_kit.pricing import Cost

_REFUSAL_LASTS = timedelta(seconds=1)
_AHEAD_SECONDS = 70
"""A lease is renewed when half of it is used. The other half then lasts half a minute if mlpbilling does not answer."""
_FIRST_CALLS, _FEWEST_CALLS, _MOST_CALLS = 256, 64, 65_536


@dataclass(frozen=True, slots=True)
class BalanceLeaseKey:
    """Mlpbilling settles usage only against a reservation with the same payer, model and currency."""

    payer_account_id: int
    model_account_id: int
    model_id: int
    currency: Currency


@dataclass(frozen=True, slots=True)
class _Refusal:
    error: DomainError
    minimum_nano: int
    until: datetime


class BalanceLease:
    """Leases of one key. A call that asks for a lease holds `lock`; the others wait and use what it gets."""

    def __init__(self, key: BalanceLeaseKey) -> None:
        self.key = key
        self.lock = asyncio.Lock()
        self.leases: list[Lease] = []
        self.renewal: asyncio.Task[None] | None = None
        self._calls = _FIRST_CALLS
        self._drawn = 0
        self._refusal: _Refusal | None = None
        self._renew_not_before: datetime | None = None
        self._unanswered: tuple[float, DomainError] | None = None

    def draw(self, cost: Cost, now: datetime) -> Hold | None:
        """Draws from the oldest lease that covers the cost: younger ones live longer. None: no lease covers it."""
        for lease in self.leases:
            if lease.is_usable(now) and (hold := lease.draw(cost, now)):
                self._drawn += 1
                return hold
        return None

    def is_low(self, now: datetime) -> bool:
        """Returns whether to renew now, before calls must wait for a lease. False shortly after a refused renewal."""
        if self.renewal is not None or not self.leases or self._refused(now):
            return False
        if self._renew_not_before and now < self._renew_not_before:
            return False
        newest = self.leases[-1]
        return newest.is_low or newest.is_worn(now)

    def calls_ahead(self, now: datetime) -> int:
        """Returns the number of calls to lease for, from the rate of calls since the newest lease."""
        if self.leases:
            seconds = max(1.0, (now - self.leases[-1].usable_from).total_seconds())
            wanted = math.ceil(self._drawn / seconds * _AHEAD_SECONDS)
            self._calls = min(max(wanted, self._calls // 2, _FEWEST_CALLS), _MOST_CALLS)
        return self._calls

    def add(self, lease: Lease) -> None:
        self._drawn = 0
        self._refusal = None
        self.leases.append(lease)

    def remove(self, lease: Lease) -> None:
        self.leases.remove(lease)

    def refuse(self, error: DomainError, *, minimum_nano: int, now: datetime) -> None:
        """Remembers a refusal for a second, so that a payer without money does not keep mlpbilling busy."""
        self._refusal = _Refusal(error, minimum_nano, now + _REFUSAL_LASTS)

    def postpone_renewal(self, now: datetime) -> None:
        """Delays the next renewal after a refusal. Calls still ask: for them, unused remainders are called back."""
        self._renew_not_before = now + _REFUSAL_LASTS

    def forget_refusal(self) -> None:
        self._refusal = self._renew_not_before = None

    def raise_refusal(self, minimum_nano: int, now: datetime) -> None:
        """Raises the error of a refusal in the last second, if it refused this amount or less."""
        refusal = self._refusal
        if refusal and self._refused(now) and minimum_nano >= refusal.minimum_nano:
            raise type(refusal.error)

    def note_unanswered(self, error: DomainError, at: float) -> None:
        """Remembers that mlpbilling did not answer. `at` is in monotonic seconds."""
        self._unanswered = at, error

    def raise_unanswered(self, since: float) -> None:
        """Raises the error of a request that began after `since`: its waiters do not ask for as long again."""
        if self._unanswered is not None and self._unanswered[0] >= since:
            raise type(self._unanswered[1])(**self._unanswered[1].details)

    def _refused(self, now: datetime) -> bool:
        return self._refusal is not None and now < self._refusal.until
