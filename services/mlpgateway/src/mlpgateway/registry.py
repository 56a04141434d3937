"""The service's tables, routers and loops as explicit lists. The routes of calls are in `entry/http/routes.py`."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter

from mlpgateway.features.archive import router as archive_routes
from mlpgateway.features.archive import tables as archive
from mlpgateway.features.caching import router as cache_routes
from mlpgateway.features.detailed_metrics import router as detailed_metrics
from mlpgateway.features.diagnosis import router as diagnosis
from mlpgateway.features.idempotency import tables as idempotent_calls
from mlpgateway.features.predictions import router as prediction_routes
from mlpgateway.features.predictions import tables as predictions
from mlpgateway.features.predictions.calls import CALLERS
from mlpgateway.features.predictions.webhooks import WEBHOOK_SECRETS
from mlpgateway.features.storage import router as storage_routes
from mlpgateway.features.storage import tables as storage
from mlpgateway.features.system import router as system
from mlpgateway.membership import tables as gate
from mlpgateway.tables import Base
from mlpgateway.wiring.components import Components
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.tasks import Loop

METADATA = Base.metadata
TABLES = (
    gate.GateMember,
    idempotent_calls.IdempotentCall,
    predictions.Prediction,
    predictions.WebhookSecret,
    predictions.WebhookDelivery,
    archive.ArchivedRequest,
    storage.StorageUse,
    storage.StorageChange,
    storage.StorageSetting,
)

ROUTERS: Sequence[APIRouter] = (
    system.router,
    diagnosis.router,
    detailed_metrics.router,
    prediction_routes.router,
    archive_routes.router,
    storage_routes.router,
    cache_routes.router,
)


SEALED: Sequence[SealedColumn[Any]] = (WEBHOOK_SECRETS, CALLERS)
"""All columns of values that are sealed with the envelope key."""


def loops(components: Components, bus: EventBus) -> Sequence[Loop]:
    """The loops in start order. They stop in reverse, so the loops that write to disk and database start first."""
    return (
        Loop("usage-spool", components.spool.run),
        Loop("outbox-relay", OutboxRelay(components.database, bus, name="mlpgateway").run),
        Loop("outbox-writer", components.writer.run),
        Loop("connections", components.connections.run),
        Loop("failed-calls", components.failed.run),
        Loop("samples", components.samples.run),
        Loop("open-streams", components.pipeline.open_streams.run),
        Loop("caches", components.caches.run),
        Loop("archive", components.archive.run),
        Loop("archive-cleanup", components.archive.run_cleanup),
        Loop("read-models", components.read_models_projection.run),
        Loop("identities", components.identities_projection.run),
        Loop("leases", components.leases.run),
        Loop("limits", components.bucket_leases.run),
        Loop("gate-members", components.gates.run),
        Loop("admission", components.admission.run),
        Loop("idempotent-calls", components.entry_points.idempotent_calls.run),
        Loop("notices", components.entry_points.notices.run),
        Loop("webhooks", components.entry_points.sender.run),
        Loop("predictions", components.entry_points.runner.run),
        Loop("predictions-cleanup", components.entry_points.cleanup.run),
        Loop("storage-maintenance", components.storage.maintenance.run),
    )
