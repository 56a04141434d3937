"""The units of limits and the money that one call holds until it ends."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from mlpgateway.policy.limits.leased_bucket import LeasedBucket, Origin
from mlpgateway.policy.limits.rules import Rule
from mlpgateway.policy.money.ceiling import Ceiling
from mlpgateway.policy.money.lease import Hold
from mlplace_contracts.events import CappedBy
from mlplace_kit.pricing import Cost

LIMIT: Final = "RateLimit"
POLICY: Final = "RateLimit-Policy"
X_LIMIT: Final = "X-RateLimit-Limit"
X_REMAINING: Final = "X-RateLimit-Remaining"
X_RESET: Final = "X-RateLimit-Reset"

Counted = Sequence[tuple[Rule, LeasedBucket]]
Held = tuple[LeasedBucket, Origin, int]


class Claim:
    """Ends once, by `spend` or `release`: the first one counts. `allowances` are the spending limits of the call."""

    __slots__ = ("_allowances", "_counted", "_hold", "_more", "_open", "_others", "_spent", "ceiling", "on_credit")

    def __init__(
        self, hold: Hold, allowances: Sequence[Held], counted: Counted, spent: Callable[[], None] | None = None
    ) -> None:
        """`spent` is called after the call's cost was taken from its allowances."""
        self._hold = hold
        self._allowances = allowances
        self._counted = counted
        self._spent = spent
        self._open = True
        # Amounts added for answers that cost more than was held, by the allowance's index.
        self._more: dict[int, list[Held]] = {}
        # Further holds for the same answer; the usage event names one reservation, that of `_hold`.
        self._others: list[Hold] = []
        self.ceiling: Ceiling | None = None
        # Mlpbilling did not answer: the payer's balance is unknown, and the charge waits for it as others do.
        self.on_credit = False

    @property
    def allowances(self) -> Sequence[Held]:
        return self._allowances

    def held_of(self, place: int) -> int:
        """Returns what the call holds of the allowance at that index."""
        return self._allowances[place][2] + sum(held for _, _, held in self._more.get(place, ()))

    def add(self, place: int, origin: Origin, amount: int) -> None:
        """Adds to what the allowance at that index holds for the call."""
        if self._open:
            self._more.setdefault(place, []).append((self._allowances[place][0], origin, amount))
        else:
            self._allowances[place][0].settle(origin, amount, 0)

    def grow(self, cost: Cost) -> None:
        """Holds the answer's cost, as far as this gate's leases reach."""
        self._hold.grow(cost, sum(other.nano for other in self._others))
        for place, (leased, _, _) in enumerate(self._allowances):
            lacking = self.payable(cost) - self.held_of(place)
            if lacking > 0 and (origin := leased.draw_more(lacking)):
                self.add(place, origin, lacking)

    @property
    def held_nano(self) -> int:
        """The account's money that is held, in billionths of a currency unit, without free units."""
        return self._hold.nano + sum(other.nano for other in self._others)

    def lacking(self, cost: Cost) -> int:
        """Returns the part of the cost for which no money is held, in billionths of a currency unit."""
        if not self._hold.bounds:
            return 0
        return max(0, cost.nano_without(min(self._hold.free, cost.units)) - self.held_nano)

    def add_hold(self, hold: Hold) -> None:
        if self._open:
            self._others.append(hold)
        else:
            hold.release()

    def payable(self, cost: Cost) -> int:
        """Returns the part of the cost that the held money pays, in billionths of a currency unit."""
        wanted = cost.nano_without(min(self._hold.free, cost.units))
        return wanted if self.on_credit else min(self.held_nano, wanted)

    def bound(self, cost: Cost) -> tuple[int, CappedBy | None]:
        """Returns the units of the cost that are held, and what bounds them; None when all are held."""
        if not self._hold.bounds:
            return cost.units, None
        nano, by = self.payable(cost), "balance"
        for place in range(len(self._allowances)):
            held = self.held_of(place)
            if held < nano:
                nano, by = held, "key_limit"
        units = self._hold.free + nano // cost.unit_price_nano
        return (cost.units, None) if units >= cost.units else (units, by)

    def settle_on_largest(self) -> None:
        """Makes the largest reservation the one that the usage event names, unless the first one has free units."""
        if self._others and not self._hold.free:
            holds = sorted([self._hold, *self._others], key=lambda hold: hold.nano)
            self._hold, self._others = holds[-1], holds[:-1]

    @property
    def reservation_id(self) -> uuid.UUID | None:
        return self._hold.reservation_id

    def is_held(self, now: datetime) -> bool:
        """Returns False when mlpbilling no longer holds the money for this call."""
        return self._hold.is_held(now)

    def take_over(self, hold: Hold) -> None:
        """Replaces a hold that has expired with another one."""
        self._hold.release()
        self._hold = hold

    def spend(self, actual: Cost) -> int:
        """Returns the charged money in billionths of a currency unit; 0 when the claim has ended before."""
        held, nano = self._hold.nano, self._hold.spend(actual)
        beyond = max(0, nano - held)
        for other in self._others:
            used = min(beyond, other.nano)
            other.void(used)
            beyond -= used
        self._end(nano)
        return nano

    def release(self) -> None:
        self._hold.release()
        for other in self._others:
            other.release()
        self._end(0)

    def _end(self, nano: int) -> None:
        if self._open:
            self._open = False
            for place, (leased, origin, held) in enumerate(self._allowances):
                rest = nano
                for _, other, more in self._more.get(place, ()):
                    used = min(more, max(0, rest - held))
                    leased.settle(other, more, used)
                    rest -= used
                leased.settle(origin, held, rest)
            if nano and self._spent is not None:
                self._spent()

    def headers(self) -> Mapping[str, str]:
        return headers_of(self._counted)


def headers_of(counted: Counted) -> dict[str, str]:
    """Returns the headers about limits on calls. `t` and X-RateLimit-Reset are seconds until the bucket is full again.

    RateLimit and RateLimit-Policy follow the IETF draft; X-RateLimit-* describe the limit with the least share left.
    """
    fields: list[str] = []
    policies: list[str] = []
    nearest, least = ("0", "0", "0"), float("inf")
    for rule, leased in counted:
        left, seconds = leased.outlook()
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
