"""Token buckets that several processes share.

A bucket holds at most `capacity` units and fills evenly, an empty one within `period_ms`. A process (a *holder*) leases
units and spends them in memory; now and then it reports what it has done with them. What is leased counts as taken:
a bucket never fills beyond its capacity less what is out on lease, so leasing alone lets no unit more through.

Holders report totals that only grow, not differences: a report whose answer was lost may be sent again. A holder that
has been silent for `HOLDER_MS` is taken for dead; what it had not reported as spent goes back into the bucket.
Every adapter passes the contract test suite `mlplace_testing.contracts.quotas`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

HOLDER_MS: Final = 20_000


class QuotasAwayError(Exception):
    """The store does not answer, or not in time. Said at once while it is known to be away."""


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
    """Totals of one holder since it began. `apart`: spent without a lease, while the store was away."""

    spent: int = 0
    returned: int = 0
    apart: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """`acked` are the totals that were reported and answered before: what the store may have forgotten.

    Wanted are `demand` units for those who wait, of which each needs `least` or more: fewer than that are not leased.
    `extra` units come on top while there is plenty. `level` is what a bucket begins with that the store does not know;
    without it an unknown bucket stays unknown. `leaving` ends the lease.
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
class Standing:
    """What the store says of a bucket. `granted` is the holder's total: less its totals spent and returned, its lease.

    `level` is what nobody has leased, below zero after calls that cost more than they had leased; `holders` have leases
    of the bucket.
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

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[Standing]:
        """One answer for each report, in order. Raises QuotasAwayError; some reports may have had their effect then."""
        ...
