"""Finds the holder of a request's share from its headers or metadata, before the gate stores any of the request."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, Protocol

from mlpgateway.call.call import Caller
from mlpgateway.policy.access.authenticate import Authenticate
from mlpgateway.shares.share import Fractions, Holder, Share
from mlplace_kit.errors import NotAuthorized
from mlplace_kit.networks import subscriber_of

_LOOKUPS: Final = 1024
_OF_AN_ADDRESS: Final = 1 / 16


class Holders(Protocol):
    """Entry points ask it before they accept a request."""

    async def holder(self, caller: Caller) -> Holder:
        """Returns the holder whose share the request uses. Raises NotAuthorized, AccountNotSelected."""
        ...


class Entrance:
    """Satisfies Holders. Bounds, per address, the credentials that other services must look up."""

    def __init__(self, authenticate: Authenticate, ready: Callable[[], bool]) -> None:
        self._authenticate = authenticate
        self._ready = ready
        self.lookups = Share("lookups", _LOOKUPS, Fractions(address=_OF_AN_ADDRESS))

    async def holder(self, caller: Caller) -> Holder:
        """See Holders. Returns the address while the read models of this gate are not ready: another gate decides."""
        if caller.credential is None:
            raise NotAuthorized
        if not self._ready():
            return subscriber_of(caller.client_ip)
        known = self._authenticate.known(caller)
        if known is None:
            with self.looking_up(caller.client_ip):
                known = await self._authenticate.caller(caller)
        return known.account_id

    def looking_up(self, address: str) -> AbstractContextManager[None]:
        """Counts a credential that another service must look up. Raises ShareExceeded, GateOverloaded."""
        return self.lookups.one(subscriber_of(address))
