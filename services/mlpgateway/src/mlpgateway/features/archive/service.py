"""The archive of a model, as its owner reads it."""

import uuid

from mlpgateway.features.archive.errors import ArchivedRequestNotFound
from mlpgateway.features.archive.repository import ArchivedObject, ArchiveRepository
from mlpgateway.features.archive.schemas import ArchivedRequestData, ArchivedRequestList
from mlpgateway.features.archive.tables import ArchivedRequest
from mlpgateway.readmodels.models import Models
from mlpgateway.readmodels.owned import owned
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_runtime.db.database import Database
from mlplace_runtime.objectstore import ObjectNotFoundError, ObjectStore
from mlplace_runtime.web.policy import Access


class Archive:
    """Opens its own transactions, because objects are read outside of them."""

    def __init__(self, *, database: Database, objects: ObjectStore, models: Models) -> None:
        self._database = database
        self._objects = objects
        self._models = models

    async def page(self, access: Access, model: str, page: PageRequest) -> ArchivedRequestList:
        """Raises ModelNotFound."""
        found = owned(self._models, access, model)
        async with self._database.transaction() as session:
            repository = ArchiveRepository(session)
            total = await repository.count(found.account_id, found.model_id)
            rows = await repository.page(found.account_id, found.model_id, limit=page.size, offset=page.offset)
            records = [ArchivedRequestData.of(row) for row in rows]
        return ArchivedRequestList(records=records, paging=Pagination.of(page, total))

    async def read(self, access: Access, model: str, record_id: uuid.UUID) -> ArchivedRequestData:
        """Raises ModelNotFound, ArchivedRequestNotFound."""
        return ArchivedRequestData.of(await self._row(access, model, record_id))

    async def content(self, access: Access, model: str, record_id: uuid.UUID) -> tuple[bytes, bool]:
        """Returns the content, and whether it is encrypted. Raises ModelNotFound, ArchivedRequestNotFound."""
        row = await self._row(access, model, record_id)
        try:
            content = await self._objects.get(ArchivedObject(row.id, row.account_id, row.model_id).key)
        except ObjectNotFoundError:
            raise ArchivedRequestNotFound from None
        return content, row.key_id is not None

    async def delete(self, access: Access, model: str, record_id: uuid.UUID | None = None) -> None:
        """Deletes one record or all. Raises ModelNotFound, ArchivedRequestNotFound."""
        if record_id is not None:
            await self._row(access, model, record_id)
        found = owned(self._models, access, model)
        async with self._database.transaction() as session:
            await ArchiveRepository(session).delete(found.account_id, found.model_id, record_id)

    async def _row(self, access: Access, model: str, record_id: uuid.UUID) -> ArchivedRequest:
        found = owned(self._models, access, model)
        async with self._database.transaction() as session:
            row = await ArchiveRepository(session).find(found.account_id, found.model_id, record_id)
        if row is None:
            raise ArchivedRequestNotFound
        return row
