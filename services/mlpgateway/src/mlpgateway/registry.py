"""Everything this service is made of, as explicit lists. Calls of models are in `http/routes.py`."""

from collections.abc import Sequence

from fastapi import APIRouter

from mlpgateway.features.archive import router as archive_routes
from mlpgateway.features.archive import tables as archive
from mlpgateway.features.caching import router as cache_routes
from mlpgateway.features.diagnosis import router as diagnosis
from mlpgateway.features.idempotency import tables as once
from mlpgateway.features.predictions import router as prediction_routes
from mlpgateway.features.predictions import tables as predictions
from mlpgateway.features.storage import router as storage_routes
from mlpgateway.features.storage import tables as storage
from mlpgateway.features.system import router as system
from mlpgateway.membership import tables as gate
from mlpgateway.tables import Base
from mlpgateway.wiring.components import Parts
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.tasks import Loop

METADATA = Base.metadata
TABLES = (
    gate.GateMember,
    once.IdempotentCall,
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
    prediction_routes.router,
    archive_routes.router,
    storage_routes.router,
    cache_routes.router,
)


def loops(parts: Parts, bus: EventBus) -> Sequence[Loop]:
    """Where things are written down comes first: loops stop in reverse, and those that write need it to the end."""
    return (
        Loop("usage-spool", parts.spool.run),
        Loop("outbox-relay", OutboxRelay(parts.database, bus, name="mlpgateway").run),
        Loop("outbox-writer", parts.writer.run),
        Loop("connections", parts.connections.run),
        Loop("caches", parts.caches.run),
        Loop("archive", parts.archive.run),
        Loop("archive-sweeper", parts.archive.run_sweeper),
        Loop("read-models", parts.read_models_projection.run),
        Loop("identities", parts.identities_projection.run),
        Loop("leases", parts.leases.run),
        Loop("limits", parts.pockets.run),
        Loop("gate-members", parts.gates.run),
        Loop("admission", parts.admission.run),
        Loop("idempotent-calls", parts.ways.once.run),
        Loop("notices", parts.ways.notices.run),
        Loop("webhooks", parts.ways.sender.run),
        Loop("predictions", parts.ways.runner.run),
        Loop("predictions-sweeper", parts.ways.sweeper.run),
        Loop("storage-sweeper", parts.storage.sweeper.run),
    )
