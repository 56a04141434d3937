"""Money of a payer that mlpbilling holds for this gate, and what calls take from it. No I/O."""

import asyncio
import uuid
from datetime import datetime, timedelta

from mlplace_contracts.internal.billing import ReleaseRequest, Reservation
from mlplace_kit.money import MAX_NANO
from mlplace_kit.pricing import Cost

_CLOCK_DIFFERENCE = timedelta(seconds=1)
_LEAST_PAUSE = timedelta(seconds=5)


class Lease:
    """One reservation. `spent` is what usage claims, `held` what calls in progress may still claim."""

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
        "reservation_id",
        "tell_again_at",
        "telling",
        "told",
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
        # What mlpbilling was told last of an ended lease, and when it must hear again of calls in progress.
        self.told: ReleaseRequest | None = None
        self.telling = asyncio.Lock()
        self.tell_again_at = now

    @property
    def left_nano(self) -> int:
        """Below zero when a call has cost more than was held for it."""
        return self._granted_nano - self._held_nano - self._spent_nano - self._void_nano

    @property
    def left_free(self) -> int:
        return max(0, self._granted_free - self._held_free - self._spent_free)

    @property
    def is_low(self) -> bool:
        """Less than half is left."""
        money_is_low = self.left_nano * 2 < self._granted_nano or not self._granted_nano
        return money_is_low and self.left_free * 2 <= self._granted_free

    @property
    def idle(self) -> bool:
        return self._holds == 0

    def is_usable(self, now: datetime) -> bool:
        return not self.ended and now < self._usable_until

    def is_worn(self, now: datetime) -> bool:
        """A quarter of its time is over."""
        return 4 * (now - self.usable_from) >= self._usable_until - self.usable_from

    def draw(self, cost: Cost, now: datetime) -> "Hold | None":
        """Free units first, money for the rest. None when there is not enough of both."""
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
        """As `draw`, of a part of the cost where there is not enough."""
        hold = Hold(self, 0, 0)
        self._holds += 1
        self.last_used = now
        hold.grow(cost)
        return hold

    def more(self, nano: int, free: int, cost: Cost, beside: int) -> tuple[int, int]:
        """Add to a hold of `nano` and `free` what is left of it, up to the cost. Returns what was added.

        `beside` is money that other leases hold for the same call.
        """
        if self.ended:
            return 0, 0  # mlpbilling has what was left
        more_free = min(max(0, cost.units - free), self.left_free)
        lacking = cost.nano_without(min(cost.units, free + more_free)) - nano - beside
        more_nano = max(0, min(lacking, self.left_nano))
        self._held_nano += more_nano
        self._held_free += more_free
        return more_nano, more_free

    def give_back(self, nano: int, free: int) -> None:
        """A hold ends without a charge."""
        self._held_nano -= nano
        self._held_free -= free
        self._holds -= 1

    def void(self, nano: int, free: int, used: int) -> None:
        """A hold ends. Usage of another reservation claims `used` of its money: no call has it any more, and it stays
        held for that usage until the lease ends.
        """
        self.give_back(nano, free)
        self._void_nano += used

    def spend(self, nano: int, free: int, actual: Cost) -> int:
        """A hold ends with a charge, which may be more or less than what was held. The money of it is returned."""
        self.give_back(nano, free)
        free_units = min(actual.units, self.left_free)
        charged = actual.nano_without(free_units)
        self._spent_free += free_units
        self._spent_nano += charged
        return charged

    def account(self) -> ReleaseRequest:
        """What usage has claimed, and what calls in progress may still claim."""
        spent = min(self._spent_nano, MAX_NANO)
        return ReleaseRequest(
            spent_nano=spent,
            spent_free_units=self._spent_free,
            in_progress_nano=min(self._held_nano, MAX_NANO - spent),
            in_progress_free_units=self._held_free,
        )

    def told_of(self, account: ReleaseRequest, held: Reservation | None, now: datetime) -> None:
        """Mlpbilling was told that it has ended, and `held` is what it answered; None: it holds nothing."""
        self.told = account
        self.expires_at = now if held is None else held.expires_at
        self.tell_again_at = now + max(_LEAST_PAUSE, (self.expires_at - now) / 2)

    def must_tell(self, now: datetime) -> bool:
        """When it ends, when calls that were in progress then have ended, and now and then while they go on."""
        return self.told is None or (self.told != self.account() if self.idle else now >= self.tell_again_at)


class Hold:
    """What one call may cost at most, as estimated. Ends once, by `spend` or by `release`; the first of them counts."""

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
        """The money that is held, beside free units."""
        return self._nano

    @property
    def free(self) -> int:
        return self._free

    @property
    def bounds(self) -> bool:
        """False for calls that cost nothing."""
        return self._lease is not None

    def grow(self, cost: Cost, beside: int = 0) -> None:
        """Up to the cost less `beside`, as far as the lease has that much left."""
        if self._open and self._lease:
            nano, free = self._lease.more(self._nano, self._free, cost, beside)
            self._nano += nano
            self._free += free

    def void(self, used: int) -> None:
        """It ends; usage of another reservation claims `used` of its money."""
        if self._open and self._lease:
            self._open = False
            self._lease.void(self._nano, self._free, used)

    def stands(self, now: datetime) -> bool:
        """Whether mlpbilling still holds the money: it does until the lease expires, which moves as calls go on."""
        return self._lease is None or now + _CLOCK_DIFFERENCE < self._lease.expires_at

    def spend(self, actual: Cost) -> int:
        """The money that was charged."""
        if not (self._open and self._lease):
            return 0
        self._open = False
        return self._lease.spend(self._nano, self._free, actual)

    def release(self) -> None:
        if self._open and self._lease:
            self._open = False
            self._lease.give_back(self._nano, self._free)


def nothing_held() -> Hold:
    """For calls that cost nothing."""
    return Hold(None, 0, 0)
