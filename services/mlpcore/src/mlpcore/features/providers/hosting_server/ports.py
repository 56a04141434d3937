"""Interfaces of other features that the protocol with agents uses."""

from datetime import datetime
from typing import Protocol

from mlpcore.features.servers.tables import Server


class Enrolments(Protocol):
    async def enrol(self, *, enrolment_hash: str, secret_hash: str, now: datetime) -> Server | None:
        """Replaces the token by the secret. Returns None for an unknown, used or expired token."""
        ...


class AgentServers(Protocol):
    async def of_account(self, *, account_id: int, server_id: int, lock: bool = False) -> Server | None:
        """Finds a server of the account. `lock`: locks it until the transaction ends."""
        ...
