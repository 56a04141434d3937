"""SQL of lists of models: reads all that a list shows of a model in one query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, aliased

from mlpcore.features.accounts.tables import Account, PlatformAccount
from mlpcore.features.activity.tables import ModelActivity
from mlpcore.features.call_statistics.tables import ModelCallDay
from mlpcore.features.datasets.presentation import DatasetRow
from mlpcore.features.datasets.tables import Dataset
from mlpcore.features.images.tables import Image
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.repository import mounts_data_image
from mlpcore.features.models.tables import Model, ModelFavorite, ModelGroup
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.names import PathRef, is_account_name, is_model_name
from mlplace_kit.pagination import PageRequest
from mlplace_kit.violations import broken

_ImageAccount = aliased(Account)
_Base = aliased(Model)
_DatasetAccount = aliased(Account)
Condition = sa.ColumnElement[bool]

_CALLS = (
    sa.select(sa.func.sum(ModelCallDay.calls))
    .where(ModelCallDay.model_id == Model.model_id)
    .correlate(Model)
    .scalar_subquery()
)
"""Calls in the days that are kept."""

_LAST_ACTIVITY = (
    sa.select(ModelActivity.last_activity_at)
    .where(ModelActivity.model_id == Model.model_id)
    .correlate(Model)
    .scalar_subquery()
)

_SORT: Mapping[str, sa.ColumnElement[Any] | InstrumentedAttribute[Any]] = {
    "id": Model.model_id,
    "name": Model.name,
    "modelName": Model.name,
    "displayName": Model.display_name,
    "modelAccountName": Account.short_name,
    "taskType": Model.task_type,
    "hostingType": Model.hosting_type,
    "lastActivity": _LAST_ACTIVITY,
    "popularity": _CALLS,
    "featuredListOrder": Model.featured_list_order,
}


_DATASET: Final = (
    Dataset.dataset_id, Dataset.account_id, Dataset.name, Dataset.description, Dataset.data_type, Dataset.access_mode,
    Dataset.version, Dataset.size, Dataset.sha256, Dataset.rows, Dataset.created_at, Dataset.updated_at,
)  # fmt: skip
_LONG_TEXTS: Final = (Dataset.columns, Dataset.warning, Dataset.warnings)
"""With `_DATASET` the columns of a DatasetRow, in its order. Only a single model is read with these."""


@dataclass(frozen=True, slots=True)
class ModelFilters:
    """None: no filter. `group_id` 0: models without a group. Texts match as case-insensitive substrings."""

    only_my: bool = False
    only_others: bool = False
    with_favorites: bool = False
    only_public: bool = False
    only_private: bool = False
    only_restricted: bool = False
    only_fitted: bool = False
    only_for_visitors: bool = False
    account_field: str | None = None
    model_field: str | None = None
    display_author: str | None = None
    group_id: int | None = None
    task_type: str | None = None
    language: str | None = None
    image_id: int | None = None
    data_image_id: int | None = None


@dataclass(frozen=True, slots=True)
class ModelRow:
    model: Model
    account_name: str | None
    account_display_name: str | None
    image: Image | None
    image_account_name: str | None
    group_name: str | None
    base_name: str | None
    """None also for a base that the viewer may not read."""
    resource_group: str | None
    last_activity: datetime | None
    favorite: bool
    training_dataset_account_name: str | None
    training_dataset: DatasetRow | None
    """None also for a viewer who does not own the model."""


class ModelListing:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> ModelRow | None:
        """Finds a live model by ids or names. Does not check whether the viewer may see it."""
        wanted = _pair(account, model)
        if wanted is None:
            return None
        rows = await self._rows(wanted, viewer, limit=1, alone=True)
        return rows[0] if rows else None

    async def find_many(self, pairs: Sequence[tuple[PathRef, PathRef]], viewer: Viewer) -> Sequence[ModelRow]:
        conditions = [pair for account, model in pairs if (pair := _pair(account, model)) is not None]
        if not conditions:
            return []
        return await self._rows(sa.or_(*conditions), viewer, limit=len(conditions))

    async def page(
        self, *, scope: Condition, filters: ModelFilters, viewer: Viewer, page: PageRequest
    ) -> tuple[Sequence[ModelRow], int]:
        """Returns the rows of the page and the total count.

        The first query selects the ids of the page and the count in one scan; the second reads these rows with their
        joins. A single query would join, fetch and sort all wide rows of the list.
        """
        if page.sort_field not in _SORT:
            raise ValidationFailed({"sort": broken("sort", allowed=", ".join(_SORT))})
        wanted = sa.and_(Model.deleted_at.is_(None), scope, *_conditions(filters))
        if viewer.allowed_models is not None:
            wanted = sa.and_(wanted, Model.model_id.in_(viewer.allowed_models))
        if not viewer.superadmin and (filters.image_id is not None or filters.data_image_id is not None):
            wanted = sa.and_(wanted, Model.account_id.in_(viewer.accounts))  # others do not see what a model is made of
        order = _order(page)
        chosen = sa.select(Model.model_id, sa.func.count().over()).where(wanted).order_by(*order)
        if _SORT[page.sort_field] is Account.short_name:
            chosen = chosen.outerjoin(Account, Account.account_id == Model.account_id)
        found = (await self._session.execute(chosen.limit(page.size).offset(page.offset))).all()
        if not found:
            return [], await self._count(wanted) if page.offset else 0
        rows = await self._rows(Model.model_id.in_([row[0] for row in found]), viewer, order=order, limit=page.size)
        return rows, found[0][1]

    async def _count(self, wanted: Condition) -> int:
        """Counts the list for a page after the last one, which has no row to carry the count."""
        return await self._session.scalar(sa.select(sa.func.count()).select_from(Model).where(wanted)) or 0

    async def featured(self, viewer: Viewer, *, limit: int) -> Sequence[ModelRow]:
        wanted = sa.and_(Model.deleted_at.is_(None), Model.is_public, Model.featured, sa.not_(Model.hidden))
        order = (Model.featured_list_order.asc().nulls_last(), Model.model_id.asc())
        return await self._rows(wanted, viewer, order=order, limit=limit)

    async def counts(self, *, account_id: int, caller: str | None) -> tuple[int, int, int]:
        """Counts the account's own models, the caller's favourites, and the account's trained models."""
        mine = own(account_id)
        favorite = sa.and_(favorite_of(caller), listed_for(account_id)) if caller else sa.false()
        statement = sa.select(
            sa.func.count().filter(mine),
            sa.func.count().filter(favorite),
            sa.func.count().filter(sa.and_(mine, Model.training_model_id.is_not(None))),
        ).where(Model.deleted_at.is_(None), sa.or_(mine, favorite))
        row = (await self._session.execute(statement)).one()
        return row[0], row[1], row[2]

    async def public_counts(self) -> Mapping[str, int]:
        """Counts the listed public models by task type."""
        statement = (
            sa.select(Model.task_type, sa.func.count())
            .where(Model.deleted_at.is_(None), listed_publicly())
            .group_by(Model.task_type)
        )
        return {row[0]: row[1] for row in (await self._session.execute(statement)).all()}

    async def _rows(
        self,
        wanted: Condition,
        viewer: Viewer,
        *,
        order: Sequence[sa.UnaryExpression[Any]] = (),
        limit: int,
        alone: bool = False,
    ) -> Sequence[ModelRow]:
        statement = _select(viewer, alone=alone).where(wanted, Model.deleted_at.is_(None)).order_by(*order)
        rows = (await self._session.execute(statement.limit(limit))).all()
        return [_row(row) for row in rows]


