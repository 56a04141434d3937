"""The task that shows people that instances are needed and cannot be had."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from mlpcore.features.instances.dependencies import instances_of, requests_of
from mlpcore.features.instances.failures import NoPlaceLeft
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.reasons import message_of
from mlpcore.features.tasks.kinds import Done, Outcome, Step, TaskKind, Turn, Wait
from mlpcore.features.tasks.service import NewTask, Tasks
from mlpcore.operations import Entity, EntityName, OperationType

NEED: Final = "autoscaling.need"
_POLL_SECONDS: Final = 3.0


class NeedTasks:
    """A model has one such task at a time."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    async def begin(self, model: Model, *, refusal: str | None = None) -> None:
        """`refusal`: what forbids more instances; the task fails with it. Without it, instances wait for a server."""
        await self._tasks.begin(
            NewTask(
                kind=NEED,
                operation=OperationType.NEED_SCALE_UP,
                entity=Entity(
                    EntityName.MODEL,
                    model.account_id,
                    model.display_name or model.name,
                    model_id=model.model_id,
                    group_name=model.resource_group,
                ),
                data={"refusal": refusal},
                slot=f"model-need:{model.model_id}",
            )
        )


class AwaitServers(Step):
    """Waits until no instance waits for a server, at most the model's start timeout."""

    name = "Waiting for room on servers"

    async def advance(self, turn: Turn) -> Outcome:
        if (refusal := turn.data.get("refusal")) is not None:
            raise NoPlaceLeft(reason=str(refusal))
        model = await requests_of(turn.session).model(turn.task.model_id or 0)
        if model is None or model.deleted_at is not None:
            return Done()
        found = await instances_of(turn.session).scaled(account_id=model.account_id, model_id=model.model_id)
        waiting = [instance for instance in found if instance.waiting_reason is not None]
        if not waiting:
            return Done()
        began = turn.task.started_at or turn.task.created_at
        if turn.state.clock.now() - began > timedelta(seconds=int(model.timeouts["podStartTimeoutSec"])):
            raise NoPlaceLeft(reason=_text(waiting))
        return Wait(0.0, _POLL_SECONDS)


KINDS = (TaskKind(NEED, {"await-servers": AwaitServers()}),)


def _text(waiting: Sequence[Instance]) -> str:
    first = waiting[0]
    why = message_of(first.waiting_details) or first.waiting_reason
    number = len(waiting)
    return f"{number} instance waits for a server: {why}" if number == 1 else f"{number} instances wait: {why}"
