from typing import Annotated

from fastapi import Depends

from mlpcore.features.models.dependencies import DocumentServiceDep
from mlpcore.features.models.reading.access import ReadableModels
from mlpcore.features.models.reading.listing import ModelListing
from mlpcore.features.specifications.service import Specifications
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def specifications(session: SessionDep, state: StateDep, documents: DocumentServiceDep) -> Specifications:
    return Specifications(ReadableModels(ModelListing(session)), documents, state.settings.public_rest_url)


SpecificationsDep = Annotated[Specifications, Depends(specifications)]
