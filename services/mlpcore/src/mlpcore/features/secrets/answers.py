"""Implementations of the ports through which other features use secrets."""

from collections.abc import Mapping, Sequence

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model
from mlpcore.features.secrets.repository import SecretRepository
from mlpcore.features.secrets.sealing import SECRETS
from mlpcore.features.secrets.tables import WHOLE_ACCOUNT, Secret
from mlplace_kit.clock import Clock
from mlplace_runtime.secrets import UnreadableSecretError, Vault

log = structlog.get_logger(__name__)


class SecretsOfModels:
    """Implements ModelSecrets."""

    def __init__(self, session: AsyncSession, vault: Vault, clock: Clock) -> None:
        self._repository = SecretRepository(session)
        self._vault = vault
        self._clock = clock

    async def missing(self, *, account_id: int, model_id: int | None, names: frozenset[str]) -> frozenset[str]:
        if not names:
            return names
        found = await self._repository.usable(
            account_id=account_id, model_id=WHOLE_ACCOUNT if model_id is None else model_id, names=names
        )
        return names - {secret.name for secret in found}

    async def forget(self, *, account_id: int, model_id: int) -> None:
        await self._repository.delete_of_model(account_id=account_id, model_id=model_id)

    async def copy(self, *, account_id: int, source: int, target: int) -> None:
        for secret in await self._repository.of_model(account_id=account_id, model_id=source):
            value = SECRETS.read(secret, self._vault)
            twin = Secret(
                account_id=account_id, model_id=target, name=secret.name, version=1,
                created_at=self._clock.now(), created_by=secret.updated_by,
                updated_at=self._clock.now(), updated_by=secret.updated_by,
            )  # fmt: skip
            SECRETS.write(twin, value, self._vault)
            await self._repository.add(twin)


class SecretValues:
    """Decrypts the secrets with which instances start."""

    def __init__(self, session: AsyncSession, vault: Vault) -> None:
        self._repository = SecretRepository(session)
        self._vault = vault

    async def of_models(self, models: Sequence[Model]) -> Mapping[int, Mapping[str, str]]:
        """Returns, by model, the variables that refer to secrets with their values, in one query.

        Omits missing and unreadable secrets.
        """
        wanted = {(model.account_id, model.model_id) for model in models if model.secret_env}
        if not wanted:
            return {}
        found = {(s.account_id, s.model_id, s.name): s for s in await self._repository.of_models(wanted)}
        return {model.model_id: self._of_model(model, found) for model in models if model.secret_env}

    def _of_model(self, model: Model, found: Mapping[tuple[int, int, str], Secret]) -> dict[str, str]:
        values: dict[str, str] = {}
        for variable, name in model.secret_env.items():
            own = found.get((model.account_id, model.model_id, name))
            secret = own or found.get((model.account_id, WHOLE_ACCOUNT, name))
            if secret is None:
                continue  # somebody changed the model after it was read
            try:
                values[variable] = SECRETS.read(secret, self._vault)
            except UnreadableSecretError:
                # An unreadable secret of one account must not stop starts of other accounts on the server.
                log.error("secret_unreadable", account_id=model.account_id, number=secret.secret_id)  # noqa: TRY400
        return values
