"""Reads models: one, lists, the public catalogue."""

from collections.abc import Sequence

from mlpcore.features.call_statistics.service import CallStatistics
from mlpcore.features.models.mounts import mounted_ids, shown_mounts
from mlpcore.features.models.ports import KnownDataImages
from mlpcore.features.models.reading.access import ReadableModels, is_visible
from mlpcore.features.models.reading.listing import (
    Condition,
    ModelFilters,
    ModelListing,
    ModelRow,
    any_of,
    favorite_of,
    listed_for,
    listed_publicly,
    own,
)
from mlpcore.features.models.reading.presentation import model_info
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import (
    CatalogCategoryData,
    ModelCounts,
    ModelInfoData,
    ModelNameAvailability,
    PagedModelInfoData,
    TaskTypeToModelsCount,
)
from mlpcore.ports import UNOBSERVED, ModelStates
from mlplace_kit.names import PathRef, is_model_name
from mlplace_kit.pagination import PageRequest, Pagination

_FEATURED = 100


class ModelReader:
    def __init__(
        self,
        listing: ModelListing,
        repository: ModelRepository,
        data_images: KnownDataImages,
        states: ModelStates,
        statistics: CallStatistics,
    ) -> None:
        self._listing = listing
        self._readable = ReadableModels(listing)
        self._repository = repository
        self._data_images = data_images
        self._states = states
        self._statistics = statistics

    async def read(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> ModelInfoData:
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        return (await self._infos([row], viewer))[0]

    async def of_account(
        self, *, account_id: int, filters: ModelFilters, viewer: Viewer, page: PageRequest
    ) -> PagedModelInfoData:
        """`with_favorites` adds the favourites to `only_my`; without `only_my` it restricts the list to favourites."""
        scope = listed_for(account_id)
        favorites = _favorites(filters, viewer)
        if filters.only_my:
            scope = own(account_id) if favorites is None else any_of(own(account_id), favorites & scope)
        elif favorites is not None:
            scope &= favorites
        if filters.only_others:
            scope &= ~own(account_id)
        return await self._page(scope, filters, viewer, page)

    async def catalogue(self, *, filters: ModelFilters, viewer: Viewer, page: PageRequest) -> PagedModelInfoData:
        """Returns listed public models; `only_my` restricts them to the selected account's."""
        scope = listed_publicly()
        favorites = _favorites(filters, viewer)
        mine = own(viewer.selected or 0)
        if filters.only_others:
            scope &= ~mine
        if filters.only_my:
            scope &= mine if favorites is None else any_of(mine, favorites)
        elif favorites is not None:
            scope &= favorites
        return await self._page(scope, filters, viewer, page)

    async def featured(self, *, viewer: Viewer) -> list[ModelInfoData]:
        return await self._infos(await self._listing.featured(viewer, limit=_FEATURED), viewer)

    async def by_ids(self, *, pairs: Sequence[tuple[PathRef, PathRef]], viewer: Viewer) -> list[ModelInfoData]:
        """Returns models in the order of `pairs`, without those that are missing or that the viewer may not see."""
        rows = [row for row in await self._listing.find_many(pairs, viewer) if is_visible(row.model, viewer)]
        positions = {pair: number for number, pair in reversed(list(enumerate(pairs)))}
        ordered = sorted(rows, key=lambda row: _position(row, positions))
        return await self._infos(ordered, viewer)

    async def categories(self) -> CatalogCategoryData:
        counts = await self._listing.public_counts()
        entries = [TaskTypeToModelsCount(task_type_name=name, models_count=n) for name, n in sorted(counts.items())]
        return CatalogCategoryData(categories=entries)

    async def counts(self, *, account_id: int, viewer: Viewer) -> ModelCounts:
        mine, favorites, fitted = await self._listing.counts(account_id=account_id, caller=viewer.caller)
        return ModelCounts(created_by_me=mine, favorites=favorites, fitted=fitted)

    async def name_availability(self, *, account_id: int, name: str) -> ModelNameAvailability:
        if not is_model_name(name):
            return ModelNameAvailability(available=False, reason="use letters, digits, dots, _ and -; not digits alone")
        if await self._repository.name_taken(account_id=account_id, name=name):
            return ModelNameAvailability(available=False, reason="the account has a service with this name")
        return ModelNameAvailability(available=True, reason=None)

    async def _page(
        self, scope: Condition, filters: ModelFilters, viewer: Viewer, page: PageRequest
    ) -> PagedModelInfoData:
        rows, total = await self._listing.page(scope=scope, filters=filters, viewer=viewer, page=page)
        return PagedModelInfoData(paging=Pagination.of(page, total), records=await self._infos(rows, viewer))

    async def _infos(self, rows: Sequence[ModelRow], viewer: Viewer) -> list[ModelInfoData]:
        if not rows:
            return []
        ids = [row.model.model_id for row in rows]
        states, counts = await self._states.states_of(ids), await self._statistics.of_models(ids)
        owned = [row.model for row in rows if viewer.owns(row.model.account_id)]
        mounted = await self._data_images.of_ids(mounted_ids(owned))
        return [
            model_info(
                row,
                states.get(model_id, UNOBSERVED),
                counted=counts.get(model_id),
                mounts=shown_mounts(row.model, mounted),
                viewer=viewer,
            )
            for model_id, row in zip(ids, rows, strict=True)
        ]


def _favorites(filters: ModelFilters, viewer: Viewer) -> Condition | None:
    return favorite_of(viewer.caller) if filters.with_favorites and viewer.caller else None


def _position(row: ModelRow, positions: dict[tuple[PathRef, PathRef], int]) -> int:
    accounts = (PathRef(id=row.model.account_id, name=None), PathRef(id=None, name=row.account_name))
    models = (PathRef(id=row.model.model_id, name=None), PathRef(id=None, name=row.model.name))
    return min(positions.get((a, m), len(positions)) for a in accounts for m in models)
