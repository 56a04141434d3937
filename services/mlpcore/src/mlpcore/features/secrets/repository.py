"""SQL of secrets, and of the models that refer to them."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model
from mlpcore.features.secrets.tables import WHOLE_ACCOUNT, Secret
from mlpcore.unique_names import unique_name


class SecretRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_account(self, account_id: int) -> Sequence[Secret]:
        statement = sa.select(Secret).where(Secret.account_id == account_id)
        return (await self._session.scalars(statement.order_by(Secret.name, Secret.model_id))).all()

    async def count(self, account_id: int) -> int:
        statement = sa.select(sa.func.count()).where(Secret.account_id == account_id)
        return await self._session.scalar(statement) or 0

    async def lock(self, *, account_id: int, secret_id: int) -> Secret | None:
        """Locks the secret: no model can begin to refer to it until the transaction ends."""
        statement = sa.select(Secret).where(Secret.account_id == account_id, Secret.secret_id == secret_id)
        return (await self._session.scalars(statement.with_for_update())).first()

    async def usable(self, *, account_id: int, model_id: int, names: Collection[str]) -> Sequence[Secret]:
        """Returns the secrets of these names that the model may use, locked against deletion."""
        statement = sa.select(Secret).where(*_reachable(account_id, [model_id]), Secret.name.in_(names))
        return (await self._session.scalars(statement.with_for_update(read=True))).all()

    async def of_models(self, models: Collection[tuple[int, int]]) -> Sequence[Secret]:
        """Returns all secrets that the models may use. A model is given as (account id, model id)."""
        accounts, ids = {account for account, _ in models}, [model for _, model in models]
        statement = sa.select(Secret).where(Secret.account_id.in_(accounts), Secret.model_id.in_([WHOLE_ACCOUNT, *ids]))
        return (await self._session.scalars(statement)).all()

    async def of_model(self, *, account_id: int, model_id: int) -> Sequence[Secret]:
        statement = sa.select(Secret).where(Secret.account_id == account_id, Secret.model_id == model_id)
        return (await self._session.scalars(statement)).all()

    async def add(self, secret: Secret) -> None:
        """Raises NameAlreadyExists."""
        self._session.add(secret)
        with unique_name("a secret", secret.name):
            await self._session.flush()

    async def flush(self) -> None:
        await self._session.flush()

    async def delete(self, secret: Secret) -> None:
        await self._session.delete(secret)
        await self._session.flush()

    async def delete_of_model(self, *, account_id: int, model_id: int) -> None:
        of_model = (Secret.account_id == account_id, Secret.model_id == model_id)
        await self._session.execute(sa.delete(Secret).where(*of_model))

    async def users(self, account_id: int) -> Sequence[Model]:
        """Returns the account's live models that refer to any secret."""
        statement = sa.select(Model).where(
            Model.account_id == account_id, Model.deleted_at.is_(None), Model.secret_env != {}
        )
        return (await self._session.scalars(statement.order_by(Model.model_id))).all()

    async def model_names(self, account_id: int, model_ids: Collection[int]) -> dict[int, str]:
        statement = sa.select(Model.model_id, Model.name).where(
            Model.account_id == account_id, Model.model_id.in_(model_ids)
        )
        return {row.model_id: row.name for row in await self._session.execute(statement)}


def _reachable(account_id: int, model_ids: Sequence[int]) -> tuple[sa.ColumnElement[bool], ...]:
    return Secret.account_id == account_id, Secret.model_id.in_([WHOLE_ACCOUNT, *model_ids])
