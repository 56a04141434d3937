"""The platform's side of the protocol with the agents of hosting servers."""

from typing import Final

from mlpcore.features.hosting import capacity, reports
from mlpcore.features.hosting.answers import desired
from mlpcore.features.hosting.errors import EnrolmentRefused, ServerNotAuthorized
from mlpcore.features.hosting.ports import AgentServers, Enrolments, GivenInstances, MeasuredServers
from mlpcore.features.instances.launching.orders import Orders, Wanted
from mlpcore.features.instances.lifecycle.gpu_comparison import GpuComparison
from mlpcore.features.instances.lifecycle.observing import Observing
from mlpcore.features.instances.lifecycle.refused import RefusedInstances
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.states import InstanceState
from mlpcore.settings import MlpcoreSettings
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_contracts.internal.hosting import DesiredState, Enrolled, Heartbeat
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential, parse_credential
from mlplace_kit.names import PathRef
from mlplace_runtime.service import AccountDirectory

_FREED_SECONDS: Final = 0.3


class EnrolmentService:
    def __init__(self, servers: Enrolments, hasher: KeyedHasher, clock: Clock) -> None:
        self._servers = servers
        self._hasher = hasher
        self._clock = clock

    async def enrol(self, *, token: str) -> Enrolled:
        """Exchanges a token for a secret. A token works once, even concurrently. Raises EnrolmentRefused."""
        parsed = parse_credential(token)
        if parsed is None:
            raise EnrolmentRefused
        secret = new_credential(account_id=parsed.account_id, object_id=parsed.object_id).text
        server = await self._servers.enrol(
            enrolment_hash=self._hasher.digest(token), secret_hash=self._hasher.digest(secret), now=self._clock.now()
        )
        if server is None:
            raise EnrolmentRefused
        return Enrolled(account_id=server.account_id, server_id=server.server_id, secret=secret)


class HeartbeatService:
    def __init__(
        self,
        *,
        servers: AgentServers,
        accounts: AccountDirectory,
        instances: GivenInstances,
        observing: Observing,
        samples: MeasuredServers,
        refused: RefusedInstances,
        gpus: GpuComparison,
        orders: Orders,
        settings: MlpcoreSettings,
        hasher: KeyedHasher,
        clock: Clock,
    ) -> None:
        self._servers = servers
        self._accounts = accounts
        self._instances = instances
        self._observing = observing
        self._samples = samples
        self._refused = refused
        self._gpus = gpus
        self._orders = orders
        self._settings = settings
        self._hasher = hasher
        self._clock = clock

    async def authorize(self, *, account: PathRef, server_id: int, secret: str) -> int:
        """Returns the account's id. Raises ServerNotAuthorized."""
        account_id = await self._account_id(account)
        server = await self._servers.of_account(account_id=account_id, server_id=server_id)
        if server is None or server.secret_hash is None or not self._hasher.matches(secret, server.secret_hash):
            raise ServerNotAuthorized
        return account_id

    async def _account_id(self, ref: PathRef) -> int:
        if ref.id is not None:
            return ref.id
        entry = await self._accounts.find(ref)
        return entry.account_id if entry else 0

    async def beat(self, *, account_id: int, server_id: int, heartbeat: Heartbeat) -> DesiredState:
        """Stores what runs on the server and returns what should run. Ignores reports of other servers' instances."""
        server = await self._servers.of_account(account_id=account_id, server_id=server_id, lock=True)
        if server is None:
            raise ServerNotAuthorized
        previous = server.last_heartbeat_at
        await self._servers.store_heartbeat(server, now=self._clock.now(), report=capacity.report_of(heartbeat))
        instances = await self._instances.lock_of_server(account_id=account_id, server_id=server_id)
        seen = reports.seen_of(heartbeat, trusted=account_id == SYSTEM_ACCOUNT)
        connected = await self._observing.apply(instances, seen, heard_before=previous)
        if seen.samples:
            await self._samples.store(server, seen.samples, instances)
        await self._refused.leave(server, instances)
        await self._gpus.compare(server, instances, seen.instances)
        here = [i for i in instances if i.state != InstanceState.DELETED and isinstance(i.placement, OnServer)]
        wanted = await self._orders.of_server(
            server,
            here,
            seen=seen.instances,
            connected=frozenset(connected),
            keeping=heartbeat.knows_kept,
            mounting=heartbeat.knows_mounts,
        )
        return self._answer(wanted, freed=len(here) < len(instances))

    def _answer(self, wanted: Wanted, *, freed: bool) -> DesiredState:
        return DesiredState(
            instances=tuple(desired(order) for order in wanted.orders),
            kept=tuple(sorted(wanted.kept)),
            heartbeat_seconds=self._pause(freed=freed),
        )

    def _pause(self, *, freed: bool) -> float:
        """Returns the seconds until the agent's next heartbeat.

        An agent that has freed room comes back when the scheduler, which that wakes, has given the room away.
        """
        usual = self._settings.heartbeat_seconds
        return min(usual, _FREED_SECONDS) if freed else usual
