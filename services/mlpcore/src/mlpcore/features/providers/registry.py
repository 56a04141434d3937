"""The providers, by the type of the resource group whose servers they are. A group of another type cannot be made."""

from collections.abc import Mapping
from typing import Final

from mlpcore.features.providers.hosting_server.provider import HostingServer
from mlpcore.features.providers.port import Provider
from mlpcore.features.resource_groups.schemas import GroupType

PROVIDERS: Final[Mapping[GroupType, type[Provider]]] = {GroupType.HOSTING_SERVER: HostingServer}
