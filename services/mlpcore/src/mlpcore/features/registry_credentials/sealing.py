from mlpcore.features.registry_credentials.tables import RegistryCredential
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import Vault


class PasswordSeal:
    """Binds an encrypted password to its account and registry: it cannot be decrypted in another row."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def write(self, credential: RegistryCredential, password: str) -> None:
        credential.password_sealed = self._vault.seal(password, purpose=_purpose(credential))

    def read(self, credential: RegistryCredential) -> str:
        """Raises UnreadableSecretError."""
        return self._vault.open(credential.password_sealed, purpose=_purpose(credential))


def _purpose(credential: RegistryCredential) -> str:
    return f"registry:{credential.account_id}:{credential.host}"


PASSWORDS = SealedColumn(
    "credentials of registries",
    RegistryCredential,
    key=RegistryCredential.credential_id,
    sealed=RegistryCredential.password_sealed,
    purpose=_purpose,
    reads=(RegistryCredential.account_id, RegistryCredential.host),
)
