"""Where a payer may be sent: accountsadmin knows the platform's domains and has the rule."""

from typing import Protocol

from mlplace_contracts.internal.redirects import RedirectAnswer, RedirectQuestion
from mlplace_runtime.internal_client import InternalClient


class Redirects(Protocol):
    async def allowed(self, *, url: str, host: str) -> bool:
        """Whether a browser that asked `host` may be sent there: the rule of sign-in."""
        ...


class RemoteRedirects:
    """Satisfies Redirects."""

    def __init__(self, internal: InternalClient) -> None:
        self._internal = internal

    async def allowed(self, *, url: str, host: str) -> bool:
        question = RedirectQuestion(url=url, host=host)
        return (await self._internal.post("accountsadmin", "/redirects/check", question, RedirectAnswer)).allowed


class NoRedirects:
    """For a service that works without the others."""

    async def allowed(self, *, url: str, host: str) -> bool:  # noqa: ARG002
        return False
