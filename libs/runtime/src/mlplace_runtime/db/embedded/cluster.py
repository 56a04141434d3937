"""The data directory of the embedded server: created beside its place, then moved there whole; one user has access."""

import contextlib
import os
import secrets
import shutil
import threading
from pathlib import Path

from mlplace_runtime.db.embedded.errors import (
    DatabaseDiskFullError,
    ForeignFolderError,
    OtherVersionError,
    ServerFailedError,
    StartInterruptedError,
)
from mlplace_runtime.db.embedded.identity import ServerUser
from mlplace_runtime.db.embedded.launcher import NOT_PERMITTED
from mlplace_runtime.db.embedded.output import ServerOutput, reason_of
from mlplace_runtime.db.embedded.programs import VERSION, ProgramLauncher
from mlplace_runtime.private_files import sync_folder, write_private

SUPERUSER = "postgres"
SOCKETS = "sockets"
_FIRST_OWN_DATABASE = 16_384  # smaller ids belong to the databases that initdb creates: template1, template0, postgres
_POSTGRES_DATABASE = "5"
_LOOK_SECONDS = 0.05
_OF_FORMER_VERSIONS = ("log", ".handle_pids.json")
_ACCESS = "local all all peer map=platform\n"
"""No access over a network. On the socket, peer authentication decides; there are no passwords."""


def unfinished(folder: Path) -> list[Path]:
    """Returns clusters that are being created beside `folder`, including those that a crash left incomplete."""
    return sorted(folder.parent.glob(f".{folder.name}.*.making"))


class Cluster:
    """`folder` is PostgreSQL's data directory. New clusters are created beside it."""

    def __init__(self, folder: Path, user: ServerUser) -> None:
        self.folder = folder
        self._user = user

    @property
    def sockets(self) -> Path:
        return self.folder / SOCKETS

    def ensure(self, *, durable: bool, output: ServerOutput, interrupted: threading.Event) -> None:
        """Creates the cluster if it is missing or incomplete, and sets access rules. Raises EmbeddedServerError."""
        self._remove_unfinished()
        if not (self.folder / "PG_VERSION").exists():
            self._make(durable=durable, output=output, interrupted=interrupted)
        found = (self.folder / "PG_VERSION").read_text().strip()
        if found != VERSION:
            raise OtherVersionError(self.folder, found, VERSION)
        self._take_over(self.folder)
        for unfinished in self.folder.glob(".*.new"):
            unfinished.unlink()
        self._settle_access(self.folder)
        for name in _OF_FORMER_VERSIONS:
            if (self.folder / name).is_file():
                (self.folder / name).unlink()

    def _remove_unfinished(self) -> None:
        """Deletes what an interrupted start left in and beside the folder. It never contained data of users."""
        for path in unfinished(self.folder):
            shutil.rmtree(path, ignore_errors=True)
        if self.folder.is_dir() and not self._finished():
            shutil.rmtree(self.folder)

    def _finished(self) -> bool:
        """Whether the cluster is complete: former versions created it in place.

        Raises ForeignFolderError if it is not one.
        """
        entries = {entry.name for entry in self.folder.iterdir()}
        if not entries - {*_OF_FORMER_VERSIONS, SOCKETS}:
            return False
        if not entries & {"base", "PG_VERSION", "global", "pg_wal"}:
            raise ForeignFolderError(self.folder)
        base = self.folder / "base"
        databases = {entry.name for entry in base.iterdir()} if base.is_dir() else set[str]()
        if any(name.isdecimal() and int(name) >= _FIRST_OWN_DATABASE for name in databases):
            return True
        return (self.folder / "global" / "pg_control").exists() and _POSTGRES_DATABASE in databases

    def _make(self, *, durable: bool, output: ServerOutput, interrupted: threading.Event) -> None:
        making = self.folder.with_name(f".{self.folder.name}.{secrets.token_hex(4)}.making")
        making.mkdir(mode=0o700)
        try:
            if self._user.owner:
                os.chown(making, *self._user.owner)
            self._initialise(making, durable=durable, output=output, interrupted=interrupted)
            self._settle_access(making)
            making.rename(self.folder)
            sync_folder(self.folder.parent)
        finally:
            if making.exists():
                shutil.rmtree(making, ignore_errors=True)

    def _initialise(self, making: Path, *, durable: bool, output: ServerOutput, interrupted: threading.Event) -> None:
        """Runs initdb with PostgreSQL's builtin Unicode locale, which does not depend on the environment."""
        command = [
            "initdb", "--auth-local=peer", "--auth-host=reject", "--encoding=UTF8", f"--username={SUPERUSER}",
            "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--pgdata", str(making),
            *([] if durable else ["--no-sync"]),
        ]  # fmt: skip
        launch = ProgramLauncher(self._user, making)
        process = launch.start(command, die_with_parent=True)
        with output.of(process) as lines:
            try:
                while process.poll() is None:
                    if interrupted.wait(_LOOK_SECONDS):
                        raise StartInterruptedError
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 9)  # also the processes that it started
                process.wait()
        if process.returncode == NOT_PERMITTED:
            raise launch.unreachable()
        if process.returncode:
            if lines.disk_full:
                raise DatabaseDiskFullError(self.folder)
            raise ServerFailedError("The databases could not be created", reason_of(lines), output.path)

    def _take_over(self, folder: Path) -> None:
        """Fixes ownership: root may have restored the folder, or run the server as another user before."""
        if self._user.owner and folder.stat().st_uid != self._user.user_id:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, *self._user.owner, follow_symlinks=False)
        folder.chmod(0o700)

    def _settle_access(self, folder: Path) -> None:
        """Sets access rules on each start: former versions let everybody in, and the folder may have a new owner."""
        sockets = folder / SOCKETS
        if sockets.is_symlink() or (sockets.exists() and not sockets.is_dir()):
            sockets.unlink()
        sockets.mkdir(mode=0o700, exist_ok=True)
        sockets.chmod(0o700)
        if self._user.owner:
            os.chown(sockets, *self._user.owner)
        name = self._user.client.replace('"', '""')
        write_private(folder / "pg_ident.conf", f'platform "{name}" all\n', owner=self._user.owner)
        write_private(folder / "pg_hba.conf", _ACCESS, owner=self._user.owner)
