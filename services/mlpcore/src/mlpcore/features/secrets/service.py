"""Named secrets of an account or of one model. Values are stored encrypted and decrypted only to start or copy."""

from collections.abc import Sequence

import structlog

from mlpcore.errors import in_use_by_services
from mlpcore.features.accounts.service import AccountService
from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.tables import Model
from mlpcore.features.secrets.errors import TooManySecrets
from mlpcore.features.secrets.repository import SecretRepository
from mlpcore.features.secrets.schemas import SecretCreateData, SecretData, SecretReplaceData, SecretUseData
from mlpcore.features.secrets.sealing import SECRETS
from mlpcore.features.secrets.tables import WHOLE_ACCOUNT, Secret
from mlplace_kit.clock import Clock
from mlplace_kit.denials import LimitedToServices
from mlplace_kit.errors import NotFound
from mlplace_runtime.secrets import Vault
from mlplace_runtime.web.policy import Access

log = structlog.get_logger(__name__)


class SecretService:
    def __init__(
        self,
        *,
        repository: SecretRepository,
        models: OwnedModels,
        accounts: AccountService,
        vault: Vault,
        clock: Clock,
        most: int,
    ) -> None:
        self._repository = repository
        self._models = models
        self._accounts = accounts
        self._vault = vault
        self._clock = clock
        self._most = most

    async def listed(self, *, access: Access) -> list[SecretData]:
        """Returns the account's secrets. A key that is limited to some models sees only their secrets."""
        account_id = access.account.account_id
        found = [s for s in await self._repository.of_account(account_id) if _may_touch(access, s.model_id)]
        return await self._shown(account_id, found)

    async def create(self, *, access: Access, data: SecretCreateData) -> SecretData:
        """Raises NameAlreadyExists, ModelNotFound, TooManySecrets."""
        account_id, now = access.account.account_id, self._clock.now()
        model_id = WHOLE_ACCOUNT if data.model_id is None else data.model_id
        if not _may_touch(access, model_id):
            raise LimitedToServices
        if model_id != WHOLE_ACCOUNT:
            await self._models.get(access, str(model_id), lock=True)
        await self._accounts.lock_platform(account_id=account_id)
        if await self._repository.count(account_id) >= self._most:
            raise TooManySecrets(limit=str(self._most))
        author = access.principal.author
        secret = Secret(
            account_id=account_id, model_id=model_id, name=data.name, version=1,
            created_at=now, created_by=author, updated_at=now, updated_by=author,
        )  # fmt: skip
        SECRETS.write(secret, data.value.get_secret_value(), self._vault)
        await self._repository.add(secret)
        self._note("secret_created", secret)
        return await self._one_shown(secret)

    async def replace(self, *, access: Access, secret_id: int, data: SecretReplaceData) -> SecretData:
        """Replaces the value. Running instances keep the old one. Raises NotFound, AccessDenied."""
        secret = await self._existing(access, secret_id)
        SECRETS.write(secret, data.value.get_secret_value(), self._vault)
        secret.version += 1
        secret.updated_at, secret.updated_by = self._clock.now(), access.principal.author
        await self._repository.flush()
        self._note("secret_replaced", secret)
        return await self._one_shown(secret)

    async def delete(self, *, access: Access, secret_id: int) -> None:
        """Raises NotFound, AccessDenied, and InUse while a model refers to the secret."""
        secret = await self._existing(access, secret_id)
        users = (await self._one_shown(secret)).used_by
        if users:
            raise in_use_by_services("the secret", [user.model_name for user in users])
        await self._repository.delete(secret)
        self._note("secret_deleted", secret)

    async def _existing(self, access: Access, secret_id: int) -> Secret:
        secret = await self._repository.lock(account_id=access.account.account_id, secret_id=secret_id)
        if secret is None:
            raise NotFound(entity="secret")
        if not _may_touch(access, secret.model_id):
            raise LimitedToServices
        return secret

    async def _one_shown(self, secret: Secret) -> SecretData:
        return (await self._shown(secret.account_id, [secret]))[0]

    async def _shown(self, account_id: int, secrets: Sequence[Secret]) -> list[SecretData]:
        everything = await self._repository.of_account(account_id)
        users = await self._repository.users(account_id)
        names = await self._repository.model_names(account_id, {secret.model_id for secret in secrets})
        own = {(secret.model_id, secret.name) for secret in everything}
        return [_shown(secret, names.get(secret.model_id), users, own) for secret in secrets]

    def _note(self, event: str, secret: Secret) -> None:
        log.info(event, account_id=secret.account_id, model_id=secret.model_id, number=secret.secret_id)


def _shown(secret: Secret, model_name: str | None, users: Sequence[Model], own: set[tuple[int, str]]) -> SecretData:
    """Returns the secret with its users. A model's own secret hides the account's secret of the same name."""
    reached = [
        model
        for model in users
        if model.model_id == secret.model_id
        or (secret.model_id == WHOLE_ACCOUNT and (model.model_id, secret.name) not in own)
    ]
    return SecretData(
        secret_id=secret.secret_id,
        name=secret.name,
        model_id=secret.model_id or None,
        model_name=model_name,
        version=secret.version,
        created_at=secret.created_at,
        created_by=secret.created_by,
        updated_at=secret.updated_at,
        updated_by=secret.updated_by,
        used_by=[
            SecretUseData(model_id=model.model_id, model_name=model.name, variables=variables)
            for model in reached
            if (variables := sorted(name for name, used in model.secret_env.items() if used == secret.name))
        ],
    )


def _may_touch(access: Access, model_id: int) -> bool:
    allowed = access.principal.allowed_models
    return allowed is None or model_id in allowed
