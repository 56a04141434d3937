"""SQL of examples. Callers hold the model's row lock when they write."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.examples.tables import ModelExample
from mlpcore.unique_names import unique_name


class ExampleRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_model(self, *, account_id: int, model_id: int) -> Sequence[ModelExample]:
        statement = sa.select(ModelExample).where(
            ModelExample.account_id == account_id, ModelExample.model_id == model_id
        )
        return (await self._session.scalars(statement.order_by(ModelExample.position, ModelExample.example_id))).all()

    async def add(self, example: ModelExample) -> None:
        self._session.add(example)
        await self.flush(example)

    async def flush(self, example: ModelExample) -> None:
        """Raises NameAlreadyExists when the model has another example of this name."""
        with unique_name("an example", example.name):
            await self._session.flush()

    async def delete(self, example: ModelExample) -> None:
        await self._session.delete(example)
