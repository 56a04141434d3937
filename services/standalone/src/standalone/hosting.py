"""The configuration of the demo's hosting server: its programs and its enrolment."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mlplace_runtime.private_files import write_private
from standalone.demo.content import SERVICES, DemoService

if TYPE_CHECKING:  # its HTTP client takes longer to load than everything else that a start needs first
    from standalone.demo.bootstrap_client import BootstrapClient

_GROUP = "default"
_HEARTBEAT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class HostingServer:
    """`folder` holds the agent's configuration and state; `platform_url` is the agent's address of the edge."""

    folder: Path
    platform_url: str
    name: str
    log_level: str
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    """Additional keys of the agent's configuration."""
    services: Sequence[DemoService] = SERVICES
    """Those whose programs it may run."""

    async def enrol(self, bootstrap_client: "BootstrapClient") -> None:
        """Write a configuration with which the agent enrols."""
        self.configure(await bootstrap_client.enrolment_token(group=_GROUP, server=self.name))

    def configure(self, enrolment_token: str | None = None) -> None:
        """Write the configuration at each start, since the address or the Python may have changed."""
        configuration = {
            "platform_url": self.platform_url,
            "state_dir": str(self.folder / "state"),
            "enrolment_token": enrolment_token,
            "heartbeat_seconds": _HEARTBEAT_SECONDS,
            "programs": {
                service.image: {
                    "command": service.command,
                    "environment": [service.sealed_variable] if service.sealed_variable else [],
                }
                for service in self.services
            },
            "docker": {"enabled": False},
            "log_level": self.log_level,
            **self.options,
        }
        write_private(self.folder / "agent.json", json.dumps(configuration, indent=2))

    @property
    def enrolled(self) -> bool:
        """Whether the agent has credentials for this platform address. It never uses credentials of another address."""
        try:
            stored = json.loads((self.folder / "state" / "credentials.json").read_text())
        except FileNotFoundError:
            return False
        return str(stored["platform_url"]).rstrip("/") == self.platform_url
