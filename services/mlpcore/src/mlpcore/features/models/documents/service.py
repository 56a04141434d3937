"""The documents of a model: its description and the descriptor of its methods. Also reads settings, sets favourites."""

from mlpcore.features.models.documents.descriptors import EMPTY, read_descriptor
from mlpcore.features.models.reading.access import OwnedModels, ReadableModels
from mlpcore.features.models.reading.listing import ModelListing
from mlpcore.features.models.reading.presentation import billing_settings, public_settings
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import ModelBillingSettingsData, ModelPublicSettingsData, ServiceDescriptorData
from mlplace_kit.errors import ModelNotFound
from mlplace_kit.names import PathRef
from mlplace_runtime.web.policy import Access


class DocumentService:
    def __init__(self, repository: ModelRepository, listing: ModelListing) -> None:
        self._repository = repository
        self._owned = OwnedModels(repository)
        self._readable = ReadableModels(listing)

    async def simple_doc(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> str:
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        document = await self._repository.document(row.model.model_id)
        return (document.simple_doc if document else None) or ""

    async def set_simple_doc(self, *, access: Access, model: str, text: str) -> str:
        found = await self._owned.get(access, model)
        await self._repository.write_document(found.model_id, simple_doc=text)
        return text

    async def descriptor(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> ServiceDescriptorData:
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        document = await self._repository.document(row.model.model_id)
        if document is None or document.descriptor is None:
            return EMPTY.model_copy(update={"name": row.model.name, "fittable": row.model.fittable})
        return ServiceDescriptorData.model_validate(document.descriptor)

    async def set_descriptor(self, *, access: Access, model: str, data: ServiceDescriptorData) -> None:
        found = await self._owned.get(access, model)
        await self._write(found.model_id, data, from_instance=False)

    async def first_descriptor(self, *, account_id: int, model_id: int, text: str) -> None:
        """Stores the descriptor that an instance sent when it connected, unless the model has one already."""
        found = await self._repository.owned(account_id=account_id, ref=PathRef(id=model_id, name=None))
        data = read_descriptor(text)
        document = await self._repository.document(model_id)
        if found is not None and data is not None and (document is None or document.descriptor is None):
            await self._write(model_id, data, from_instance=True)

    async def publicity(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> ModelPublicSettingsData:
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        return public_settings(row.model, own=viewer.owns(row.model.account_id))

    async def billing(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> ModelBillingSettingsData:
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        return billing_settings(row.model)

    async def set_favorite(self, *, account: PathRef, model: PathRef, viewer: Viewer, favorite: bool) -> None:
        row = await self._readable.get(account=account, model=model, viewer=viewer)
        if viewer.caller is None:
            raise ModelNotFound
        await self._repository.set_favorite(caller=viewer.caller, model_id=row.model.model_id, favorite=favorite)

    async def _write(self, model_id: int, data: ServiceDescriptorData, *, from_instance: bool) -> None:
        stored = data.model_dump(mode="json", by_alias=True)
        await self._repository.write_document(model_id, descriptor=stored, from_instance=from_instance)
