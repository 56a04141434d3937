"""The all-in-one platform with its own agent, and a second agent of its own on the same machine."""

import asyncio
import json
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import asyncpg
import httpx

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.process_identity import ProcessIdentity
from mlplace_testing.ports import free_port
from mlplace_testing.processes import ForkServer
from standalone.demo.content import OWNER
from standalone.hosting import HostingServer
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.chaos.launcher import IN_OWN_GROUP, demo_services

_START_SECONDS = 120
OWN_GROUP = "own"
_UP = "stop: Ctrl-C"
_SETTINGS = {
    "MLP_LOG_LEVEL": "INFO",
    # The owner's server and its containers are on this machine, too.
    "MLP_MLPGATEWAY_EGRESS_ALLOWED_NETWORKS": "127.0.0.0/8,172.16.0.0/12",
    "MLP_MLPCORE_DRAIN_SECONDS": "5",
    # What a killed gate had leased is free again within the time that the suite waits for.
    "MLP_MLPBILLING_RESERVATION_USABLE_SECONDS": "8",
    "MLP_MLPBILLING_RESERVATION_EXPIRY_SECONDS": "10",
}


class Part:
    """A process that is started again after it was killed."""

    def __init__(self, name: str, fork_server: ForkServer, log: Path, module: str, *arguments: str) -> None:
        self.name = name
        self.log = log
        self._fork_server = fork_server
        self._module = module
        self._arguments = arguments
        self._pid: int | None = None

    @property
    def runs(self) -> bool:
        return self._pid is not None

    @property
    def has_died(self) -> bool:
        """Whether it ended although nobody killed it."""
        return self._pid is not None and ProcessIdentity.of(self._pid) is None

    def start(self) -> None:
        if not self.runs:
            self.log.touch()
            self._pid = self._fork_server.run(self._module, *self._arguments, environment=_SETTINGS, log=self.log)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Returns the exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        if self._pid is None:
            return 0
        pid, self._pid = self._pid, None
        return self._fork_server.end(pid, number)


class Installation:
    """`options`: additional keys of the second agent's configuration."""

    def __init__(self, fork_server: ForkServer, folder: Path, options: Mapping[str, object] | None = None) -> None:
        self._options = options or {}
        self.folder = folder
        self.data = folder / "data"
        self._port, self._grpc_port = free_port(), free_port()
        self._agent_folder = folder / "second"
        ports = str(self._port), str(self._grpc_port)
        self.platform = Part(
            "platform", fork_server, folder / "platform.out", "tests.chaos.launcher", *ports, str(self.data)
        )
        self.agent = Part(
            "agent",
            fork_server,
            folder / "agent.out",
            "mlplace_agent",
            "run",
            "--config",
            str(self._agent_folder / "agent.json"),
        )

    @property
    def url(self) -> str:
        return f"http://localhost:{self._port}"

    def first_start(self) -> Platform:
        self.platform.start()
        self.wait_until_up()
        eventually(lambda: _UP in self.platform.log.read_text(), seconds=_START_SECONDS)
        state = json.loads((self.data / "demo.json").read_text())
        platform = Platform(self.folder, self.url, state["api_key"], state["passwords"])
        self._enrol(platform)
        self.agent.start()
        return platform

    def second_agent_id(self) -> str:
        """Returns the id that the second agent has made for itself; an empty text before its first start."""
        path = self._agent_folder / "state" / "agent-id"
        return path.read_text() if path.exists() else ""

    def _enrol(self, platform: Platform) -> None:
        """Adds a server of the owner, in a group of its own, and moves models there."""
        server = {"serverName": "second-machine", "rawConfiguration": "provider: hosting_server"}
        with platform.signed_in(OWNER.login) as owner:
            path = f"/api/mlpcore/account/{platform.account_of(owner)}"
            owner.post(f"{path}/resource-groups", json={"name": OWN_GROUP}).raise_for_status()
            made = owner.post(f"{path}/resource-groups/{OWN_GROUP}/server", json=server).raise_for_status()
            for model in IN_OWN_GROUP:
                body = {"modelName": model, "resourceGroup": OWN_GROUP}
                owner.post(f"{path}/model/{model}", json=body).raise_for_status()
        self._agent_folder.mkdir(mode=0o700)
        HostingServer(
            folder=self._agent_folder,
            platform_url=self.url,
            name=server["serverName"],
            log_level="INFO",
            services=demo_services(),
            options=self._options,
        ).configure(made.json()["enrolmentToken"])

    def answers(self) -> bool:
        """Raises RuntimeError with the end of the output of a platform that ended although nobody killed it."""
        if self.platform.has_died:
            raise RuntimeError(f"the platform ended: {self.platform.log.read_text()[-2000:]}")
        try:
            return httpx.get(f"{self.url}/health/ready", timeout=5).is_success
        except httpx.TransportError:
            return False

    def wait_until_up(self) -> None:
        """Raises TimeoutError, and what `answers` raises."""
        eventually(self.answers, seconds=_START_SECONDS)

    def query(self, database: str, statement: str) -> list[list[str]]:
        """Reads from the database of a service as a superuser. NULL is an empty text."""
        return asyncio.run(self._query(database, statement))

    async def _query(self, database: str, statement: str) -> list[list[str]]:
        server = EmbeddedPostgres(self.data / "postgres")
        server.attach()
        try:
            connection = await asyncpg.connect(server.admin_dsn(database))
            try:
                rows: Sequence[asyncpg.Record] = await connection.fetch(statement)
            finally:
                await connection.close()
        finally:
            server.stop()
        return [["" if value is None else str(value) for value in row] for row in rows]
