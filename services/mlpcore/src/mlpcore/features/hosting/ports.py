"""What the talk with agents needs of other features."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.images.tables import Image
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server


class Enrolments(Protocol):
    async def enrol(self, *, enrolment_hash: str, secret_hash: str, now: datetime) -> Server | None:
        """Trade the token for the secret: of two that come with one token, one gets None."""
        ...


class AgentServers(Protocol):
    async def of_account(self, *, account_id: int, server_id: int, lock: bool = False) -> Server | None:
        """`lock`: nobody else changes it until the transaction ends."""
        ...

    async def heard(
        self, server: Server, *, now: datetime, agent_version: str | None, capacity: Mapping[str, object]
    ) -> None:
        """Its agent has sent a heart-beat."""
        ...


class GivenInstances(Protocol):
    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """What a server of this account has been given; the server may serve services of other accounts."""
        ...

    async def launch_rows(self, instance_ids: Sequence[int]) -> Mapping[int, tuple[Model, Image | None]]:
        """What each of the instances runs."""
        ...


class StartSecrets(Protocol):
    async def of_models(self, models: Sequence[Model]) -> Mapping[int, Mapping[str, str]]:
        """By model: the variables that refer to secrets, with their values."""
        ...


class GateStreams(Protocol):
    async def connected_gates(self, instance_ids: Sequence[int]) -> Mapping[int, frozenset[str]]: ...

    async def members(self) -> tuple[str, ...]:
        """Live gates; empty before any gate has said so."""
        ...
