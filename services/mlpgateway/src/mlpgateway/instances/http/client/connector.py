"""Opens connections to instances: only to addresses that the rules allow, and exactly to the checked one."""

import asyncio
import ssl
from collections.abc import Callable
from typing import Final

from mlpgateway.egress.client import LookUp, check_host, is_address, permitted_addresses
from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.errors import NotConnectedError

_PROTOCOLS: Final = ["http/1.1"]


class Connector:
    def __init__(self, rules: EgressRules, *, any_port: bool, look_up: LookUp, tls: ssl.SSLContext | None) -> None:
        """`any_port`: the source of the port is trusted not to name the port of a system service.

        `tls` replaces the default: the certificate authorities of the host, and the name must match.
        """
        self._rules = rules
        self._any_port = any_port
        self._look_up = look_up
        self._tls = tls

    def check(self, address: Address) -> None:
        """Checks what is possible without a name look-up. Raises AddressNotAllowed."""
        check_host(self._rules, address.host, None if self._any_port else address.port)

    async def connect(self, address: Address, make: Callable[[], HttpConnection], seconds: float) -> HttpConnection:
        """Looks the name up once, and tries its addresses one after the other, all within `seconds`.

        Raises AddressNotAllowed, NotConnectedError.
        """
        self.check(address)
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        found = [address.host] if is_address(address.host) else await self._found(address, end)
        reason = "it has no address"
        for tried, at in enumerate(found):
            now = loop.time()
            try:
                async with asyncio.timeout_at(now + (end - now) / (len(found) - tried)):
                    return await self._open(address, at, make)
            except (OSError, TimeoutError) as error:
                reason = _reason(error)
        raise NotConnectedError(reason)

    async def _found(self, address: Address, end: float) -> list[str]:
        try:
            async with asyncio.timeout_at(end):
                return await permitted_addresses(self._rules, self._look_up, address.host, address.port)
        except (OSError, TimeoutError) as error:
            raise NotConnectedError(_reason(error)) from None

    async def _open(self, address: Address, at: str, make: Callable[[], HttpConnection]) -> HttpConnection:
        loop = asyncio.get_running_loop()
        if not address.is_secure:
            _, connection = await loop.create_connection(make, at, address.port)
            return connection
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(_PROTOCOLS)
        name = address.host.rstrip(".")
        _, connection = await loop.create_connection(make, at, address.port, ssl=self._tls, server_hostname=name)
        return connection


def _reason(error: OSError | TimeoutError) -> str:
    return "it did not accept the connection in time" if isinstance(error, TimeoutError) else type(error).__name__
