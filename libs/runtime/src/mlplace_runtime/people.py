"""Asks accountsadmin which person a user is."""

from typing import Protocol

from mlplace_contracts.internal.people import PersonAnswer, PersonQuestion
from mlplace_kit.errors import Unavailable
from mlplace_runtime.internal_client import InternalClient


class People(Protocol):
    async def person(self, *, user_id: int) -> PersonAnswer:
        """Returns the person behind the user. Raises Unavailable."""
        ...


class RemotePeople:
    """Implements `People`."""

    def __init__(self, internal: InternalClient) -> None:
        self._internal = internal

    async def person(self, *, user_id: int) -> PersonAnswer:
        return await self._internal.post(
            "accountsadmin", "/people/resolve", PersonQuestion(user_id=user_id), PersonAnswer
        )


class NobodyKnown:
    """For a service that runs without the others; every call raises Unavailable."""

    async def person(self, *, user_id: int) -> PersonAnswer:  # noqa: ARG002
        raise Unavailable
