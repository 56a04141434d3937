"""Finds the model of a request and checks whether the caller may read or change it."""

from mlpcore.features.models.reading.listing import ModelListing, ModelRow
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.tables import Model
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.denials import LimitedToServices
from mlplace_kit.errors import AccessDenied, AccountAccessDenied, ModelNotFound
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
            raise LimitedToServices
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


class TestableModels:
    """Models that the caller may have started: those of their accounts, and those whose owner lets others test them."""

    def __init__(self, readable: ReadableModels) -> None:
        self._readable = readable

    async def get(self, access: Access, *, account: PathRef, model: PathRef, own: KeyPermission) -> tuple[Model, bool]:
        """Returns the model, and whether the caller has this permission in its account.

        Others get the same answer for a model that does not exist, that they may not see and that they may not test.
        Raises ModelNotFound, AccessDenied, AccountAccessDenied.
        """
        principal = access.principal
        grant = principal.grant_for(account)
        inside = principal.superadmin or grant is not None
        try:
            found = (await self._readable.get(account=account, model=model, viewer=Viewer.of(principal))).model
        except ModelNotFound:
            if inside:
                raise
            raise AccountAccessDenied from None
        # The grant is found by the name that the account had when its identity was read.
        owned = grant is not None and grant.account_id == found.account_id and own in grant.permissions
        if principal.superadmin or owned:
            return found, True
        if not found.public_testing_allowed:
            raise AccessDenied if inside else AccountAccessDenied
        return found, False


def is_visible(model: Model, viewer: Viewer) -> bool:
    if not viewer.may_touch(model.model_id):
        return False
    return viewer.owns(model.account_id) or model.is_public or not viewer.accounts.isdisjoint(model.allowed_accounts)
