"""`python killed_worker.py DATABASE_URL KIND STEP TIME`: begins the work of a task, prints its key, and never ends."""

import asyncio
import sys
from datetime import datetime

from mlpcore import registry
from mlpcore.features.tasks.io_step import IoStep, Ready
from mlpcore.features.tasks.kinds import Done, Kinds, Outcome, TaskKind, Turn, WorkContext
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault


class Endless(IoStep[str, str]):
    name = "Fetching"

    async def prepare(self, turn: Turn) -> Ready[str] | Outcome:
        return Ready("page")

    async def work(self, plan: str, context: WorkContext) -> str:
        sys.stdout.write(f"working {context.key}\n")
        sys.stdout.flush()
        return await asyncio.Future()

    async def apply(self, turn: Turn, found: str) -> Outcome:
        return Done()


async def main(url: str, kind: str, key: str, time: str) -> None:
    state = CoreState(
        settings=MlpcoreSettings(database_url=url),
        database=Database(url, application_name="killed"),
        clock=ManualClock(datetime.fromisoformat(time)),
        hasher=KeyedHasher(b"a secret for tests only"),
        vault=Vault(bytes(32)),
        ports=registry.PORTS,
    )
    await TaskRunner(state, Kinds([TaskKind(kind, {key: Endless()})])).run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
