"""Handles events that change models: the descriptor of a first connection, a new name or state of the account."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.documents.service import DocumentService
from mlpcore.features.models.events import model_changed
from mlpcore.features.models.reading.listing import ModelListing
from mlpcore.features.models.repository import ModelRepository
from mlpcore.state import CoreState
from mlplace_contracts.events import Event, InstanceConnected
from mlplace_contracts.topics import CONNECTIONS
from mlplace_kit.clock import Clock
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.outbox import Outbox


def descriptors_consumer(_state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        documents = DocumentService(ModelRepository(session), ModelListing(session))
        for event in events:
            if isinstance(event, InstanceConnected) and event.descriptor_json:
                await documents.first_descriptor(
                    account_id=event.account_id, model_id=event.model_id, text=event.descriptor_json
                )

    return Consumer(name="mlpcore.descriptors", topics=(CONNECTIONS,), types=(InstanceConnected,), handle=handle)


async def announce_models_of(session: AsyncSession, clock: Clock, account_id: int) -> None:
    """Publishes the account's models again: their events contain the account's name and state."""
    rows = await ModelRepository(session).all_with_owner(account_id)
    for model, _ in rows:
        model.version += 1
    await Outbox(session, clock).add(*(model_changed(model, owner) for model, owner in rows))


async def republish_models(session: AsyncSession, clock: Clock) -> int:
    rows = await ModelRepository(session).all_with_owner()
    await Outbox(session, clock).add(*(model_changed(model, owner) for model, owner in rows))
    return len(rows)
