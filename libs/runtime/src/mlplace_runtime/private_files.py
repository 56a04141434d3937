"""Small files of one owner: whole or not at all, after a crash and after a loss of power."""

import os
from pathlib import Path


def write_private(path: Path, text: str, *, owner: tuple[int, int] | None = None) -> None:
    """Replace the file in one step. Its mode is 0600 from the first byte on; `owner` is a user id and a group id."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        if owner:
            os.fchown(stream.fileno(), *owner)
        os.fsync(stream.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Names that were made or replaced in it are on disk when this returns."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
