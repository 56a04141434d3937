"""Web applications of models: access checks and passes."""

from mlpcore.features.models.reading.reader import ModelReader
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.schemas import ModelInfoData
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.denials import PermissionMissing
from mlplace_kit.errors import AccountNotSelected, ModelNotFound, NotAuthorized
from mlplace_kit.names import PathRef
from mlplace_kit.passes import PagePass
from mlplace_runtime.auth.principal import Principal, PrincipalKind

_RUNNING = "RUNNING"


class ApplicationService:
    def __init__(self, reader: ModelReader, hasher: KeyedHasher, clock: Clock) -> None:
        self._reader = reader
        self._hasher = hasher
        self._clock = clock

    async def is_alive(self, *, account: PathRef, application: PathRef, principal: Principal) -> bool:
        """Raises ModelNotFound."""
        return (await self._page(account, application, principal)).state == _RUNNING

    async def token(self, *, account: PathRef, application: PathRef, principal: Principal) -> str:
        """Returns a pass for one hour. Raises AccountNotSelected, AccessDenied, ModelNotFound."""
        model = await self._page(account, application, principal)
        found = PagePass.until(
            self._clock.now(),
            account_id=_caller(principal),
            owner_id=model.id.account_id,
            model_id=model.id.model_id,
        )
        return found.signed(self._hasher)

    async def visitor(self, *, account: PathRef, application: PathRef, principal: Principal, given: str | None) -> int:
        """Returns the caller's account, from a pass for this model, else from the caller's session or key.

        A pass counts only when the path names account and model by id. Raises NotAuthorized, AccountNotSelected,
        AccessDenied, ModelNotFound.
        """
        found = PagePass.read(given or "", self._hasher, self._clock.now())
        if found is not None and _names(found, account, application):
            return found.account_id
        if principal.kind is PrincipalKind.ANONYMOUS:
            raise NotAuthorized
        await self._page(account, application, principal)
        return _caller(principal)

    async def _page(self, account: PathRef, application: PathRef, principal: Principal) -> ModelInfoData:
        model = await self._reader.read(account=account, model=application, viewer=Viewer.of(principal))
        if not model.http_settings.is_http_enabled:
            raise ModelNotFound
        return model


def _names(found: PagePass, account: PathRef, application: PathRef) -> bool:
    return (account.id, application.id) == (found.owner_id, found.model_id)


def _caller(principal: Principal) -> int:
    if principal.selected is None:
        raise AccountNotSelected
    if KeyPermission.PREDICT not in principal.selected.permissions:
        raise PermissionMissing(permission=KeyPermission.PREDICT.value)
    return principal.selected.account_id
