"""The configuration of the built-in hosting server: which programs it may run, and how it enrols."""

import json

from standalone.data_folder import DataFolder, write_private
from standalone.demo.content import SERVICES
from standalone.demo.insiders import Insiders
from standalone.settings import StandaloneSettings

GROUP = "default"
SERVER = "this-machine"
_HEARTBEAT_SECONDS = 1.0


async def write_agent_configuration(folder: DataFolder, settings: StandaloneSettings, insiders: Insiders) -> None:
    """Written at each start, since the port or the Python may have changed. Enrols only when that is due."""
    configuration = {
        "platform_url": settings.rest_url,
        "state_dir": str(folder.agent / "state"),
        "enrolment_token": None
        if _enrolled(folder, settings)
        else await insiders.enrolment_token(group=GROUP, server=SERVER),
        "heartbeat_seconds": _HEARTBEAT_SECONDS,
        "programs": {service.image: {"command": service.command} for service in SERVICES},
        "docker": {"enabled": False},
        "log_level": settings.log_level,
    }
    write_private(folder.agent / "agent.json", json.dumps(configuration, indent=2))


def _enrolled(folder: DataFolder, settings: StandaloneSettings) -> bool:
    """Whether the agent has a secret for this address of the platform; it uses none for another."""
    try:
        stored = json.loads((folder.agent / "state" / "credentials.json").read_text())
    except FileNotFoundError:
        return False
    return str(stored["platform_url"]).rstrip("/") == settings.rest_url
