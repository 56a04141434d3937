"""The configuration of the demo's hosting server: its programs and its enrolment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mlplace_runtime.private_files import write_private
from standalone.demo.content import SERVICES
from standalone.demo.insiders import Insiders

GROUP = "default"
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

    async def configure(self, insiders: Insiders) -> None:
        """Write the configuration at each start, since the address or the Python may have changed.

        Enrol only if necessary.
        """
        configuration = {
            "platform_url": self.platform_url,
            "state_dir": str(self.folder / "state"),
            "enrolment_token": None
            if self._enrolled()
            else await insiders.enrolment_token(group=GROUP, server=self.name),
            "heartbeat_seconds": _HEARTBEAT_SECONDS,
            "programs": {
                service.image: {
                    "command": service.command,
                    "environment": [service.sealed_variable] if service.sealed_variable else [],
                }
                for service in SERVICES
            },
            "docker": {"enabled": False},
            "log_level": self.log_level,
            **self.options,
        }
        write_private(self.folder / "agent.json", json.dumps(configuration, indent=2))

    def _enrolled(self) -> bool:
        """Whether the agent has credentials for this platform address. It never uses credentials of another address."""
        try:
            stored = json.loads((self.folder / "state" / "credentials.json").read_text())
        except FileNotFoundError:
            return False
        return str(stored["platform_url"]).rstrip("/") == self.platform_url
