"""The encrypted passwords of registry credentials."""

from mlpcore.features.registry_credentials.tables import RegistryCredential
from mlplace_runtime.db.sealed import SealedColumn

PASSWORDS = SealedColumn(
    "credentials of registries",
    RegistryCredential,
    key=RegistryCredential.credential_id,
    sealed=RegistryCredential.password_sealed,
    purpose="registry:{account_id}:{host}",
)
