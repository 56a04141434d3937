"""The providers that fulfil the contract."""

from collections.abc import Mapping
from typing import Final

from mlpcore.features.resource_groups.schemas import GroupType

from .called_site import CalledSite
from .hosting_site import HostingSite

CALLED: Final = "called"
"""Stands for all providers that the platform calls."""
SUBJECTS: Final[Mapping[str, type[HostingSite | CalledSite]]] = {
    GroupType.HOSTING_SERVER.value: HostingSite,
    CALLED: CalledSite,
}
"""By type of resource group."""
