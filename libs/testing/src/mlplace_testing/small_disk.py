"""A file system of a few MiB that can really become full."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_MIB: Final = 2**20
_BALLAST: Final = "ballast"


class SmallDisk:
    """A file system in memory, mounted at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def free(self) -> int:
        found = os.statvfs(self.path)
        return found.f_bavail * found.f_frsize

    def fill(self, *, leave: int = 0) -> None:
        """Writes a file until only `leave` bytes are free."""
        with (self.path / _BALLAST).open("ab") as ballast:
            while (wanted := self.free - leave) > 0:
                with suppress(OSError):  # another process took some of it meanwhile
                    os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, wanted)

    def empty(self) -> None:
        (self.path / _BALLAST).unlink(missing_ok=True)


@contextmanager
def small_disk(path: Path, mebibytes: int) -> Generator[SmallDisk]:
    """Raises PermissionError for users who may not mount."""
    path.mkdir(parents=True)
    options = f"size={mebibytes * _MIB},mode=0700"
    done = subprocess.run(
        ["/usr/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True, check=False
    )
    if done.returncode:
        raise PermissionError(done.stderr.decode().strip())
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["/usr/bin/umount", "--lazy", str(path)], check=True)
