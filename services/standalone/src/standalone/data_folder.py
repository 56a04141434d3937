"""The folder that holds everything the all-in-one platform stores: databases, bus, objects, secrets, agent state."""

import contextlib
import errno
import fcntl
import json
import os
import pwd
import re
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_runtime.private_files import write_private
from standalone.problems import (
    AlreadyRunningError,
    BrokenDataError,
    DiskFullError,
    ForeignDataError,
    NewerDataError,
    OthersDataError,
    UnusableFolderError,
)

FORMAT = 1
_NEEDED_MB = 300
_MB = 1024 * 1024
_PASSABLE = 0o711
_OURS = frozenset({
    "format.json", "secrets.json", "lock", "postgres", "bus.sqlite3", "usage-spool", "objects", "agent", "demo.json",
    "platform.log",
})  # fmt: skip
_REMOVING = "removing"
_UNFINISHED = re.compile(r"\.(?P<name>.+)\.\w+\.(?:new|making)")
"""A temporary name of one of our files: all that a start leaves if it is killed early."""


class InstallationSecrets(BaseModel):
    """Generated once. Without them, stored keys, sessions and sealed tokens are worthless."""

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
    """Creates `root` if it is missing. Only its owner can list it; the databases' system user can pass through it."""

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

    @property
    def log(self) -> Path:
        return self.root / "platform.log"

    def prepare(self, *, needed_mb: int = _NEEDED_MB) -> None:
        """Create the folder; check that its owner is right, its format is known and the disk has room."""
        with self._usable():
            self.root.mkdir(parents=True, exist_ok=True, mode=_PASSABLE if os.geteuid() == 0 else 0o700)
            self._check_owner()
            if os.geteuid() == 0:
                self.root.chmod(self.root.stat().st_mode | _PASSABLE)
            self._check_format()
        free = shutil.disk_usage(self.root).free // _MB
        if free < needed_mb:
            raise DiskFullError(str(self.root), free, needed_mb)

    @contextmanager
    def locked(self) -> Generator[None]:
        """Holds the lock while the platform runs; the system releases it when the process dies."""
        with self._usable():
            lock = (self.root / "lock").open("a+")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunningError(str(self.root)) from None
            yield

    def remove(self) -> None:
        """Remove the contents, and the folder unless it is a mount. The next start completes an interrupted removal."""
        (self.root / _REMOVING).touch()
        self._empty()
        with contextlib.suppress(OSError):
            self.root.rmdir()

    def tidy(self) -> None:
        """Requires the lock. Completes an interrupted removal and deletes unfinished files."""
        if (self.root / _REMOVING).exists():
            self._empty()
        for unfinished in (*self.root.glob(".*.new"), *self.agent.glob(".*.new")):
            unfinished.unlink()

    def _empty(self) -> None:
        """Removes the names last that identify the folder as ours."""
        last = {name: order for order, name in enumerate(("format.json", _REMOVING, "lock"), 1)}
        for entry in sorted(self.root.iterdir(), key=lambda entry: last.get(entry.name, 0)):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def assert_ours(self) -> None:
        """Raises ForeignDataError unless the folder is empty or holds names that MLPlace uses.

        Call it before `remove`.
        """
        names = {entry.name for entry in self.root.iterdir()}
        names |= {found["name"] for name in names if (found := _UNFINISHED.fullmatch(name))}
        if names and not names & (_OURS | {_REMOVING}):
            raise ForeignDataError(str(self.root))

    @contextmanager
    def _usable(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFullError(str(self.root), 0, _NEEDED_MB) from error
            raise UnusableFolderError(str(self.root), str(error.strerror).lower()) from error

    def _check_owner(self) -> None:
        owner = self.root.stat().st_uid
        if owner != os.geteuid() and any(self.root.iterdir()):
            try:
                name = pwd.getpwuid(owner).pw_name
            except KeyError:
                name = f"user {owner}"
            raise OthersDataError(str(self.root), name)

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
