from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlpcore.features.models.cloning import CloneRequest
from mlpcore.features.models.dependencies import ModelClonerDep, ModelReaderDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.schemas import ModelInfoData
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.names import PathRef, parse_ref
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, AccountPath, InSelectedAccount

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["model-endpoint"])


def clone_request(
    *,
    name: Annotated[StoredText, Query(max_length=64)],
    display_name: Annotated[StoredText | None, Query(alias="displayName", max_length=256)] = None,
    display_author: Annotated[StoredText | None, Query(alias="displayAuthor", max_length=256)] = None,
    auto_start: Annotated[bool, Query(alias="autoStart")] = False,
    template_id: Annotated[int | None, Query(alias="templateId", ge=1, lt=2**63)] = None,
) -> CloneRequest:
    return CloneRequest(name, display_name, display_author, auto_start, template_id)


@router.post("/model/{model}/clone")
async def create_cloned_model(
    account: AccountPath,
    model: ModelPath,
    access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.WRITE))],
    wanted: Annotated[CloneRequest, Depends(clone_request)],
    cloner: ModelClonerDep,
    reader: ModelReaderDep,
) -> ModelInfoData:
    """Clones the model that `account` and `model` name. The clone belongs to the selected account."""
    made = await cloner.clone(access=access, account=parse_ref(account), model=parse_ref(model), wanted=wanted)
    own = PathRef(id=access.account.account_id, name=None)
    return await reader.read(account=own, model=made, viewer=Viewer.of_own_change(access.principal))
