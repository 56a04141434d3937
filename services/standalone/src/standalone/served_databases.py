"""The databases of the all-in-one shape for a command of the operator, whether the platform runs or not."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.process import SERVICES
from standalone.data_folder import DataFolder
from standalone.problems import AlreadyRunningError, NothingThereError


@contextmanager
def served_databases(folder: DataFolder) -> Generator[dict[str, str]]:
    """Yields the URL of each service's database. Raises NothingThereError if the platform has never run on this folder.

    Uses the server of a running platform; otherwise runs one during the command.
    """
    if not (folder.postgres / "PG_VERSION").exists():
        raise NothingThereError(str(folder.root))
    server = EmbeddedPostgres(folder.postgres)
    with ExitStack() as stack:
        try:
            stack.enter_context(folder.locked())
            stack.callback(server.stop)
            server.start_blocking()
        except AlreadyRunningError:
            server.attach()
        yield {name: server.url(role=name, database=name) for name in SERVICES}
