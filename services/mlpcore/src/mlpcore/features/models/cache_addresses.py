"""The sealed addresses of caches. Gates open them, so an event follows each that is sealed again."""

from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.events import model_changed
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.tables import Model
from mlplace_contracts.events import ModelCaching
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.db.sealed import Key, SealedColumn


class CacheAddresses(SealedColumn[Model]):
    async def replace(self, session: AsyncSession, key: Key, sealed: bytes) -> None:
        """Publishes the model with it, unless gates know no cache of this model. Raises pydantic's ValidationError."""
        repository = ModelRepository(session)
        model = await repository.fresh(cast("int", key))
        model.caching_uri_sealed = sealed
        if model.deleted_at is None:
            model.version += 1
            event = model_changed(model, await repository.owner(model.account_id))
            await Outbox(session).add(event)
        await repository.flush_all()


CACHES = CacheAddresses(
    "addresses of caches",
    Model,
    key=Model.model_id,
    sealed=Model.caching_uri_sealed,
    purpose=ModelCaching.PURPOSE,
    unused=Model.deleted_at.is_not(None),
    at_once=20,  # each takes several statements, during which the owner cannot change the model
)
