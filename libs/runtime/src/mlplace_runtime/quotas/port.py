"""Token buckets that several processes share.

A bucket holds up to `capacity` units and refills evenly, from empty to full within `period_ms`. A process (a *holder*)
leases units, spends them in memory and reports from time to time. Leased units count as taken: the level never rises
above the capacity minus all leases, so leasing does not let more units through.

Holders report growing totals, not differences, so a report whose answer was lost can be repeated. A holder that was
silent for `HOLDER_MS` counts as dead; what it had not reported as spent returns to the bucket. Every adapter passes the
contract test suite `mlplace_testing.contracts.quotas`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

HOLDER_MS: Final = 20_000


class QuotasAwayError(Exception):
    """The store does not answer in time. Raised at once while the store is known to be unreachable."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Capacity above 2^53 units is kept to 16 digits only.

    `period_ms` None never fills. `rises_at_once`: a capacity that rises makes that much available at once.
    """

    name: str
    capacity: int
    period_ms: int | None
    rises_at_once: bool = True

    @property
    def per_ms(self) -> float:
        return self.capacity / self.period_ms if self.period_ms else 0.0


@dataclass(frozen=True, slots=True)
class Counters:
    """Totals of one holder since it started. `apart` was spent without a lease while the store was unreachable."""

    spent: int = 0
    returned: int = 0
    apart: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """`acked` are the totals of the last answered report, in case the store has lost them.

    `demand` units are wanted for waiting calls, each of which needs at least `least`; fewer are not leased. `extra`
    units are added if the bucket has plenty. `level` is the initial level of a bucket that the store does not know;
    without it the bucket stays unknown. `leaving` ends the lease.
    """

    bucket: Bucket
    totals: Counters
    acked: Counters
    least: int = 1
    demand: int = 0
    extra: int = 0
    level: float | None = None
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class BucketAnswer:
    """The store's answer for one bucket. `granted` minus the holder's totals spent and returned is its current lease.

    `level` is what is not leased; it is negative after calls that cost more than was leased. `holders` is the number of
    processes with leases on the bucket.
    """

    granted: int
    level: float
    holders: int
    known: bool = True


class SharedQuotas(Protocol):
    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[BucketAnswer]:
        """Returns one answer per report, in order. Raises QuotasAwayError; some reports may have taken effect then."""
        ...
