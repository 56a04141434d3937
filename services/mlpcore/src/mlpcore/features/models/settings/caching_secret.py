"""The address of a model's cache contains a password: it is stored encrypted and shown masked."""

import re

from mlpcore.features.models.settings.blocks import ModelCachingData
from mlpcore.features.models.tables import Model
from mlplace_contracts.events import ModelCaching
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.secrets import Vault

_PASSWORD = re.compile(r"(?<=://)([^:@/]*):(.*)@")
_MASK = "***"


class CachingSecret:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def write(self, model: Model, data: ModelCachingData, *, kept: str) -> None:
        """Stores the address encrypted. `kept`: the masked stored address; when a client sends it, nothing changes.

        Raises ValidationFailed for any other masked address.
        """
        masked = mask(data.mongo_uri)
        if data.mongo_uri != kept or model.caching_uri_sealed is None:
            if f":{_MASK}@" in data.mongo_uri:
                raise ValidationFailed({"caching.mongoUri": broken("password_needed")})
            model.caching_uri_sealed = self._seal(model.account_id, data.mongo_uri)
        model.caching = data.model_copy(update={"mongo_uri": masked}).model_dump(mode="json", by_alias=True)

    def reveal(self, model: Model) -> str | None:
        """Returns the address with its password; None when there is none."""
        if model.caching_uri_sealed is None:
            return None
        return self._vault.open(model.caching_uri_sealed, purpose=ModelCaching.purpose(model.account_id))

    def _seal(self, account_id: int, uri: str) -> bytes | None:
        return self._vault.seal(uri, purpose=ModelCaching.purpose(account_id)) if uri else None


def mask(uri: str) -> str:
    return _PASSWORD.sub(rf"\1:{_MASK}@", uri)
