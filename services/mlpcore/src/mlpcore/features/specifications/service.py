from typing import Any

from mlpcore.features.models.documents.service import DocumentService
from mlpcore.features.models.reading.access import ReadableModels
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.specifications.library import NAMES, text_of
from mlpcore.features.specifications.openapi import ServicePlace, document_of
from mlplace_kit.errors import NotFound
from mlplace_kit.names import PathRef


class Specifications:
    def __init__(self, readable: ReadableModels, documents: DocumentService, server_url: str) -> None:
        self._readable = readable
        self._documents = documents
        self._server_url = server_url

    async def of_model(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> dict[str, Any]:
        """Raises ModelNotFound for a missing model and for one that the viewer may not see."""
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        descriptor = await self._documents.descriptor(account=account, model=model, viewer=viewer)
        found = row.model
        place = ServicePlace(
            account_id=found.account_id,
            model_id=found.model_id,
            title=found.display_name or found.name,
            description=found.short_description or "",
            task_type=found.task_type,
            version=str(found.version),
            server_url=self._server_url,
        )
        return document_of(place, descriptor)


def data_types(name: str) -> str:
    """Returns the text of a published file. Raises NotFound."""
    if name not in NAMES:
        raise NotFound(entity="specification")
    return text_of(name)
