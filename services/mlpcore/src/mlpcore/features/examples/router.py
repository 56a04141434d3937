from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.examples.repository import ExampleRepository
from mlpcore.features.examples.schemas import ExampleCreateData, ExampleData, ExampleUpdateData
from mlpcore.features.examples.service import ExampleService
from mlpcore.features.models.dependencies import OwnedModelsDep, ReadableModelsDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.paths import ModelPath, ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, AccountPath, Member, Public

router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}/example", tags=["example-endpoint"])
Visitor = Annotated[Access, Depends(Public())]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


def example_service(session: SessionDep, owned: OwnedModelsDep, readable: ReadableModelsDep) -> ExampleService:
    return ExampleService(ExampleRepository(session), owned, readable)


ServiceDep = Annotated[ExampleService, Depends(example_service)]


@router.get("")
async def list_examples(
    account: AccountPath, model: ModelPath, access: Visitor, service: ServiceDep
) -> list[ExampleData]:
    viewer = Viewer.of(access.principal)
    return await service.listed(account=parse_ref(account), model=parse_ref(model), viewer=viewer)


@router.post("")
async def create_example(model: ModelPath, body: ExampleCreateData, access: Writer, service: ServiceDep) -> ExampleData:
    return await service.create(access=access, model=model, data=body)


@router.post("/{exampleId}")
async def update_example(
    model: ModelPath,
    exampleId: ObjectId,  # noqa: N803  the name on the wire
    body: ExampleUpdateData,
    access: Writer,
    service: ServiceDep,
) -> ExampleData:
    return await service.update(access=access, model=model, example_id=exampleId, data=body)


@router.delete("/{exampleId}", response_class=Response)
async def delete_example(
    model: ModelPath,
    exampleId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: ServiceDep,
) -> Response:
    await service.delete(access=access, model=model, example_id=exampleId)
    return Response()
