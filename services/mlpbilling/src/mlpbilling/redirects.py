"""Asks accountsadmin where a payer's browser may be redirected, because it has the list of domains and the rule."""

from typing import Protocol

from mlplace_contracts.internal.redirects import RedirectAnswer, RedirectQuestion
from mlplace_runtime.internal_client import InternalClient


class Redirects(Protocol):
    async def allowed(self, *, url: str, host: str) -> bool:
        """Whether a browser that called `host` may be redirected to the URL, by the same rule as after sign-in."""
        ...


class RemoteRedirects:
    """Implements `Redirects`."""

    def __init__(self, internal: InternalClient) -> None:
        self._internal = internal

    async def allowed(self, *, url: str, host: str) -> bool:
        question = RedirectQuestion(url=url, host=host)
        return (await self._internal.post("accountsadmin", "/redirects/check", question, RedirectAnswer)).allowed


class NoRedirects:
    """For a service that runs without the others; refuses every URL."""

    async def allowed(self, *, url: str, host: str) -> bool:  # noqa: ARG002
        return False
