"""Which models may have instances on the platform."""

from dataclasses import dataclass

from mlpcore.features.instances.errors import HostingTypeUnavailable, PrototypeNotStarted
from mlplace_contracts.enums import HostingType


@dataclass(frozen=True, slots=True)
class HostingNow:
    type: HostingType
    prototype: bool

    @property
    def is_automatic(self) -> bool:
        """Whether autoscaling sets the number of instances."""
        return self.type is HostingType.AUTOMATIC and not self.prototype


def demand_platform(hosting: HostingNow, count: int) -> None:
    """Any model may have none. Raises HostingTypeUnavailable, PrototypeNotStarted."""
    if count and hosting.type is HostingType.EXTERNAL:
        raise HostingTypeUnavailable(hostingType=hosting.type.value)
    if count and hosting.prototype:
        raise PrototypeNotStarted
