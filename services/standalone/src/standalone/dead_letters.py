"""`python -m standalone dead-letters`: lists or replays the dead letters of one service.

It loads the code of that service alone: loading takes most of the command's time.
"""

import argparse
from collections.abc import Callable, Sequence

from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.bus.dead_letters import DeadLetters
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.database import Database, open_database
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.process.dead_letters import act
from standalone.data_folder import DataFolder
from standalone.served_databases import served_databases
from standalone.settings import StandaloneSettings
from standalone.wiring import service_settings, shared_of


async def run_dead_letters(
    settings: StandaloneSettings, folder: DataFolder, options: argparse.Namespace, *, say: Callable[[str], None]
) -> int:
    """Returns the exit code. Raises NothingThereError if the platform has never run on this folder."""
    with served_databases(folder) as urls:
        async with open_database(urls[options.service], application_name="dead-letters") as database:
            consumers = _consumers(options.service, settings, folder, urls, database)
            return await act(DeadLetters(database, consumers), options, say)


def _consumers(
    service: str, settings: StandaloneSettings, folder: DataFolder, urls: dict[str, str], database: Database
) -> Sequence[Consumer]:
    """The consumers only write to their own database: they call neither the bus nor other services."""
    own = service_settings(settings, folder, urls)
    shared = shared_of(settings, folder, LocalBus(folder.bus), InternalClient({}, folder.secrets().internal_token))
    match service:
        case "accountsadmin":
            import accountsadmin.main

            return accountsadmin.main.consumers_of(own.accountsadmin, shared, database)
        case "mlpcore":
            import mlpcore.main

            return mlpcore.main.consumers_of(own.mlpcore, shared, database)
        case "mlpbilling":
            import mlpbilling.main

            return mlpbilling.main.consumers_of(own.mlpbilling, shared, database)
        case _:
            return ()
