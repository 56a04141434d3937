"""Money of a payer that mlpbilling reserves for this gate, and what calls take from it. No I/O."""

import asyncio
import uuid
from datetime import datetime, timedelta

from mlplace_contracts.internal.billing import ReleaseRequest, Reservation
from mlplace_kit.money import MAX_NANO
from mlplace_kit.pricing import Cost

_CLOCK_DIFFERENCE = timedelta(seconds=1)
_LEAST_PAUSE = timedelta(seconds=5)


class Lease:
    """One reservation. `spent` is what usage has claimed, `held` what calls in progress may still claim."""

    __slots__ = (
        "_granted_free",
        "_granted_nano",
        "_held_free",
        "_held_nano",
        "_holds",
        "_spent_free",
        "_spent_nano",
        "_usable_until",
        "_void_nano",
        "ended",
        "expires_at",
        "last_used",
        "report_again_at",
        "reported",
        "reservation_id",
        "telling",
        "usable_from",
    )

    def __init__(self, granted: Reservation, now: datetime) -> None:
        self.reservation_id = granted.reservation_id
        self._granted_nano = granted.granted_nano
        self._granted_free = granted.granted_free_units
        self._usable_until = granted.usable_until - _CLOCK_DIFFERENCE
        self.expires_at = granted.expires_at
        self.usable_from = now
        self.last_used = now
        self._held_nano = self._held_free = self._spent_nano = self._spent_free = self._holds = self._void_nano = 0
        self.ended = False
        # The last report to mlpbilling about an ended lease, and when to report calls in progress again.
        self.reported: ReleaseRequest | None = None
        self.telling = asyncio.Lock()
        self.report_again_at = now

    @property
    def left_nano(self) -> int:
        """Billionths of a currency unit; negative when a call cost more than was held for it."""
        return self._granted_nano - self._held_nano - self._spent_nano - self._void_nano

    @property
    def left_free(self) -> int:
        return max(0, self._granted_free - self._held_free - self._spent_free)

    @property
    def is_low(self) -> bool:
        """True when less than half is left."""
        money_is_low = self.left_nano * 2 < self._granted_nano or not self._granted_nano
        return money_is_low and self.left_free * 2 <= self._granted_free

    @property
    def idle(self) -> bool:
        return self._holds == 0

    def is_usable(self, now: datetime) -> bool:
        return not self.ended and now < self._usable_until

    def is_worn(self, now: datetime) -> bool:
        """Returns whether a quarter of the lease's time is over."""
        return 4 * (now - self.usable_from) >= self._usable_until - self.usable_from

    def draw(self, cost: Cost, now: datetime) -> "Hold | None":
        """Holds free units first, money for the rest. Returns None when both together do not cover the cost."""
        free = min(cost.units, self.left_free)
        nano = cost.nano_without(free)
        if nano > self.left_nano:
            return None
        self._held_nano += nano
        self._held_free += free
        self._holds += 1
        self.last_used = now
        return Hold(self, nano, free)

    def draw_most(self, cost: Cost, now: datetime) -> "Hold":
        """Like `draw`, but holds part of the cost when the lease does not cover it."""
        hold = Hold(self, 0, 0)
        self._holds += 1
        self.last_used = now
        hold.grow(cost)
        return hold

    def more(self, nano: int, free: int, cost: Cost, beside: int) -> tuple[int, int]:
        """Adds the lease's remainder to a hold of `nano` and `free`, up to the cost. Returns the added money and units.

        `beside` is money that other leases hold for the same call.
        """
        if self.ended:
            return 0, 0  # the remainder has gone back to mlpbilling
        more_free = min(max(0, cost.units - free), self.left_free)
        lacking = cost.nano_without(min(cost.units, free + more_free)) - nano - beside
        more_nano = max(0, min(lacking, self.left_nano))
        self._held_nano += more_nano
        self._held_free += more_free
        return more_nano, more_free

    def give_back(self, nano: int, free: int) -> None:
        """Ends a hold without a charge."""
        self._held_nano -= nano
        self._held_free -= free
        self._holds -= 1

    def void(self, nano: int, free: int, used: int) -> None:
        """Ends a hold of which another reservation's usage claims `used` money.

        No call can use that money any more; it stays held for that usage until the lease ends.
        """
        self.give_back(nano, free)
        self._void_nano += used

    def spend(self, nano: int, free: int, actual: Cost) -> int:
        """Ends a hold with a charge, which may differ from what was held. Returns the charged money."""
        self.give_back(nano, free)
        free_units = min(actual.units, self.left_free)
        charged = actual.nano_without(free_units)
        self._spent_free += free_units
        self._spent_nano += charged
        return charged

    def account(self) -> ReleaseRequest:
        """Returns what usage has claimed, and what calls in progress may still claim."""
        spent = min(self._spent_nano, MAX_NANO)
        return ReleaseRequest(
            spent_nano=spent,
            spent_free_units=self._spent_free,
            in_progress_nano=min(self._held_nano, MAX_NANO - spent),
            in_progress_free_units=self._held_free,
        )

    def note_report(self, account: ReleaseRequest, held: Reservation | None, now: datetime) -> None:
        """Records that mlpbilling knows of the end, and its answer `held`; None: it holds nothing any more."""
        self.reported = account
        self.expires_at = now if held is None else held.expires_at
        self.report_again_at = now + max(_LEAST_PAUSE, (self.expires_at - now) / 2)

    def must_report(self, now: datetime) -> bool:
        """Returns whether to report: at the end, when the last call in progress ended, regularly until then."""
        return self.reported is None or (self.reported != self.account() if self.idle else now >= self.report_again_at)


class Hold:
    """The estimated cost of one call. Ends once, by `spend` or `release`: the first one counts."""

    __slots__ = ("_free", "_lease", "_nano", "_open")

    def __init__(self, lease: Lease | None, nano: int, free: int) -> None:
        self._lease = lease
        self._nano = nano
        self._free = free
        self._open = lease is not None

    @property
    def reservation_id(self) -> uuid.UUID | None:
        return self._lease.reservation_id if self._lease else None

    @property
    def nano(self) -> int:
        """The held money in billionths of a currency unit, without free units."""
        return self._nano

    @property
    def free(self) -> int:
        return self._free

    @property
    def bounds(self) -> bool:
        """False for calls that cost nothing."""
        return self._lease is not None

    def grow(self, cost: Cost, beside: int = 0) -> None:
        """Grows to the cost without `beside`, as far as the lease's remainder reaches."""
        if self._open and self._lease:
            nano, free = self._lease.more(self._nano, self._free, cost, beside)
            self._nano += nano
            self._free += free

    def void(self, used: int) -> None:
        """Ends the hold; another reservation's usage claims `used` of its money."""
        if self._open and self._lease:
            self._open = False
            self._lease.void(self._nano, self._free, used)

    def is_held(self, now: datetime) -> bool:
        """Returns whether mlpbilling still holds the money: until the lease expires, which running calls postpone."""
        return self._lease is None or now + _CLOCK_DIFFERENCE < self._lease.expires_at

    def spend(self, actual: Cost) -> int:
        """Ends the hold with a charge. Returns the charged money; 0 when the hold has ended before."""
        if not (self._open and self._lease):
            return 0
        self._open = False
        return self._lease.spend(self._nano, self._free, actual)

    def release(self) -> None:
        if self._open and self._lease:
            self._open = False
            self._lease.give_back(self._nano, self._free)


def nothing_held() -> Hold:
    """Returns the hold of a call that costs nothing."""
    return Hold(None, 0, 0)
