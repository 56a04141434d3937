"""Interfaces of other features that the protocol with agents uses."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.hosting.repository import HeldRoom
from mlpcore.features.images.tables import Image
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.allocations import Grant
from mlpcore.features.placement.room import Room
from mlpcore.features.servers.reports import ServerReport
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import RegistryLogin, ServerSample


class Enrolments(Protocol):
    async def enrol(self, *, enrolment_hash: str, secret_hash: str, now: datetime) -> Server | None:
        """Replaces the token by the secret. Returns None for an unknown, used or expired token."""
        ...


class AgentServers(Protocol):
    async def of_account(self, *, account_id: int, server_id: int, lock: bool = False) -> Server | None:
        """Finds a server of the account. `lock`: locks it until the transaction ends."""
        ...

    async def store_heartbeat(self, server: Server, *, now: datetime, report: ServerReport) -> None:
        """Stores a heartbeat of the server's agent."""
        ...


class GivenInstances(Protocol):
    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """Locks and returns the instances of any account on a server of this account."""
        ...

    async def launch_rows(self, instance_ids: Sequence[int]) -> Mapping[int, tuple[Model, Image | None]]:
        """Returns the model and the image of each instance, by instance id."""
        ...

    async def with_image(self, instance_ids: Sequence[int]) -> frozenset[int]:
        """Returns the ids of those instances whose model has an image."""
        ...


class MountedImages(Protocol):
    async def of_ids(self, ids: Collection[int]) -> Mapping[int, DataImage]:
        """Returns data images by id."""
        ...


class HeldRooms(Protocol):
    async def held(self, instance_ids: Sequence[int], *, server_id: int) -> Mapping[int, HeldRoom]:
        """Returns what the instances hold on this server. Those without an allocation there are absent."""
        ...


class RebuiltRooms(Protocol):
    async def hold_soon(self, group_id: int) -> bool:
        """Lets one transaction at a time place instances in the group. Returns False if others keep it for a second."""
        ...

    async def rooms(self, group_id: int, *, since: datetime) -> Sequence[Room]:
        """Returns what the group's servers have left."""
        ...

    async def add(self, grants: Sequence[Grant]) -> None:
        """Writes the room that instances get."""
        ...

    async def add_gpus(self, instance_id: int, *, server_id: int, parts: Mapping[str, int]) -> None:
        """Adds GPUs to what the instance holds. `parts`: MiB by GPU."""
        ...


class MeasuredServers(Protocol):
    async def store(self, server: Server, samples: Sequence[ServerSample], instances: Sequence[Instance]) -> None:
        """Stores the samples of the server and of these instances that were not stored before."""
        ...


class StartSecrets(Protocol):
    async def of_models(self, models: Sequence[Model]) -> Mapping[int, Mapping[str, str]]:
        """Returns, by model, the variables that refer to secrets with their values."""
        ...


class StartLogins(Protocol):
    async def of_accounts(self, account_ids: Collection[int]) -> Mapping[tuple[int, str], RegistryLogin]:
        """Returns credentials of private registries by account and host."""
        ...


class GateStreams(Protocol):
    async def connected_gates(self, instance_ids: Sequence[int]) -> Mapping[int, frozenset[str]]: ...

    async def members(self) -> tuple[str, ...]:
        """Returns the live gates; empty before any gate has announced itself."""
        ...
