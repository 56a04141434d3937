"""A database server that outlived its platform."""

from pathlib import Path

from mlplace_runtime.db.embedded import EmbeddedPostgres


def stop_leftover_postgres(folder: Path) -> None:
    """Take over the server of this folder, if one is running, and stop it."""
    if not (folder / "postmaster.pid").exists():
        return
    server = EmbeddedPostgres(folder)
    server.start_blocking()
    server.stop()
