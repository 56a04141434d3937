"""Interfaces of other features that the protocol with agents uses."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.instances.tables import Instance
from mlpcore.features.servers.reports import ServerReport
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import ServerSample


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


class MeasuredServers(Protocol):
    async def store(self, server: Server, samples: Sequence[ServerSample], instances: Sequence[Instance]) -> None:
        """Stores the samples of the server and of these instances that were not stored before."""
        ...


class GivenInstances(Protocol):
    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """Locks and returns the instances of any account on a server of this account."""
        ...
