"""What the welcome bonus needs of others."""

from typing import Protocol

from mlplace_contracts.internal.people import PersonAnswer


class People(Protocol):
    async def person(self, *, user_id: int) -> PersonAnswer:
        """Who the user is. Raises Unavailable."""
        ...
