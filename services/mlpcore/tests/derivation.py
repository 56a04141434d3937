"""Makes models derived, as no request can."""

import sqlalchemy as sa

from mlpcore.features.models.tables import Model
from mlplace_runtime.db.database import Database


async def derive(database: Database, pk: dict[str, int], *, base: dict[str, int], **columns: object) -> None:
    """Makes the model `pk` a derived one of `base`."""
    values = {"training_model_account_id": base["accountId"], "training_model_id": base["modelId"], **columns}
    async with database.transaction() as session:
        await session.execute(sa.update(Model).where(Model.model_id == pk["modelId"]).values(**values))
