"""What payments need of the rest of the platform."""

from typing import Protocol


class Redirects(Protocol):
    async def allowed(self, *, url: str, host: str) -> bool:
        """Whether a browser that asked `host` may be sent there: the rule of sign-in."""
        ...
