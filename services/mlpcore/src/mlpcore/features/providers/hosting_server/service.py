"""The platform's side of the protocol with the agents of hosting servers."""

from typing import Final

from mlpcore.features.providers.hosting_server.errors import EnrolmentRefused, ServerNotAuthorized
from mlpcore.features.providers.hosting_server.ports import AgentServers, Enrolments
from mlpcore.features.providers.hosting_server.provider import HostingServer
from mlpcore.features.providers.turn import Turn
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
        servers: AgentServers,
        accounts: AccountDirectory,
        turn: Turn,
        settings: MlpcoreSettings,
        hasher: KeyedHasher,
    ) -> None:
        self._servers = servers
        self._accounts = accounts
        self._turn = turn
        self._settings = settings
        self._hasher = hasher

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
        agent = HostingServer(heartbeat, trusted=account_id == SYSTEM_ACCOUNT)
        seen = await agent.look()
        decision = await self._turn.decide(
            server, capacity=await agent.capacity(), seen=seen, capabilities=agent.capabilities
        )
        await agent.reconcile(decision.wanted, seen)
        return agent.answer(heartbeat_seconds=self._pause(freed=decision.freed))

    def _pause(self, *, freed: bool) -> float:
        """Returns the seconds until the agent's next heartbeat.

        An agent that has freed room comes back when the scheduler, which that wakes, has given the room away.
        """
        usual = self._settings.heartbeat_seconds
        return min(usual, _FREED_SECONDS) if freed else usual
