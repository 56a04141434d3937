"""Begins to replace instances by ones that have the current configuration, as tasks of one model each."""

from collections.abc import Sequence
from hashlib import sha256

from mlpcore.features.instances.replacement.exchange_repository import ExchangeRepository
from mlpcore.features.instances.scheduling.convergence import Convergence
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.tables import Model


def _digest(models: Sequence[int]) -> str:
    """A name of limited length for these models: a key may be limited to hundreds."""
    return sha256(",".join(map(str, models)).encode()).hexdigest()[:32]


class Exchanging:
    def __init__(self, exchanges: ExchangeRepository, convergence: Convergence, tasks: InstanceTasks) -> None:
        self._exchanges = exchanges
        self._convergence = convergence
        self._tasks = tasks

    async def exchange_all(self, model: Model) -> int:
        """Begins to replace every instance on servers with one that has the current configuration.

        Returns the id of the task that does it.
        """
        await self._tasks.hold(model.model_id)
        await self._convergence.lock(model)
        return await self._tasks.exchange(model, await self._convergence.active(model))

    async def exchange_everywhere(self, *, account_id: int, account_name: str, only_kubernetes: bool) -> int:
        """Begins to replace the instances of all accounts, as a task of this account. Returns the number of models."""
        models = () if only_kubernetes else await self._exchanges.models_with_instances()
        if models:  # a task of none would end one that replaces instances now
            await self._tasks.exchange_many(
                account_id=account_id, name=account_name, models=models, slot="exchange-everywhere"
            )
        return len(models)

    async def exchange_image(
        self, *, account_id: int, image_id: int, image_name: str, only: frozenset[int] | None
    ) -> int:
        """Begins to replace the instances of the account's models with this image. Returns the number of models.

        `only`: of these models; None: of all.
        """
        found = await self._exchanges.models_with_image(account_id=account_id, image_id=image_id)
        models = [number for number in found if only is None or number in only]
        # A restart of some models must not replace the task that restarts others.
        slot = f"image:{image_id}" if only is None else f"image:{image_id}:{_digest(models)}"
        await self._tasks.exchange_many(account_id=account_id, name=image_name, models=models, slot=slot)
        return len(models)
