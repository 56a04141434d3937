from mlpcore.features.secrets.tables import Secret
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import Vault


class SecretSeal:
    """Binds an encrypted value to its row: it cannot be decrypted in the row of another secret."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def write(self, secret: Secret, value: str) -> None:
        secret.value_sealed = self._vault.seal(value, purpose=_purpose(secret))

    def read(self, secret: Secret) -> str:
        """Raises UnreadableSecretError."""
        return self._vault.open(secret.value_sealed, purpose=_purpose(secret))


def _purpose(secret: Secret) -> str:
    return f"secret:{secret.account_id}:{secret.model_id}:{secret.name}"


SECRETS = SealedColumn(
    "secrets",
    Secret,
    key=Secret.secret_id,
    sealed=Secret.value_sealed,
    purpose=_purpose,
    reads=(Secret.account_id, Secret.model_id, Secret.name),
)
