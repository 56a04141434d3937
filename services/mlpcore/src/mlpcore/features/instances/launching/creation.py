"""Creates instances and their connection tokens. A token is stored hashed, for lookups, and encrypted, to show it."""

from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.states import Hosting, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlplace_contracts.enums import InstancePurpose
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.secrets import Vault


class InstanceFactory:
    def __init__(
        self, instances: InstanceRepository, lifecycle: Lifecycle, hasher: KeyedHasher, vault: Vault, clock: Clock
    ) -> None:
        self._instances = instances
        self._lifecycle = lifecycle
        self._hasher = hasher
        self._vault = vault
        self._clock = clock

    async def create(
        self,
        model: Model,
        hosting: Hosting,
        *,
        purpose: InstancePurpose = InstancePurpose.SERVE,
        http_host: str | None = None,
        http_port: int | None = None,
    ) -> Instance:
        now = self._clock.now()
        token = new_credential(account_id=model.account_id, object_id=model.model_id).text
        instance = Instance(
            account_id=model.account_id,
            model_id=model.model_id,
            hosting=hosting.value,
            purpose=purpose.value,
            state=InstanceState.IDLE.value,
            generation=1,
            version=1,
            derived=model.training_model_id is not None,
            token_hash=self._hasher.digest(token),
            http_host=http_host,
            http_port=http_port,
            http_trusted=False,
            created_at=now,
            state_changed_at=now,
            start_requested_at=now,
            force_stop=False,
            restart_count=0,
        )
        TOKENS.write(instance, token, self._vault)
        await self._instances.add(instance)
        await self._lifecycle.born(instance)
        return instance

    def token_of(self, instance: Instance) -> str:
        return TOKENS.read(instance, self._vault)


TOKENS = SealedColumn(
    "tokens of instances",
    Instance,
    key=Instance.instance_id,
    sealed=Instance.token_sealed,
    purpose="instance-token:{token_hash}",
    unused=Instance.state == InstanceState.DELETED.value,
)
