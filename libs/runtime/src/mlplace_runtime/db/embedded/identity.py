"""The system user that runs the server. PostgreSQL refuses to run as root, so root gets a separate user for it."""

import fcntl
import os
import pwd
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mlplace_runtime.db.embedded.errors import NamelessUserError, NoSystemUserError

SYSTEM_USER = "pgserver"
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.25
_LOCK = Path("/var/run/mlplace-pgserver.lock")  # root alone writes to this folder
_EXECUTE_OWN, _EXECUTE_GROUP, _EXECUTE_OTHERS = 0o100, 0o010, 0o001


@dataclass(frozen=True, slots=True)
class ServerUser:
    """`client` is the name of this process's user, who connects. `changed`: the server runs as another user."""

    user_id: int
    group_id: int
    name: str
    client: str

    @property
    def changed(self) -> bool:
        return self.user_id != os.geteuid()

    @property
    def owner(self) -> tuple[int, int] | None:
        """User and group id to give the server's files to; None if this process already has them."""
        return (self.user_id, self.group_id) if self.changed else None

    def barrier(self, path: Path) -> Path | None:
        """Returns the first folder above the path that this user may not enter; None if there is none."""
        for folder in reversed(path.parents):
            status = folder.stat()
            if status.st_uid == self.user_id:
                allowed = status.st_mode & _EXECUTE_OWN
            elif status.st_gid == self.group_id:
                allowed = status.st_mode & _EXECUTE_GROUP
            else:
                allowed = status.st_mode & _EXECUTE_OTHERS
            if not allowed:
                return folder
        return None


def server_user() -> ServerUser:
    """Returns the user to run the server as. Raises NamelessUserError, NoSystemUserError."""
    try:
        me = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise NamelessUserError(os.geteuid()) from None
    server = _system_user() if me.pw_uid == 0 else me
    return ServerUser(server.pw_uid, server.pw_gid, server.pw_name, client=me.pw_name)


def _system_user() -> pwd.struct_passwd:
    """Returns the system user; creates it, and its group, if it is missing.

    Processes that start at once take turns: `useradd` looks for the name before it locks the user file, so the second
    of two replaces the first one's user by one with another id. Other programs lock that file, too, so it tries again.
    """
    with suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER)
    reason = ""
    with _turn():
        for _ in range(_ATTEMPTS):
            try:
                return pwd.getpwnam(SYSTEM_USER)
            except KeyError:
                reason = _create_user()
                if reason:
                    time.sleep(_PAUSE_SECONDS)
    raise NoSystemUserError(SYSTEM_USER, reason)


@contextmanager
def _turn() -> Generator[None]:
    try:
        file = _LOCK.open("wb")
    except OSError as error:
        raise NoSystemUserError(SYSTEM_USER, f"{_LOCK}: {error.strerror}") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _create_user() -> str:
    """Returns why it failed; empty if it did not. Raises NoSystemUserError if the machine has no such program."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  our own words
    except OSError as error:
        raise NoSystemUserError(SYSTEM_USER, str(error.strerror)) from error
    return done.stderr.strip() if done.returncode else ""
