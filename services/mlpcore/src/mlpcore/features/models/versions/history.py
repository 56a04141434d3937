"""Reads the versions of a model, for the members of its account."""

from collections.abc import Sequence

from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.tables import Model, ModelVersion
from mlpcore.features.models.versions.differences import of_documents
from mlpcore.features.models.versions.repository import VersionRepository
from mlpcore.features.models.versions.schemas import (
    FieldChange,
    ModelVersionData,
    ModelVersionDetails,
    PagedModelVersions,
    VersionKind,
)
from mlpcore.features.models.versions.snapshot import SETTINGS, Snapshots
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken
from mlplace_runtime.web.policy import Access

_SORT = ("id", "version")


class VersionHistory:
    def __init__(self, repository: VersionRepository, owned: OwnedModels, snapshots: Snapshots) -> None:
        self._repository = repository
        self._owned = owned
        self._snapshots = snapshots

    async def page(self, *, access: Access, model: str, page: PageRequest) -> PagedModelVersions:
        """Raises ModelNotFound, AccessDenied, and ValidationFailed for another order than by number."""
        if page.sort_field not in _SORT:
            raise ValidationFailed({"sort": broken("sort", allowed=", ".join(_SORT))})
        found = await self._owned.get(access, model)
        rows, total = await self._repository.page(
            account_id=found.account_id,
            model_id=found.model_id,
            offset=page.offset,
            limit=page.size,
            descending=page.descending,
        )
        records = [ModelVersionData.model_validate(_shown(row)) for row in rows]
        return PagedModelVersions(paging=Pagination.of(page, total), records=records)

    async def details(self, *, access: Access, model: str, number: int) -> ModelVersionDetails:
        """Raises ModelNotFound, AccessDenied, NotFound."""
        found = await self._owned.get(access, model)
        version = await self.version(found, number)
        return ModelVersionDetails.model_validate({**_shown(version), "restoring": self._restoring(found, version)})

    async def version(self, model: Model, number: int) -> ModelVersion:
        """Raises NotFound for a number that never was and for one that is forgotten."""
        found = await self._repository.find(account_id=model.account_id, model_id=model.model_id, number=number)
        if found is None:
            raise NotFound(entity="version")
        return found

    def _restoring(self, model: Model, version: ModelVersion) -> Sequence[FieldChange]:
        names = (SETTINGS, "resourceGroupId")
        now = self._snapshots.of(model).document
        return of_documents(*({name: document[name] for name in names} for document in (now, version.document)))


def _shown(version: ModelVersion) -> dict[str, object]:
    return {
        "version": version.number,
        "occurred_at": version.occurred_at,
        "user_id": version.user_id,
        "author": version.author,
        "kind": VersionKind(version.kind),
        "restored_version": version.restored_number,
        "changes": version.changes,
    }
