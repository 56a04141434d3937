"""Tasks that show people the changes of instances. Tasks follow the work; the desired state causes it."""

from collections.abc import Sequence
from typing import Final

from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.tasks.service import NewTask, Tasks
from mlpcore.operations import Entity, EntityName, OperationType

START: Final = "instances.start"
STOP: Final = "instances.stop"
EXCHANGE_ALL: Final = "instances.exchange-all"
EXCHANGE_ONE: Final = "instances.exchange-one"
EXCHANGE_EVERYWHERE: Final = "instances.exchange-everywhere"


class InstanceTasks:
    """A model has one such task at a time: a new task replaces the previous one."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    async def hold(self, model_id: int) -> bool:
        """Locks the model's current task, which the next one replaces. Must be called before taking any other lock.

        Returns whether this task replaces the model's instances.
        """
        return any(task.kind == EXCHANGE_ALL for task in await self._tasks.hold(_slot(model_id)))

    async def started(self, model: Model, *, before: int, requested: int, woken: bool) -> None:
        first = OperationType.WAKE_UP if woken else OperationType.RUN
        await self._tasks.begin(
            NewTask(
                kind=START,
                operation=OperationType.SCALE_UP if before else first,
                entity=_of_model(model),
                data={"before": before, "requested": requested},
                slot=_slot(model.model_id),
            )
        )

    async def stopped(self, model: Model, instances: Sequence[int], *, removed: bool = False) -> None:
        """Begins a task that cannot be undone. `removed`: the model itself is being deleted."""
        await self._tasks.begin(
            NewTask(
                kind=STOP,
                operation=OperationType.REMOVE if removed else OperationType.SCALE_DOWN,
                entity=_of_model(model),
                data={"instances": list(instances)},
                interruptible=False,
                slot=_slot(model.model_id),
            )
        )

    async def stopped_one(self, model: Model, instance: Instance) -> None:
        await self._tasks.begin(
            NewTask(
                kind=STOP,
                operation=OperationType.REMOVE,
                entity=_of_instance(model, instance.instance_id),
                data={"instances": [instance.instance_id]},
                interruptible=False,
                slot=f"instance:{instance.instance_id}",
            )
        )

    async def evicted(self, model: Model, instance: Instance) -> None:
        await self._tasks.begin(
            NewTask(
                kind=STOP,
                operation=OperationType.EVICT,
                entity=_of_instance(model, instance.instance_id),
                data={"instances": [instance.instance_id]},
                interruptible=False,
                slot=f"instance:{instance.instance_id}",
            )
        )

    async def exchange(self, model: Model, instances: Sequence[Instance]) -> int:
        """Begins a task with one part per instance, each of which waits for the previous one. Returns its id."""
        whole = await self._tasks.begin(
            NewTask(
                kind=EXCHANGE_ALL, operation=OperationType.RELOAD, entity=_of_model(model), slot=_slot(model.model_id)
            )
        )
        before: list[int] = []
        for instance in instances:
            part = await self._tasks.begin(
                NewTask(
                    kind=EXCHANGE_ONE,
                    operation=OperationType.RELOAD,
                    entity=_of_instance(model, instance.instance_id),
                    data={"instance": instance.instance_id},
                    wait_for=before,
                ),
                parent=whole,
            )
            before = [part.task_id]
        return whole.task_id

    async def exchange_many(self, *, account_id: int, name: str, models: Sequence[int], slot: str) -> None:
        """Begins a task that begins the exchange of each model in a transaction of its own and waits for their ends.

        `name`: what people see of the models. The exchanges are tasks of the models' accounts, not parts of this one:
        so the owners of the models see them, too.
        """
        await self._tasks.begin(
            NewTask(
                kind=EXCHANGE_EVERYWHERE,
                operation=OperationType.RELOAD,
                entity=Entity(EntityName.ACCOUNT, account_id, name),
                data={"models": list(models), "of": len(models)},
                slot=slot,
            )
        )


def _slot(model_id: int) -> str:
    return f"model:{model_id}"


def _of_model(model: Model) -> Entity:
    name = EntityName.PROTOTYPE if model.prototype else EntityName.MODEL
    return Entity(name, model.account_id, model.display_name or model.name, model_id=model.model_id)


def _of_instance(model: Model, instance_id: int) -> Entity:
    return Entity(
        EntityName.INSTANCE,
        model.account_id,
        f"{model.display_name or model.name} #{instance_id}",
        model_id=model.model_id,
        instance_id=instance_id,
    )
