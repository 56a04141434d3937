"""What an account may have. In groups of its own, its resources are limited by its servers only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mlpcore.features.placement.needs import Needs


class AccountLimit(StrEnum):
    """The limits that placement keeps, by their names on the wire."""

    BASE = "baseModelInstanceLimit"
    DERIVED = "derivedModelInstanceLimit"
    CPU = "cpuLimit"
    MEMORY = "memoryLimit"
    DISK = "ephemeralDiskLimit"
    GPU = "gpuModelInstanceLimit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Instances of models that were not trained and of those that were; thousandths of a core; MiB; MiB; instances
    with GPUs. Resources count in groups of other accounts only.
    """

    base: int = 0
    derived: int = 0
    milli_cpu: int = 0
    ram_mb: int = 0
    disk_mb: int = 0
    gpu_instances: int = 0


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A limit, what is used of it, and what is needed in addition, in the limit's unit."""

    limit: AccountLimit
    allowed: int
    used: int
    needed: int

    def texts(self) -> Mapping[str, str]:
        """Returns the numbers in Kubernetes notation."""
        amounts = {"allowed": self.allowed, "used": self.used, "needed": self.needed}
        unit = _UNITS.get(self.limit, "")
        return {"name": self.limit.value, **{name: f"{amount}{unit}" for name, amount in amounts.items()}}


_UNITS: Final = {AccountLimit.CPU: "m", AccountLimit.MEMORY: "Mi", AccountLimit.DISK: "Mi"}


def limits_and_use(limits: Used, used: Used) -> Sequence[tuple[AccountLimit, int, int]]:
    """Returns each limit, its value and what is used of it, in the unit of `Used`."""
    return [
        (AccountLimit.BASE, limits.base, used.base),
        (AccountLimit.DERIVED, limits.derived, used.derived),
        (AccountLimit.CPU, limits.milli_cpu, used.milli_cpu),
        (AccountLimit.MEMORY, limits.ram_mb, used.ram_mb),
        (AccountLimit.DISK, limits.disk_mb, used.disk_mb),
        (AccountLimit.GPU, limits.gpu_instances, used.gpu_instances),
    ]


_COUNTS: Final = 2
"""The first limits, which count instances, hold in every group."""


def _amounts(needs: Needs, *, derived: bool) -> Sequence[int]:
    """Returns what one instance uses of each limit, in the order of `limits_and_use`."""
    return (
        int(not derived), int(derived), needs.milli_cpu, needs.ram_mb, needs.disk_mb, min(1, needs.gpu_count)
    )  # fmt: skip


class AccountRoom:
    """What is left of an account's limits. `foreign`: the group belongs to another account, so resources count."""

    def __init__(self, limits: Used, used: Used, *, foreign: bool) -> None:
        self._limits = limits
        self._used = used
        self._foreign = foreign

    def copy(self) -> "AccountRoom":
        """Returns the same room, to try changes on."""
        return AccountRoom(self._limits, self._used, foreign=self._foreign)

    def exceeded(self, needs: Needs, count: int = 1, *, derived: bool = False) -> Exceeded | None:
        """Returns the first limit that `count` instances more would exceed."""
        for (limit, allowed, held), needed in zip(self._rows(), _amounts(needs, derived=derived), strict=False):
            if needed and held + needed * count > allowed:
                return Exceeded(limit, allowed, held, needed * count)
        return None

    def is_over(self, needs: Needs, *, derived: bool = False) -> bool:
        """Whether more than a limit is used already, of what an instance with these needs would use."""
        rows = zip(self._rows(), _amounts(needs, derived=derived), strict=False)
        return any(needed and held > allowed for (_, allowed, held), needed in rows)

    def _rows(self) -> Sequence[tuple[AccountLimit, int, int]]:
        """Returns the limits that count in the group, in the order of `limits_and_use`."""
        rows = limits_and_use(self._limits, self._used)
        return rows if self._foreign else rows[:_COUNTS]

    def give_back(self, needs: Needs, *, derived: bool | None = False) -> None:
        """Adds what an instance held that ends. `derived` is None if it is no longer counted among the instances."""
        self._count(needs, -1, derived=derived)

    def take(self, needs: Needs, *, derived: bool = False) -> None:
        self._count(needs, 1, derived=derived)

    def _count(self, needs: Needs, sign: int, *, derived: bool | None) -> None:
        used = self._used
        self._used = Used(
            base=used.base + sign * (derived is False),
            derived=used.derived + sign * (derived is True),
            milli_cpu=used.milli_cpu + sign * needs.milli_cpu,
            ram_mb=used.ram_mb + sign * needs.ram_mb,
            disk_mb=used.disk_mb + sign * needs.disk_mb,
            gpu_instances=used.gpu_instances + sign * min(1, needs.gpu_count),
        )
