"""SQL of single models, and of the events of many models."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.models.tables import Model, ModelDocument, ModelFavorite
from mlpcore.ports import Users
from mlpcore.unique_names import unique_name
from mlplace_kit.names import PathRef, is_model_name


@dataclass(frozen=True, slots=True)
class OwnerState:
    """The fields of a model's account that its events contain."""

    name: str
    active: bool


class ModelRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, model: Model) -> None:
        self._session.add(model)
        await self.flush(model)

    async def flush(self, model: Model) -> None:
        """Raises NameAlreadyExists when the account has another live model of this name."""
        with unique_name("a service", model.name):
            await self._session.flush()

    async def owned(self, *, account_id: int, ref: PathRef, lock: bool = False) -> Model | None:
        """Finds a live model of the account by id or name. `lock`: locks it until the transaction ends."""
        statement = sa.select(Model).where(Model.account_id == account_id, Model.deleted_at.is_(None))
        if ref.id is not None:
            statement = statement.where(Model.model_id == ref.id)
        elif ref.name is not None and is_model_name(ref.name):
            statement = statement.where(Model.name == ref.name)
        else:
            return None
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(statement)).first()

    async def usable(self, *, account_id: int, model_id: int) -> Model | None:
        """Finds a live model that the account may use: its own, a public one, or one that allows the account."""
        reachable = sa.or_(
            Model.account_id == account_id, Model.is_public.is_(True), Model.allowed_accounts.contains([account_id])
        )
        statement = sa.select(Model).where(Model.model_id == model_id, Model.deleted_at.is_(None), reachable)
        return (await self._session.scalars(statement)).first()

    async def name_taken(self, *, account_id: int, name: str) -> bool:
        statement = sa.select(Model.model_id).where(
            Model.account_id == account_id, Model.name == name, Model.deleted_at.is_(None)
        )
        return (await self._session.scalar(statement)) is not None

    async def live_ones(self, pairs: Collection[tuple[int, int]]) -> Sequence[int]:
        """Returns those of the models, given as pairs of account and model, that exist."""
        statement = sa.select(Model.model_id).where(
            sa.tuple_(Model.account_id, Model.model_id).in_(pairs), Model.deleted_at.is_(None)
        )
        return (await self._session.scalars(statement)).all()

    async def set_favorite(self, *, caller: str, model_id: int, favorite: bool) -> None:
        if favorite:
            insert = postgresql.insert(ModelFavorite).values(caller=caller, model_id=model_id)
            await self._session.execute(insert.on_conflict_do_nothing())
            return
        of_caller = (ModelFavorite.caller == caller, ModelFavorite.model_id == model_id)
        await self._session.execute(sa.delete(ModelFavorite).where(*of_caller))

    async def lock_unsealed(self, most: int) -> Sequence[Model]:
        """Locks rows that an earlier version wrote, of all accounts, and skips rows that are locked already."""
        statement = sa.select(Model).where(Model.settings_sealed.is_(None)).limit(most)
        return (await self._session.scalars(statement.with_for_update(skip_locked=True))).all()

    async def fresh(self, model_id: int) -> Model:
        """Loads the whole row of a model that exists, even a deleted one, as this transaction has written it."""
        statement = sa.select(Model).where(Model.model_id == model_id)
        return (await self._session.scalars(statement, execution_options={"populate_existing": True})).one()

    async def flush_all(self) -> None:
        await self._session.flush()

    async def document(self, model_id: int) -> ModelDocument | None:
        return await self._session.get(ModelDocument, model_id)

    async def write_document(self, model_id: int, **columns: object) -> None:
        """Sets these columns of the model's document and keeps the others."""
        values: dict[str, object] = {"model_id": model_id, "from_instance": False, **columns}
        insert = postgresql.insert(ModelDocument).values(**values)
        await self._session.execute(insert.on_conflict_do_update(index_elements=["model_id"], set_=columns))

    async def owner(self, account_id: int) -> OwnerState:
        row = (
            await self._session.execute(
                sa.select(Account.short_name, Account.active).where(Account.account_id == account_id)
            )
        ).first()
        return OwnerState(row.short_name, row.active) if row else OwnerState(str(account_id), active=True)

    async def all_with_owner(self, account_id: int | None = None) -> Sequence[tuple[Model, OwnerState]]:
        """Returns the live models of one account, locked, or all models, deleted ones too."""
        statement = sa.select(Model, Account.short_name, Account.active).join(
            Account, Account.account_id == Model.account_id, isouter=True
        )
        if account_id is not None:
            statement = statement.where(Model.account_id == account_id, Model.deleted_at.is_(None)).with_for_update(
                of=Model
            )
        rows = (await self._session.execute(statement.order_by(Model.model_id))).all()
        return [(row[0], OwnerState(row[1] or str(row[0].account_id), row[2] is not False)) for row in rows]


