"""The HTTP client of instances: a pool of connections for each instance."""

import asyncio
import ssl
from typing import Final

from mlpgateway.egress.client import LookUp
from mlpgateway.egress.look_ups import LookUps
from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.connector import Connector
from mlpgateway.instances.http.client.limits import PoolLimits
from mlpgateway.instances.http.client.pool import Pool
from mlplace_runtime.process.turns import Turns

_DEFAULT_LIMITS: Final = PoolLimits()


class HttpClient:
    """Connections to addresses that the rules allow. Close it at the end."""

    def __init__(
        self,
        rules: EgressRules,
        *,
        any_port: bool = False,
        look_up: LookUp | None = None,
        limits: PoolLimits = _DEFAULT_LIMITS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """See `Connector` for `any_port` and `tls`."""
        self._connector = Connector(rules, any_port=any_port, look_up=look_up or LookUps().find, tls=tls)
        self._limits = limits
        self._turns = Turns()
        self._pools: set[Pool] = set()
        self._closed: asyncio.Event | None = None

    def pool(self, address: Address) -> Pool:
        """Returns a new pool. Retire it when the instance may no longer be called."""
        pool = Pool(self._connector, address, self._limits, turns=self._turns, emptied=self._forget)
        self._pools.add(pool)
        return pool

    async def close(self) -> None:
        """Closes all connections, and returns when they are closed."""
        self._closed = asyncio.Event()
        for pool in list(self._pools):
            pool.close()
        if self._pools:
            await self._closed.wait()

    def _forget(self, pool: Pool) -> None:
        self._pools.discard(pool)
        if self._closed is not None and not self._pools:
            self._closed.set()
