"""The folder of everything the all-in-one platform keeps: databases, bus, objects, secrets, the agent's state."""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from standalone.problems import AlreadyRunningError, BrokenDataError, DiskFullError, NewerDataError, UnusableFolderError

FORMAT = 1
_NEEDED_MB = 300
_MB = 1024 * 1024


class InstallationSecrets(BaseModel):
    """Made once. Losing them makes stored keys, sessions and sealed tokens worthless."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hash_secret: str
    envelope_key: str
    internal_token: str

    @classmethod
    def generate(cls) -> "InstallationSecrets":
        return cls(
            hash_secret=secrets.token_hex(32), envelope_key=secrets.token_hex(32), internal_token=secrets.token_hex(32)
        )


class DataFolder:
    """`root` is made when it is missing, for its owner's eyes only where the databases' system user can still pass."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def bus(self) -> Path:
        return self.root / "bus.sqlite3"

    @property
    def usage_spool(self) -> Path:
        return self.root / "usage-spool"

    @property
    def objects(self) -> Path:
        return self.root / "objects"

    @property
    def agent(self) -> Path:
        return self.root / "agent"

    @property
    def demo(self) -> Path:
        return self.root / "demo.json"

    def prepare(self, *, needed_mb: int = _NEEDED_MB) -> None:
        """Make the folder, check that it is ours to read and that the disk has room."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnusableFolderError(str(self.root), str(error.strerror).lower()) from error
        self._check_format()
        free = shutil.disk_usage(self.root).free // _MB
        if free < needed_mb:
            raise DiskFullError(str(self.root), free, needed_mb)

    @contextmanager
    def locked(self) -> Generator[None]:
        """Held while the platform runs; the system lets go of it when the process dies."""
        with (self.root / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunningError(str(self.root)) from None
            yield

    def secrets(self) -> InstallationSecrets:
        path = self.root / "secrets.json"
        if not path.exists():
            write_private(path, InstallationSecrets.generate().model_dump_json(indent=2))
        try:
            return InstallationSecrets.model_validate_json(path.read_text())
        except ValidationError as error:
            raise BrokenDataError(str(path), f"{error.error_count()} fields are not valid") from error

    def _check_format(self) -> None:
        path = self.root / "format.json"
        if not path.exists():
            write_private(path, json.dumps({"format": FORMAT}))
            return
        try:
            found = int(json.loads(path.read_text())["format"])
        except (ValueError, KeyError, TypeError) as error:
            raise BrokenDataError(str(path), "not a format number") from error
        if found > FORMAT:
            raise NewerDataError(str(self.root), found, FORMAT)


def write_private(path: Path, text: str) -> None:
    """Whole or not at all, and readable by its owner only."""
    temporary = path.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