class GroupUsersOfModels:
    """Implements GroupUsers: counts the live models that refer to a group."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def users_of(self, group_id: int) -> int:
        statement = sa.select(sa.func.count()).where(Model.resource_group_id == group_id, Model.deleted_at.is_(None))
        return await self._session.scalar(statement) or 0


class ZonesOfModels:
    """Implements ServiceZones."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def write(self, *, account_id: int, zone: str) -> None:
        """Locks in the order of ids, like other transactions that lock several models."""
        stored = Model.auto_scaling_configuration
        other = sa.type_coerce(stored, postgresql.JSONB)["timeZone"].astext.is_distinct_from(zone)
        wanted = sa.select(Model.model_id).where(Model.account_id == account_id, Model.deleted_at.is_(None), other)
        ids = (await self._session.scalars(wanted.order_by(Model.model_id).with_for_update())).all()
        if ids:
            written = sa.func.jsonb_set(
                stored, sa.literal(["timeZone"], postgresql.ARRAY(sa.Text)), sa.func.to_jsonb(sa.cast(zone, sa.Text))
            )
            await self._session.execute(
                sa.update(Model).where(Model.model_id.in_(ids)).values(auto_scaling_configuration=written)
            )


class _UsersOfModels:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def _found(self, *, account_id: int, uses: sa.ColumnElement[bool]) -> Users:
        mine = Model.account_id == account_id
        used = sa.and_(uses, Model.deleted_at.is_(None))
        names = await self._session.scalars(sa.select(Model.name).where(used, mine).order_by(Model.model_id))
        others = await self._session.scalar(sa.select(sa.func.count()).where(used, sa.not_(mine)))
        return Users(names.all(), others or 0)


class DatasetUsersOfModels(_UsersOfModels):
    """Implements DatasetUsers."""

    async def users_of(self, *, account_id: int, dataset_id: int) -> Users:
        return await self._found(account_id=account_id, uses=Model.training_dataset_id == dataset_id)


class _ImageUsers(_UsersOfModels, ABC):
    @abstractmethod
    def _uses(self, image_id: int) -> sa.ColumnElement[bool]: ...

    async def users_of(self, *, account_id: int, image_id: int) -> Users:
        return await self._found(account_id=account_id, uses=self._uses(image_id))


class ImageUsersOfModels(_ImageUsers):
    """Implements ImageUsers for images that instances run."""

    def _uses(self, image_id: int) -> sa.ColumnElement[bool]:
        return Model.image_id == image_id


class DataImageUsersOfModels(_ImageUsers):
    """Implements ImageUsers for data images."""

    def _uses(self, image_id: int) -> sa.ColumnElement[bool]:
        return mounts_data_image(image_id)


def mounts_data_image(image_id: int) -> sa.ColumnElement[bool]:
    mounts = sa.type_coerce(Model.data_image_mounts, postgresql.JSONB)
    return mounts.contains([{"dataImageId": image_id}])
