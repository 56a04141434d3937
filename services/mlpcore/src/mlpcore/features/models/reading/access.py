"""Finds the model of a request and checks whether the caller may read or change it."""

from mlpcore.features.models.reading.listing import ModelListing, ModelRow
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.tables import Model
from mlplace_kit.errors import AccessDenied, ModelNotFound
from mlplace_kit.names import PathRef, parse_ref
from mlplace_runtime.web.policy import Access


class OwnedModels:
    """Models of the account that the caller acts in. Other features resolve `{account}` and `{model}` with it."""

    def __init__(self, repository: ModelRepository) -> None:
        self._repository = repository

    async def get(self, access: Access, model: str, *, lock: bool = False) -> Model:
        """Raises ModelNotFound, and AccessDenied for a key that is limited to other models."""
        ref = parse_ref(model)
        found = await self._repository.owned(account_id=access.account.account_id, ref=ref, lock=lock)
        if found is None:
            raise ModelNotFound
        if not Viewer.of(access.principal).may_touch(found.model_id):
            raise AccessDenied
        return found

    def advance(self, model: Model) -> None:
        """Raises the version of a model that the caller has locked, before an event about a part of the model."""
        model.version += 1


class ReadableModels:
    """Models that the caller may see: their own, public ones, and those that allow one of their accounts."""

    def __init__(self, listing: ModelListing) -> None:
        self._listing = listing

    async def get(self, *, account: PathRef, model: PathRef, viewer: Viewer) -> ModelRow:
        """Raises ModelNotFound for a missing model and for one that the viewer may not see."""
        row = await self._listing.find(account=account, model=model, viewer=viewer)
        if row is None or not is_visible(row.model, viewer):
            raise ModelNotFound
        return row


def is_visible(model: Model, viewer: Viewer) -> bool:
    if not viewer.may_touch(model.model_id):
        return False
    return viewer.owns(model.account_id) or model.is_public or not viewer.accounts.isdisjoint(model.allowed_accounts)
