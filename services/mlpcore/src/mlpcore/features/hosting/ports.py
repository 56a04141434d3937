"""Interfaces of other features that the protocol with agents uses."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.images.tables import Image
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server


class Enrolments(Protocol):
    async def enrol(self, *, enrolment_hash: str, secret_hash: str, now: datetime) -> Server | None:
        """Replaces the token by the secret. Returns None for an unknown, used or expired token."""
        ...


class AgentServers(Protocol):
    async def of_account(self, *, account_id: int, server_id: int, lock: bool = False) -> Server | None:
        """Finds a server of the account. `lock`: locks it until the transaction ends."""
        ...

    async def heard(
        self, server: Server, *, now: datetime, agent_version: str | None, capacity: Mapping[str, object]
    ) -> None:
        """Stores a heartbeat of the server's agent."""
        ...


class GivenInstances(Protocol):
    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """Locks and returns the instances of any account on a server of this account."""
        ...

    async def launch_rows(self, instance_ids: Sequence[int]) -> Mapping[int, tuple[Model, Image | None]]:
        """Returns the model and the image of each instance, by instance id."""
        ...


class StartSecrets(Protocol):
    async def of_models(self, models: Sequence[Model]) -> Mapping[int, Mapping[str, str]]:
        """Returns, by model, the variables that refer to secrets with their values."""
        ...


class GateStreams(Protocol):
    async def connected_gates(self, instance_ids: Sequence[int]) -> Mapping[int, frozenset[str]]: ...

    async def members(self) -> tuple[str, ...]:
        """Returns the live gates; empty before any gate has announced itself."""
        ...
