from mlpcore.features.metrics.detailed.families import pieces_of
from mlpcore.features.metrics.detailed.repository import DetailedMetricsRepository
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database
from mlplace_runtime.telemetry.exposition import Pieces


class DetailedMetrics:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def read(self) -> Pieces:
        """Reads what is known of instances, servers and accounts. The text is written without the database."""
        now = self._clock.now()
        async with self._database.transaction() as session:
            repository = DetailedMetricsRepository(session, now)
            instances, servers = await repository.instances(), await repository.servers()
            limits = await repository.limits()
        return pieces_of(instances, servers, limits, now)
