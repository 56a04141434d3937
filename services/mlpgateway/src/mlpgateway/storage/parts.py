"""Wires what counts and bounds storage. Starts nothing."""

from dataclasses import dataclass
from datetime import timedelta

from mlpgateway.once.service import KEPT
from mlpgateway.readmodels.limits import Limits
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.storage.limits import StorageLimits
from mlpgateway.storage.service import Storage
from mlpgateway.storage.sweeper import StorageSweeper
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Shared


@dataclass(frozen=True, slots=True)
class StorageParts:
    limits: StorageLimits
    service: Storage
    sweeper: StorageSweeper


def make_storage(
    settings: MlpgatewaySettings, shared: Shared, database: Database, account_limits: Limits
) -> StorageParts:
    limits = StorageLimits(account_limits, default_bytes=settings.default_storage_bytes)
    return StorageParts(
        limits=limits,
        service=Storage(
            database=database,
            limits=limits,
            prediction_hours=settings.prediction_hours,
            answer_hours=KEPT / timedelta(hours=1),
        ),
        sweeper=StorageSweeper(database=database, objects=shared.objects),
    )
