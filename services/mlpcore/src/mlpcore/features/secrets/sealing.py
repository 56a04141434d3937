"""The encrypted values of secrets."""

from mlpcore.features.secrets.tables import Secret
from mlplace_runtime.db.sealed import SealedColumn

SECRETS = SealedColumn(
    "secrets",
    Secret,
    key=Secret.secret_id,
    sealed=Secret.value_sealed,
    purpose="secret:{account_id}:{model_id}:{name}",
)
