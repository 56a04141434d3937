"""Versions of a model: who changed which settings, and how to go back."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from mlpcore.features.models.dependencies import ModelReaderDep, ModelServiceDep, VersionHistoryDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.schemas import ModelInfoData
from mlpcore.features.models.versions.schemas import ModelVersionDetails, PagedModelVersions
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import PathRef
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}/versions", tags=["model-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]
VersionPath = Annotated[int, Path(ge=1, lt=2**31, description="number of the version")]


@router.get("")
async def get_model_versions(
    model: ModelPath, access: Reader, page: PageDep, history: VersionHistoryDep
) -> PagedModelVersions:
    """Returns who changed which settings of the model. Sorted by number; the newest first by default.

    The newest 200 are kept, fewer when their settings take more than 8 MiB.
    """
    return await history.page(access=access, model=model, page=page)


@router.get("/{version}")
async def get_model_version(
    model: ModelPath, version: VersionPath, access: Reader, history: VersionHistoryDep
) -> ModelVersionDetails:
    """Returns the version, and what restoring it would change now."""
    return await history.details(access=access, model=model, number=version)


@router.post("/{version}/restore")
async def restore_model_version(
    model: ModelPath, version: VersionPath, access: Writer, service: ModelServiceDep, reader: ModelReaderDep
) -> ModelInfoData:
    """Sets the settings to what they were after this version, as a change of the settings does.

    Hidden values, publication and prices stay as they are. A field that can no longer be set is refused.
    """
    changed = await service.restore(access=access, model=model, number=version)
    account = PathRef(id=access.account.account_id, name=None)
    return await reader.read(account=account, model=changed, viewer=Viewer.of_own_change(access.principal))
