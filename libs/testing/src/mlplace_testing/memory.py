"""Folders of servers that tests run, in memory where it is large enough."""

import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30
"""In bytes, for the servers of all test processes."""


def memory_folder(memory: Path = _MEMORY, *, room: int = _ROOM) -> Path:
    """Makes a folder in `memory` if that has this many free bytes, else where temporary files are.

    A test's databases have hundreds of files. On a disk, making and deleting these takes more processor time than the
    queries: ext4 searches for inodes that were not freed within the last seconds.
    """
    roomy = memory.is_dir() and shutil.disk_usage(memory).free >= room
    return Path(tempfile.mkdtemp(prefix="mlplace-test-", dir=memory if roomy else None))
