"""`python -m standalone superadmin LOGIN`: accountsadmin's command on the database of this folder."""

import argparse
from collections.abc import Callable

from accountsadmin.superadmin_command import run_superadmin
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.database import open_database
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.process.commands import Opened
from standalone.data_folder import DataFolder
from standalone.served_databases import served_databases
from standalone.settings import StandaloneSettings
from standalone.wiring import service_settings, shared_of


async def run_on_folder(
    settings: StandaloneSettings, folder: DataFolder, options: argparse.Namespace, *, say: Callable[[str], None]
) -> int:
    """Returns the exit code. Raises CommandRefusedError; NothingThereError if the platform has never run there."""
    with served_databases(folder) as urls:
        own = service_settings(settings, folder, urls).accountsadmin
        # The command writes to the outbox, which the running platform ships, now or at its next start.
        shared = shared_of(settings, folder, LocalBus(folder.bus), InternalClient({}, folder.secrets().internal_token))
        async with open_database(own.database_url, application_name="superadmin") as database:
            return await run_superadmin(Opened(own, shared, database), options, say)
