"""The agent's id and credentials, kept in the state folder and readable only by its owner."""

import fcntl
import os
import re
import time
import uuid
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_agent.config import AgentConfig, ConfigurationError

_FILE = "credentials.json"
_LOCK = "agent.lock"
_ID = "agent-id"
FORMER_CONTAINERS = "former-containers"
"""Exists while containers may be left that a version before 0.1.0 started here."""


class Credentials(BaseModel):
    """`platform_url` is the platform that issued them: the secret is never sent to another one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    platform_url: str
    account_id: int
    server_id: int
    secret: str

    def __repr__(self) -> str:
        return f"Credentials(server_id={self.server_id})"


def load_credentials(config: AgentConfig) -> Credentials | None:
    """Returns credentials from the configuration or from the state folder; None if the agent has to enrol."""
    if config.account_id is not None and config.server_id is not None and config.secret is not None:
        return Credentials(
            platform_url=str(config.platform_url),
            account_id=config.account_id,
            server_id=config.server_id,
            secret=config.secret.get_secret_value(),
        )
    try:
        stored = Credentials.model_validate_json((config.state_dir / _FILE).read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise ConfigurationError(f"{config.state_dir / _FILE} is damaged; remove it and enrol again") from error
    return stored if stored.platform_url == str(config.platform_url) else None


def store_credentials(config: AgentConfig, credentials: Credentials) -> None:
    """Write atomically, with mode 0600 from the first byte."""
    write_private(config.state_dir / _FILE, credentials.model_dump_json().encode())


def forget_credentials(config: AgentConfig) -> None:
    (config.state_dir / _FILE).unlink(missing_ok=True)


def agent_id(folder: "StateFolder") -> str:
    """Returns the random id of the agent that this folder belongs to. The first call creates it.

    No other agent has it, of this installation or of another one, and it outlives an enrolment.
    """
    path = folder.path / _ID
    try:
        known = path.read_text().strip()
    except FileNotFoundError:
        if folder.used_before:
            write_private(folder.path / FORMER_CONTAINERS, b"")
        known = uuid.uuid4().hex
        write_private(path, known.encode())
    if re.fullmatch("[0-9a-f]{32}", known) is None:
        raise ConfigurationError(
            f"{path} is damaged; remove it, and the containers and volumes (mlp-...) that this agent made"
        )
    return known


def write_private(path: Path, data: bytes) -> None:
    """Replace the file atomically: after a crash it is the old file or the new one."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


class StateFolder:
    """Locked by one agent at a time. The system releases the lock when the agent dies.

    `used_before`: whether an agent has had the folder before.
    """

    def __init__(self, path: Path, *, timeout_seconds: float) -> None:
        self.path = path
        self.used_before = False
        self._timeout_seconds = timeout_seconds
        self._descriptor = -1

    def __enter__(self) -> Self:
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.used_before = (self.path / _LOCK).exists()
        self._descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + self._timeout_seconds
        while not self._acquired():
            if time.monotonic() > deadline:
                os.close(self._descriptor)
                raise ConfigurationError(f"another agent uses {self.path}")
            time.sleep(0.1)
        return self

    def _acquired(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)
