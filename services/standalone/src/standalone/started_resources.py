"""What a start has prepared before the services are loaded."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from socket import socket

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.provision import ServiceDatabase
from standalone.agent_process import AgentProcess
from standalone.data_folder import DataFolder
from standalone.demo.content import SERVICES, DemoService
from standalone.hosting import HostingServer
from standalone.settings import StandaloneSettings


@dataclass(slots=True)
class StartedResources:
    settings: StandaloneSettings
    folder: DataFolder
    listener: socket
    """Listens already. Connections wait until the server accepts them."""
    postgres: EmbeddedPostgres
    databases: dict[str, ServiceDatabase]
    """By service; not migrated yet."""
    agent: AgentProcess
    agent_running: AsyncExitStack
    """Stops the agent if it was started."""
    agent_started: bool = False
    demo_services: Sequence[DemoService] = SERVICES

    @property
    def hosting_server(self) -> HostingServer:
        return HostingServer(
            folder=self.folder.agent,
            platform_url=self.settings.rest_url,
            name="this-machine",
            log_level=self.settings.log_level,
            services=self.demo_services,
            options=self.agent.log_options,
        )

    async def start_agent(self, stack: AsyncExitStack) -> None:
        """Starts the enrolled agent; the stack stops it."""
        from mlplace_runtime.tasks import Loop, running

        self.agent_started = True
        await stack.enter_async_context(running("standalone", [Loop("agent", self.agent.run)]))
