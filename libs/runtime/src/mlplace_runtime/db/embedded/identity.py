"""As whom the server runs. PostgreSQL refuses to run as root: started by root, it gets a system user of its own."""

import os
import pwd
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from mlplace_runtime.db.embedded.errors import NamelessUserError, NoSystemUserError

SYSTEM_USER = "pgserver"
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.25
_EXECUTE_OWN, _EXECUTE_GROUP, _EXECUTE_OTHERS = 0o100, 0o010, 0o001


@dataclass(frozen=True, slots=True)
class ServerUser:
    """`client` is the name of who connects: this process. `changed` says whether the server runs as another user."""

    user_id: int
    group_id: int
    name: str
    client: str

    @property
    def changed(self) -> bool:
        return self.user_id != os.geteuid()

    @property
    def owner(self) -> tuple[int, int] | None:
        """Who shall own the server's files, where that is not who makes them."""
        return (self.user_id, self.group_id) if self.changed else None

    def barrier(self, path: Path) -> Path | None:
        """The first folder above the path that this user may not pass through; None when there is none."""
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
    """Raises NamelessUserError, NoSystemUserError."""
    try:
        me = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise NamelessUserError(os.geteuid()) from None
    server = _system_user() if me.pw_uid == 0 else me
    return ServerUser(server.pw_uid, server.pw_gid, server.pw_name, client=me.pw_name)


def _system_user() -> pwd.struct_passwd:
    """Makes it when it is missing. Others may do so at the same time, and then the user file is locked."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
    reason = ""
    for _ in range(_ATTEMPTS):
        try:
            return pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            try:
                done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  our own words
            except OSError as error:
                raise NoSystemUserError(SYSTEM_USER, str(error.strerror)) from error
            if done.returncode:
                reason = done.stderr.strip()
                time.sleep(_PAUSE_SECONDS)
    raise NoSystemUserError(SYSTEM_USER, reason)
