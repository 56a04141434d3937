"""Divides one resource of a gate among its users. No I/O, no clock."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Self

from prometheus_client import Counter

from mlpgateway.errors.gate import GateOverloaded
from mlpgateway.errors.shares import ShareExceeded
from mlplace_kit.errors import DomainError

Holder = int | str
"""An account id, or the address of a caller that the gate does not know yet."""

RESERVE: Final = 8
"""An eighth of each resource is reserved for accounts that use little."""
OWN: Final = 256
"""An account uses little up to a 256th of the resource, so the reserve holds 32 such accounts."""

REFUSED = Counter(
    "mlp_gateway_share_refusals_total",
    "Requests refused by the share of a holder (account, owner, address) or, with the holder `all`, of everybody",
    ["resource", "holder"],
)


@dataclass(frozen=True, slots=True)
class Fractions:
    """The largest part of a resource that one account and one address may use."""

    account: float = 0.25
    address: float = 0.02


class Share:
    """The amount of one resource that each holder uses.

    * A holder never uses more than its maximum, and all together never more than `total`.
    * Above its `own` amount an account gets only what leaves the reserve free. Only accounts within their own amount
      use the reserve, so large holders cannot keep small ones from getting some.
    * Addresses have no own amount: nobody uses the reserve before being identified.
    """

    __slots__ = (
        "_beyond", "_full", "_kind", "_most", "_most_of_address", "_own", "_refusal", "_reserve", "_used", "_within",
        "resource", "total",
    )  # fmt: skip

    def __init__(
        self,
        resource: str,
        total: int,
        fractions: Fractions | None = None,
        *,
        kind: str = "account",
        full: Callable[[], DomainError] = GateOverloaded,
        refusal: Callable[[int], DomainError] | None = None,
    ) -> None:
        """`kind` says whose accounts these are: `account` for callers, or `owner`. `full` creates the error for an
        exceeded total, `refusal` the one for a holder's exceeded maximum when that is not ShareExceeded.
        """
        fractions = fractions or Fractions()
        self.resource = resource
        self.total = total
        self._kind = kind
        self._full = full
        self._refusal = refusal
        self._most = max(1, int(total * fractions.account))
        self._most_of_address = max(1, int(total * fractions.address))
        self._reserve = total // RESERVE if self._most < total else 0
        self._own = min(self._most, max(1, total // OWN))
        self._used: dict[Holder, int] = {}
        self._within = 0
        self._beyond = 0

    @property
    def used(self) -> int:
        """The amount that all holders use together."""
        return self._within + self._beyond

    @property
    def holders(self) -> int:
        return len(self._used)

    @property
    def accounts(self) -> list[int]:
        return [holder for holder in self._used if type(holder) is int]

    def of(self, holder: Holder) -> int:
        return self._used.get(holder, 0)

    def most(self, holder: Holder) -> int:
        return self._most if type(holder) is int else self._most_of_address

    def take(self, holder: Holder, amount: int = 1, *, mine: int | None = None) -> None:
        """Raises ShareExceeded, or the error that `full` creates; then nothing is taken.

        `mine` is the amount that the same item holds already, for items that come in pieces. An item may exceed the
        account's maximum when the account holds nothing else, and the total when nobody holds anything else.
        """
        used = self._used.get(holder, 0)
        self._check(holder, used, amount, mine)
        own = self._own if type(holder) is int else 0
        within = amount if used + amount <= own else max(0, own - used)
        self._within += within
        self._beyond += amount - within
        self._used[holder] = used + amount

    def check(self, holder: Holder, amount: int) -> None:
        """Raises like `take` for a new item that may come in pieces."""
        self._check(holder, self._used.get(holder, 0), amount, 0)

    def fits(self, holder: Holder, amount: int = 1, *, mine: int | None = None) -> bool:
        """Returns whether `take` would succeed."""
        return self._problem(holder, self._used.get(holder, 0), amount, mine) is None

    def give_back(self, holder: Holder, amount: int = 1) -> None:
        used = self._used[holder]
        left = used - amount
        own = self._own if type(holder) is int else 0
        within = min(used, own) - min(left, own)
        self._within -= within
        self._beyond -= amount - within
        if left:
            self._used[holder] = left
        else:
            del self._used[holder]

    @contextmanager
    def one(self, holder: Holder) -> Generator[None]:
        """Takes one for the duration of the block. Raises like `take`."""
        self.take(holder)
        try:
            yield
        finally:
            self.give_back(holder)

    def _check(self, holder: Holder, used: int, amount: int, mine: int | None) -> None:
        problem = self._problem(holder, used, amount, mine)
        if problem is not None:
            raise self._refuse(holder) if problem else self._refuse_all()

    def _problem(self, holder: Holder, used: int, amount: int, mine: int | None) -> bool | None:
        """Returns None when the amount fits, True when the holder's maximum is exceeded, False when the total is."""
        known, now = type(holder) is int, used + amount
        if known and now <= self._own:
            # An item above the total does not reduce the reserve.
            return False if self._within + amount > max(self._reserve, self.total - self._beyond) else None
        alone = known and mine == used
        if now > self.most(holder) < self.total and not alone:
            return True
        too_much = self.used + amount > self.total - self._reserve and not (alone and used == self.used)
        return False if too_much else None

    def _refuse(self, holder: Holder) -> DomainError:
        kind = self._kind if type(holder) is int else "address"
        REFUSED.labels(self.resource, kind).inc()
        if self._refusal is not None:
            return self._refusal(self.most(holder))
        return ShareExceeded(holder=kind, limit=str(self.most(holder)), resource=self.resource)

    def _refuse_all(self) -> DomainError:
        REFUSED.labels(self.resource, "all").inc()
        return self._full()


class TakenShares:
    """The shares that one call uses. They are given back at the end of the block."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        self._taken: list[tuple[Share, Holder]] = []

    def take(self, share: Share, holder: Holder) -> None:
        """Raises like `Share.take`."""
        share.take(holder)
        self._taken.append((share, holder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_ending: object) -> None:
        self.give_back()

    def give_back(self) -> None:
        """Idempotent."""
        for share, holder in self._taken:
            share.give_back(holder)
        self._taken.clear()