def _row(values: Sequence[Any]) -> ModelRow:
    first = len(values) - len(_DATASET) - len(_LONG_TEXTS)
    dataset = None if values[first] is None else DatasetRow(*values[first:])
    return ModelRow(*values[:first], training_dataset=dataset)


def own(account_id: int) -> Condition:
    return Model.account_id == account_id


def listed_publicly() -> Condition:
    return sa.and_(Model.is_public, sa.not_(Model.hidden))


def listed_for(account_id: int) -> Condition:
    """Matches the account's own models, listed public models, and models that allow the account."""
    return sa.or_(own(account_id), listed_publicly(), Model.allowed_accounts.contains([account_id]))


def favorite_of(caller: str) -> Condition:
    return sa.exists().where(ModelFavorite.caller == caller, ModelFavorite.model_id == Model.model_id)


def _select(viewer: Viewer, *, alone: bool) -> sa.Select[*tuple[Any, ...]]:
    owned = sa.true() if viewer.superadmin else Model.account_id.in_(viewer.accounts)
    favorite = favorite_of(viewer.caller) if viewer.caller else sa.false()
    return (
        sa.select(
            Model,
            Account.short_name,
            sa.func.coalesce(PlatformAccount.display_name, Account.display_name),
            Image,
            _ImageAccount.short_name,
            ModelGroup.name,
            _Base.name,
            sa.func.coalesce(ResourceGroup.name, Model.resource_group),
            ModelActivity.last_activity_at,
            favorite,
            _DatasetAccount.short_name,
            *_DATASET,
            *(_LONG_TEXTS if alone else (sa.null() for _ in _LONG_TEXTS)),
        )
        .outerjoin(Account, Account.account_id == Model.account_id)
        .outerjoin(PlatformAccount, PlatformAccount.account_id == Model.account_id)
        .outerjoin(Image, Image.image_id == Model.image_id)
        .outerjoin(_ImageAccount, _ImageAccount.account_id == Image.account_id)
        .outerjoin(ModelGroup, ModelGroup.group_id == Model.model_group_id)
        .outerjoin(_Base, sa.and_(_Base.model_id == Model.training_model_id, _base_readable(viewer)))
        .outerjoin(Dataset, sa.and_(Dataset.dataset_id == Model.training_dataset_id, owned))
        .outerjoin(_DatasetAccount, _DatasetAccount.account_id == Dataset.account_id)
        .outerjoin(ResourceGroup, ResourceGroup.group_id == Model.resource_group_id)
        .outerjoin(ModelActivity, ModelActivity.model_id == Model.model_id)
    )


