from mlpcore.features.accounts.service import AccountService
from mlpcore.features.instances.errors import InstanceLimitExceeded
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.models.tables import Model


class InstanceLimits:
    """Limits of instances per account. A lock of the account's row makes concurrent requests count one by one."""

    def __init__(self, accounts: AccountService, instances: InstanceRepository) -> None:
        self._accounts = accounts
        self._instances = instances

    async def reserve(self, model: Model, count: int) -> None:
        """Locks the limit until the transaction ends. Raises InstanceLimitExceeded when `count` more exceed it."""
        platform = await self._accounts.lock_platform(account_id=model.account_id)
        derived = model.training_model_id is not None
        limit = platform.derived_model_instance_limit if derived else platform.base_model_instance_limit
        running = await self._instances.active_count(account_id=model.account_id, derived=derived)
        if count and running + count > limit:
            raise InstanceLimitExceeded(limit=str(limit), running=str(running))
