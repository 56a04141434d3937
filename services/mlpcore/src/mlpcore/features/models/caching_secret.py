"""The address of a model's cache contains a password: it is stored encrypted and shown masked."""

import re

from mlpcore.features.models.cache_addresses import CACHES
from mlpcore.features.models.settings.blocks import ModelCachingData
from mlpcore.features.models.tables import Model
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
            if data.mongo_uri:
                CACHES.write(model, data.mongo_uri, self._vault)
            else:
                model.caching_uri_sealed = None
        model.caching = data.model_copy(update={"mongo_uri": masked}).model_dump(mode="json", by_alias=True)

    def reveal(self, model: Model) -> str | None:
        """Returns the address with its password; None when there is none."""
        if model.caching_uri_sealed is None:
            return None
        return CACHES.read(model, self._vault)


def mask(uri: str) -> str:
    return _PASSWORD.sub(rf"\1:{_MASK}@", uri)
