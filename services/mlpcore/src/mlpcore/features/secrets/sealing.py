"""The encrypted values of secrets."""

from mlpcore.features.secrets.tables import Secret
from mlplace_runtime.db.sealed import SealedColumn

SECRETS = SealedColumn(
    "secrets",
    Secret,
    key=Secret.secret_id,
    sealed=Secret.value_sealed,
    purpose=lambda secret: f"secret:{secret.account_id}:{secret.model_id}:{secret.name}",
    reads=(Secret.account_id, Secret.model_id, Secret.name),
)
