"""Whose a request is, said before anything of it is kept: its headers, or its metadata, are enough to know that."""

from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final, Protocol

from mlpgateway.call.call import Caller
from mlpgateway.policy.access.authenticate import Authenticate
from mlpgateway.shares.share import Fractions, Holder, Share
from mlplace_kit.errors import NotAuthorized

_LOOKUPS: Final = 1024
_OF_AN_ADDRESS: Final = 1 / 16
_NETWORK_BITS: Final = 64


class Holders(Protocol):
    """What a way in asks before it lets a request in."""

    async def holder(self, caller: Caller) -> Holder:
        """Whose share the request is to be taken from. Raises NotAuthorized for a visitor, AccountNotSelected."""
        ...


class Entrance:
    """Satisfies Holders. Credentials that other services must be asked about are bounded for each address."""

    def __init__(self, authenticate: Authenticate, ready: Callable[[], bool]) -> None:
        self._authenticate = authenticate
        self._ready = ready
        self.lookups = Share("lookups", _LOOKUPS, Fractions(address=_OF_AN_ADDRESS))

    async def holder(self, caller: Caller) -> Holder:
        """While this gate cannot judge callers it goes by their addresses: another gate judges them."""
        if caller.credential is None:
            raise NotAuthorized
        if not self._ready():
            return network_of(caller.client_ip)
        known = self._authenticate.known(caller)
        if known is None:
            with self.lookups.one(network_of(caller.client_ip)):
                known = await self._authenticate.caller(caller)
        return known.account_id


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """The address itself; of IPv6 the first half, because whoever has one address there has all of that network."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> _NETWORK_BITS << _NETWORK_BITS)}/{_NETWORK_BITS}"
