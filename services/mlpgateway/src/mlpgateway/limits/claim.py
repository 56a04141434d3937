"""What one call holds of limits and money, until it ends."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from mlpgateway.limits.pocket import Origin, Pocket
from mlpgateway.limits.rules import Rule
from mlpgateway.money.cost import Cost
from mlpgateway.money.lease import Hold

LIMIT: Final = "RateLimit"
POLICY: Final = "RateLimit-Policy"
X_LIMIT: Final = "X-RateLimit-Limit"
X_REMAINING: Final = "X-RateLimit-Remaining"
X_RESET: Final = "X-RateLimit-Reset"

Counted = Sequence[tuple[Rule, Pocket]]
Held = tuple[Pocket, Origin, int]


class Claim:
    """Ends once, by `spend` or by `release`; the first of them counts. `allowances`: spending limits that count it."""

    __slots__ = ("_allowances", "_counted", "_hold", "_open", "_spent")

    def __init__(
        self, hold: Hold, allowances: Sequence[Held], counted: Counted, spent: Callable[[], None] | None = None
    ) -> None:
        """`spent` hears when allowances have less for good."""
        self._hold = hold
        self._allowances = allowances
        self._counted = counted
        self._spent = spent
        self._open = True

    @property
    def reservation_id(self) -> uuid.UUID | None:
        return self._hold.reservation_id

    def stands(self, now: datetime) -> bool:
        """False when the money is held for this call no more."""
        return self._hold.stands(now)

    def take_over(self, hold: Hold) -> None:
        """Another hold of the account's money for the one that does not stand any more."""
        self._hold.release()
        self._hold = hold

    def spend(self, actual: Cost) -> None:
        self._end(self._hold.spend(actual))

    def release(self) -> None:
        self._hold.release()
        self._end(0)

    def _end(self, nano: int) -> None:
        if self._open:
            self._open = False
            for pocket, origin, held in self._allowances:
                pocket.settle(origin, held, nano)
            if nano and self._spent is not None:
                self._spent()

    def headers(self) -> Mapping[str, str]:
        return headers_of(self._counted)


def headers_of(counted: Counted) -> dict[str, str]:
    """What is left of limits on calls. `t` and X-RateLimit-Reset are seconds until nothing of the limit is used.

    RateLimit and RateLimit-Policy follow the IETF draft; X-RateLimit-* tell of the one that is nearest to its end.
    """
    fields: list[str] = []
    policies: list[str] = []
    nearest, least = ("0", "0", "0"), float("inf")
    for rule, pocket in counted:
        left, seconds = pocket.outlook()
        fields.append(f'"{rule.label}";r={left};t={seconds}')
        policies.append(rule.policy)
        capacity = rule.bucket.capacity
        share = left / capacity if capacity else 0.0
        if share < least:
            least, nearest = share, (str(capacity), str(left), str(seconds))
    return {
        LIMIT: ", ".join(fields),
        POLICY: ", ".join(policies),
        X_LIMIT: nearest[0],
        X_REMAINING: nearest[1],
        X_RESET: nearest[2],
    }
