"""The implementation of the port through which the protocol with agents gets credentials of registries."""

from collections.abc import Collection, Mapping

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.registry_credentials.repository import RegistryCredentialRepository
from mlpcore.features.registry_credentials.sealing import PASSWORDS
from mlplace_contracts.internal.hosting import RegistryLogin
from mlplace_runtime.secrets import UnreadableSecretError, Vault

log = structlog.get_logger(__name__)


class RegistryLogins:
    """Implements StartLogins."""

    def __init__(self, session: AsyncSession, vault: Vault) -> None:
        self._repository = RegistryCredentialRepository(session)
        self._vault = vault

    async def of_accounts(self, account_ids: Collection[int]) -> Mapping[tuple[int, str], RegistryLogin]:
        """Returns credentials by account and host of the registry. Omits unreadable ones."""
        if not account_ids:
            return {}
        found: dict[tuple[int, str], RegistryLogin] = {}
        for each in await self._repository.of_accounts(account_ids):
            try:
                password = PASSWORDS.read(each, self._vault)
            except UnreadableSecretError:
                # Unreadable credentials of one account must not stop starts of other accounts on the server.
                log.error("registry_credential_unreadable", account_id=each.account_id, number=each.credential_id)  # noqa: TRY400
                continue
            login = RegistryLogin(host=each.host, username=each.username, password=password)
            found[each.account_id, each.host] = login
        return found