def _base_readable(viewer: Viewer) -> Condition:
    """Like `is_visible` for a single model."""
    found: list[Condition] = [_Base.deleted_at.is_(None)]
    if viewer.allowed_models is not None:
        found.append(_Base.model_id.in_(viewer.allowed_models))
    if not viewer.superadmin:
        own_or_shared = (_Base.account_id.in_(viewer.accounts), _Base.allowed_accounts.overlap(list(viewer.accounts)))
        found.append(sa.or_(_Base.is_public, *own_or_shared))
    return sa.and_(*found)


def _pair(account: PathRef, model: PathRef) -> Condition | None:
    """Returns None for a name that no account or model can have."""
    if account.id is not None:
        of_account: Condition = Model.account_id == account.id
    elif account.name is not None and is_account_name(account.name):
        of_account = Model.account_id.in_(sa.select(Account.account_id).where(Account.short_name == account.name))
    else:
        return None
    if model.id is not None:
        return sa.and_(of_account, Model.model_id == model.id)
    if model.name is not None and is_model_name(model.name):
        return sa.and_(of_account, Model.name == model.name)
    return None


def _conditions(filters: ModelFilters) -> list[Condition]:
    found = [*_text_conditions(filters), *_flag_conditions(filters)]
    if filters.group_id is not None:
        found.append(Model.model_group_id == filters.group_id if filters.group_id else Model.model_group_id.is_(None))
    if filters.task_type is not None:
        found.append(Model.task_type == filters.task_type)
    if filters.language is not None:
        found.append(Model.languages.contains([filters.language]))
    if filters.image_id is not None:
        found.append(Model.image_id == filters.image_id)
    if filters.data_image_id is not None:
        found.append(mounts_data_image(filters.data_image_id))
    return found


def _flag_conditions(filters: ModelFilters) -> list[Condition]:
    found: list[Condition] = []
    if filters.only_public:
        found.append(listed_publicly())
    if filters.only_private:
        found.append(sa.not_(Model.is_public))
    if filters.only_restricted:
        found.append(sa.and_(sa.not_(Model.is_public), sa.func.cardinality(Model.allowed_accounts) > 0))
    if filters.only_fitted:
        found.append(Model.training_model_id.is_not(None))
    if filters.only_for_visitors:
        found.append(sa.and_(Model.is_public, Model.public_testing_allowed, Model.visitor_calls_per_day > 0))
    return found


def _text_conditions(filters: ModelFilters) -> list[Condition]:
    found: list[Condition] = []
    if filters.account_field:
        text = filters.account_field
        names = sa.or_(*(c.icontains(text, autoescape=True) for c in (Account.short_name, Account.display_name)))
        same_id = sa.cast(Account.account_id, sa.Text) == text
        found.append(Model.account_id.in_(sa.select(Account.account_id).where(sa.or_(names, same_id))))
    if filters.model_field:
        text = filters.model_field
        columns = (Model.name, Model.display_name)
        same_id = sa.cast(Model.model_id, sa.Text) == text
        found.append(sa.or_(*(column.icontains(text, autoescape=True) for column in columns), same_id))
    if filters.display_author:
        found.append(Model.display_author.icontains(filters.display_author, autoescape=True))
    return found


def _order(page: PageRequest) -> tuple[sa.UnaryExpression[Any], ...]:
    column = _SORT[page.sort_field]
    first = column.desc() if page.descending else column.asc()
    if column is Model.model_id:
        return (first,)  # matches the index; with a NULLS clause PostgreSQL would fetch and sort every row
    return (first.nulls_last(), Model.model_id.desc())


def any_of(*conditions: Condition) -> Condition:
    return sa.or_(*conditions)
