from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.specifications.dependencies import SpecificationsDep
from mlpcore.features.specifications.service import data_types
from mlpcore.paths import ModelPath
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Access, AccountPath, Public

router = APIRouter(tags=["specifications"])
Visitor = Annotated[Access, Depends(Public())]


@router.get("/api/mlpcore/account/{account}/model/{model}/api-specification")
async def get_api_specification(
    account: AccountPath, model: ModelPath, access: Visitor, service: SpecificationsDep
) -> dict[str, Any]:
    """Returns the model's calls as an OpenAPI 3.1 document."""
    return await service.of_model(
        account=parse_ref(account), model=parse_ref(model), viewer=Viewer.of(access.principal)
    )


async def _file(file: Annotated[str, Path(max_length=64)]) -> Response:
    return Response(data_types(file), media_type="application/yaml")


# The schema of the parsed YAML.
_AS_YAML: dict[int | str, dict[str, Any]] = {200: {"content": {"application/yaml": {"schema": {"type": "object"}}}}}
router.add_api_route(
    "/api/mlpcore/specs/{file}",
    _file,
    name="get_specification_file",
    dependencies=[Depends(Public())],
    response_class=Response,
    responses=_AS_YAML,
)
router.add_api_route(
    "/specs/{file}",
    _file,
    name="get_published_specification",
    dependencies=[Depends(Public())],
    response_class=Response,
    include_in_schema=False,
)
