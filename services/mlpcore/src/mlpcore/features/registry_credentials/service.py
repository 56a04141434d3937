"""User names and passwords with which agents pull an account's images from private registries."""

import structlog

from mlpcore.features.registry_credentials.errors import TooManyRegistryCredentials
from mlpcore.features.registry_credentials.repository import RegistryCredentialRepository
from mlpcore.features.registry_credentials.schemas import (
    RegistryCredentialCreateData,
    RegistryCredentialData,
    RegistryCredentialReplaceData,
)
from mlpcore.features.registry_credentials.sealing import PASSWORDS
from mlpcore.features.registry_credentials.tables import RegistryCredential
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NameAlreadyExists, NotFound
from mlplace_runtime.secrets import Vault
from mlplace_runtime.web.policy import Access

log = structlog.get_logger(__name__)


class RegistryCredentialService:
    def __init__(self, *, repository: RegistryCredentialRepository, vault: Vault, clock: Clock, most: int) -> None:
        """`most`: registries of which an account may have credentials."""
        self._repository = repository
        self._vault = vault
        self._clock = clock
        self._most = most

    async def listed(self, *, access: Access) -> list[RegistryCredentialData]:
        return [_shown(found) for found in await self._repository.of_account(access.account.account_id)]

    async def create(self, *, access: Access, data: RegistryCredentialCreateData) -> RegistryCredentialData:
        """Raises NameAlreadyExists, TooManyRegistryCredentials."""
        account_id, now, author = access.account.account_id, self._clock.now(), access.principal.author
        await self._repository.hold(account_id)
        hosts = [found.host for found in await self._repository.of_account(account_id)]
        if data.host in hosts:
            raise NameAlreadyExists(entity="a registry credential", name=data.host)
        if len(hosts) >= self._most:
            raise TooManyRegistryCredentials(limit=str(self._most), used=str(len(hosts)))
        credential = RegistryCredential(
            account_id=account_id, host=data.host, username=data.username, version=1,
            created_at=now, created_by=author, updated_at=now, updated_by=author,
        )  # fmt: skip
        PASSWORDS.write(credential, data.password.get_secret_value(), self._vault)
        await self._repository.add(credential)
        self._note("registry_credential_created", credential)
        return _shown(credential)

    async def replace(
        self, *, access: Access, credential_id: int, data: RegistryCredentialReplaceData
    ) -> RegistryCredentialData:
        """Raises NotFound."""
        credential = await self._existing(access, credential_id)
        PASSWORDS.write(credential, data.password.get_secret_value(), self._vault)
        credential.username = data.username
        credential.version += 1
        credential.updated_at, credential.updated_by = self._clock.now(), access.principal.author
        await self._repository.flush()
        self._note("registry_credential_replaced", credential)
        return _shown(credential)

    async def delete(self, *, access: Access, credential_id: int) -> None:
        """Raises NotFound."""
        credential = await self._existing(access, credential_id)
        await self._repository.delete(credential)
        self._note("registry_credential_deleted", credential)

    async def _existing(self, access: Access, credential_id: int) -> RegistryCredential:
        account_id = access.account.account_id
        credential = await self._repository.lock(account_id=account_id, credential_id=credential_id)
        if credential is None:
            raise NotFound(entity="registry credential")
        return credential

    def _note(self, event: str, credential: RegistryCredential) -> None:
        log.info(event, account_id=credential.account_id, number=credential.credential_id)


def _shown(credential: RegistryCredential) -> RegistryCredentialData:
    return RegistryCredentialData(
        credential_id=credential.credential_id,
        host=credential.host,
        username=credential.username,
        version=credential.version,
        created_at=credential.created_at,
        created_by=credential.created_by,
        updated_at=credential.updated_at,
        updated_by=credential.updated_by,
    )
