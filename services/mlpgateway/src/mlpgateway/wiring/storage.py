"""Wires the accounting and limits of storage. Starts nothing."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mlpgateway.features.archive import repository as archive
from mlpgateway.features.idempotency import repository as idempotency
from mlpgateway.features.idempotency.service import KEPT
from mlpgateway.features.predictions import outputs
from mlpgateway.features.predictions import repository as predictions
from mlpgateway.features.storage.counting import Kind
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.features.storage.maintenance import StorageMaintenance, Stored, StoredObjects
from mlpgateway.features.storage.service import Storage
from mlpgateway.readmodels.limits import LimitsOfAccounts
from mlpgateway.settings import MlpgatewaySettings
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Shared

_STORED: Final = (
    Stored(Kind.PREDICTIONS, predictions.stored(), StoredObjects(outputs.FOLDER, outputs.ID_PART, predictions.orphans)),
    Stored(Kind.ANSWERS, idempotency.stored()),
    Stored(Kind.ARCHIVE, archive.stored(), StoredObjects(archive.FOLDER, archive.ID_PART, archive.orphans)),
)


@dataclass(frozen=True, slots=True)
class StorageComponents:
    limits: StorageLimits
    service: Storage
    maintenance: StorageMaintenance


def make_storage(
    settings: MlpgatewaySettings, shared: Shared, database: Database, account_limits: LimitsOfAccounts
) -> StorageComponents:
    limits = StorageLimits(account_limits, shared.space, default_bytes=settings.default_storage_bytes)
    return StorageComponents(
        limits=limits,
        service=Storage(
            database=database,
            limits=limits,
            prediction_hours=settings.prediction_hours,
            answer_hours=KEPT / timedelta(hours=1),
        ),
        maintenance=StorageMaintenance(_STORED, database=database, objects=shared.objects),
    )
