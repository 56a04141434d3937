"""The sealed addresses of caches. Gates open them, so an event follows each that is sealed again."""

from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.events import model_changed
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.tables import Model
from mlplace_contracts.events import ModelCaching
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.db.sealed import Key, SealedColumn


class SealedCaches(SealedColumn[Model]):
    def __init__(self, clock: Clock) -> None:
        super().__init__(
            "addresses of caches",
            Model,
            key=Model.model_id,
            sealed=Model.caching_uri_sealed,
            purpose=lambda model: ModelCaching.purpose(model.account_id),
            reads=(Model.account_id,),
            unused=Model.deleted_at.is_not(None),
        )
        self._clock = clock

    async def replace(self, session: AsyncSession, key: Key, sealed: bytes) -> None:
        await super().replace(session, key, sealed)
        repository = ModelRepository(session)
        model = await repository.fresh(cast("int", key))
        model.version += 1
        await repository.flush_all()
        await Outbox(session, self._clock).add(model_changed(model, await repository.owner(model.account_id)))
