"""The task that moves services to other resource groups: one service per turn, and its instances after it."""

from typing import Any

from mlpcore.features.group_administration.migration import MIGRATE
from mlpcore.features.group_administration.repository import GroupAdministrationRepository
from mlpcore.features.instances.task_steps import begin_exchange
from mlpcore.features.models.dependencies import model_mover_of
from mlpcore.features.models.tables import Model
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.schemas import NotificationText, NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.tasks.errors import TaskFailed
from mlpcore.features.tasks.kinds import Done, Outcome, Step, TaskKind, Turn, Wait
from mlpcore.features.tasks.states import OVER, JobStatus
from mlpcore.features.tasks.steps import EachBegun
from mlpcore.operations import Entity, EntityName, OperationType

_SECONDS = 2.0


class TargetGroupClosed(TaskFailed):
    code = "mlp.core.task_target_group_closed"
    message = "the group that services move to does not take them any more"


class MoveServices(Step):
    """Puts each service into its new group, and begins to replace its instances with some in that group.

    `left`: model and group of those that have not moved yet; `moved`: model, previous group and its name.
    """

    name = "Moving services"

    async def advance(self, turn: Turn) -> Outcome:
        left: list[list[int]] = list(turn.data["left"])
        if not left:
            return Done()
        model_id, group_id = left.pop(0)
        found = await GroupAdministrationRepository(turn.session).lock_model(model_id)
        if found is not None and found[1] == turn.data["source"]:
            model = found[0]
            target = await model_mover_of(turn.session, turn.state).group(model, group_id)
            if target is None:
                raise TargetGroupClosed
            before = [model.model_id, model.resource_group_id, model.resource_group]
            turn.data["moved"] = [*turn.data.get("moved", ()), before]
            await _put(turn, model, target.group_id, target.name)
            await self._tell(turn, model, target)
        turn.data["left"] = left
        return Wait(1 - len(left) / int(turn.data["of"]), 0.0)

    async def revert(self, turn: Turn) -> Outcome:
        """Moves the services back: after a stop, and when not all of them could move.

        Services that have moved stay when only their instances could not be replaced.
        """
        if not turn.task.interrupted and not turn.data["left"]:
            return Done()
        moved: list[list[Any]] = list(turn.data.get("moved", ()))
        if moved:
            model_id, group_id, name = moved.pop()
            found = await GroupAdministrationRepository(turn.session).lock_model(model_id)
            mover = model_mover_of(turn.session, turn.state)
            if found is not None and (group_id is None or await mover.group(found[0], group_id)):
                await _put(turn, found[0], group_id, name)
            turn.data["moved"] = moved
            return Wait(0.0, 0.0)
        begun = await turn.tasks.by_ids(turn.data.get("begun", ()))
        return Done() if all(JobStatus(task.status) in OVER for task in begun) else Wait(0.0, _SECONDS)

    @staticmethod
    async def _tell(turn: Turn, model: Model, target: ResourceGroup) -> None:
        """Notifies each account once."""
        entity = Entity(
            EntityName.RESOURCE_GROUP,
            model.account_id,
            target.name,
            group_owner_id=target.account_id,
            group_name=target.name,
        )
        await notifier_of(turn.session, turn.state.clock).notify(
            [model.account_id],
            NewNotification(
                NotificationType.PIPELINE_OPERATION,
                Severity.INFO,
                f"The team moves your services to the resource group {target.name}",
                operation=OperationType.SET_CORRECT_GROUP,
                entity=entity,
                occasion=f"migrate-group:{turn.task.task_id}",
                text_key=NotificationText.SERVICES_MOVED,
                text_args={"group": target.name},
            ),
        )


async def _put(turn: Turn, model: Model, group_id: int | None, name: str | None) -> None:
    """Gives a locked model its group, and begins to replace the instances that run elsewhere."""
    await model_mover_of(turn.session, turn.state).move(model, group_id, name)
    if await GroupAdministrationRepository(turn.session).runs_elsewhere(model.model_id):
        await begin_exchange(turn, model)


KINDS = (TaskKind(MIGRATE, {"move-services": MoveServices(), "each-begun": EachBegun()}),)
