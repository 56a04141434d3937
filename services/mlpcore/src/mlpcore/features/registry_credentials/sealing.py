"""The encrypted passwords of registry credentials."""

from mlpcore.features.registry_credentials.tables import RegistryCredential
from mlplace_runtime.db.sealed import SealedColumn

PASSWORDS = SealedColumn(
    "credentials of registries",
    RegistryCredential,
    key=RegistryCredential.credential_id,
    sealed=RegistryCredential.password_sealed,
    purpose=lambda credential: f"registry:{credential.account_id}:{credential.host}",
    reads=(RegistryCredential.account_id, RegistryCredential.host),
)
