"""The configuration of the demo's hosting server: which programs it may run, and how it enrols."""

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
    """`folder` keeps the configuration and state of its agent; `platform_url` is how that reaches the edge."""

    folder: Path
    platform_url: str
    name: str
    log_level: str
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    """More of the agent's configuration."""

    async def configure(self, insiders: Insiders) -> None:
        """Written at each start, since the address or the Python may have changed. Enrols only when that is due."""
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
        """Whether the agent has a secret for this address of the platform; it uses none for another."""
        try:
            stored = json.loads((self.folder / "state" / "credentials.json").read_text())
        except FileNotFoundError:
            return False
        return str(stored["platform_url"]).rstrip("/") == self.platform_url
