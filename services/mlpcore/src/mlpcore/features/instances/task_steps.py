"""Steps of tasks about instances. They watch the states of instances, which other parts of the feature change."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from mlpcore.features.instances.dependencies import (
    convergence_of,
    exchanging_of,
    lifecycle_of,
    replacing_of,
    scaling_of,
)
from mlpcore.features.instances.failures import (
    InstanceFailed,
    InstanceNotConnected,
    InstanceNotPlaced,
    InstanceStopped,
    ServiceDeleted,
)
from mlpcore.features.instances.replacement.handover import Cause
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.states import LEAVING, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.instances.tasks import EXCHANGE_ALL, EXCHANGE_EVERYWHERE, EXCHANGE_ONE, START, STOP
from mlpcore.features.models.tables import Model
from mlpcore.features.tasks.kinds import Done, Outcome, Step, TaskKind, Turn, Wait
from mlpcore.features.tasks.steps import AllParts, EachBegun, stop_begun
from mlplace_contracts.internal.hosting import ReportedPhase

_STARTED = {
    InstanceState.IDLE: 0.0,
    InstanceState.SCHEDULED: 0.5,
    InstanceState.FAILED: 0.5,
    InstanceState.STARTED: 1.0,
}
_STOPPED = {InstanceState.REMOVING: 0.5, InstanceState.DELETED: 1.0}
_HOPELESS_RESTARTS = 2
"""A task fails when a failed instance has restarted this often; the server keeps trying."""
_POLL_SECONDS = 3.0


class AwaitConnected(Step):
    """Waits until the requested number of instances is connected, at most the model's start timeout."""

    name = "Starting instances"

    async def advance(self, turn: Turn) -> Outcome:
        model = await _model(turn)
        found = await InstanceRepository(turn.session).scaled(account_id=model.account_id, model_id=model.model_id)
        active = [instance for instance in found if InstanceState(instance.state) not in LEAVING]
        wanted = int(turn.data["requested"])
        if sum(instance.state == InstanceState.STARTED for instance in active) >= wanted:
            return Done()
        _check(active, model, turn)
        return Wait(sum(_STARTED[InstanceState(i.state)] for i in active[:wanted]) / wanted)

    async def revert(self, turn: Turn) -> Outcome:
        """Takes back the request when the task was stopped. After a failure the instances stay for inspection."""
        if turn.task.interrupted and (model := await _find_model(turn)) is not None:
            await scaling_of(turn.session, turn.state).restore(
                model, added=int(turn.data["requested"]) - int(turn.data["before"])
            )
        return Done()


class AwaitGone(Step):
    """Waits until the instances have finished their calls and ended."""

    name = "Stopping instances"

    async def advance(self, turn: Turn) -> Outcome:
        found = await _named(turn, turn.data["instances"])
        reached = sum(_STOPPED.get(InstanceState(instance.state), 0.0) for instance in found)
        if reached >= len(found):
            return Done()
        return Wait(reached / len(found), _POLL_SECONDS)


class StartReplacement(Step):
    """Begins to replace one instance. Without room for both, a later step ends the old one first."""

    name = "Starting a replacement"

    async def advance(self, turn: Turn) -> Outcome:
        model = await _model(turn)
        old = await _old(turn)
        turn.data["gone"] = old is None or InstanceState(old.state) in LEAVING
        if not turn.data["gone"]:
            replacing = replacing_of(turn.session, turn.state)
            turn.data["replacement"] = await replacing.start_beside(model, int(turn.data["instance"]))
        return Done()

    async def revert(self, turn: Turn) -> Outcome:
        """Removes the replacement, unless the old instance is already being removed."""
        model = await _find_model(turn)
        if model is None:
            return Done()
        await convergence_of(turn.session, turn.state).lock(model)
        old = await _old(turn)
        if turn.data.get("replacement") and old is not None and InstanceState(old.state) not in LEAVING:
            await _remove(turn, int(turn.data["replacement"]), "The replacement was stopped")
        await replacing_of(turn.session, turn.state).end_surge(model)
        return Done()


class AwaitReplacement(Step):
    name = "Waiting for the replacement"

    async def advance(self, turn: Turn) -> Outcome:
        number = turn.data.get("replacement")
        if turn.data["gone"] or number is None:
            return Done()
        (replacement,) = await _named(turn, [number]) or (None,)
        if replacement is None or InstanceState(replacement.state) in LEAVING:
            raise InstanceStopped(instance=str(number))
        if await replacing_of(turn.session, turn.state).takes_over(replacement, await _old(turn)):
            return Done()
        _check([replacement], await _model(turn), turn, began=await self._began(turn, replacement))
        return Wait(_STARTED[InstanceState(replacement.state)])

    @staticmethod
    async def _began(turn: Turn, replacement: Instance) -> datetime:
        """Returns when the replacement got the chance to start: one that waits for the old one's room has it late."""
        old = await _old(turn)
        if old is None or old.state != InstanceState.DELETED:
            return replacement.start_requested_at
        return max(replacement.start_requested_at, old.state_changed_at)


class RemoveOld(AwaitReplacement):
    """Ends the old instance if the replacement still serves in its place; it may have lost a gate since."""

    name = "Stopping the old instance"

    async def advance(self, turn: Turn) -> Outcome:
        if turn.data["gone"]:
            return Done()
        model = await _model(turn)
        await convergence_of(turn.session, turn.state).lock(model)
        turn.data["known"] = [i.instance_id for i in await _active(turn, model)]
        if not await self._ended(turn):
            outcome = await super().advance(turn)
            # If the replacement serves again meanwhile, the next turn ends the old one.
            return Wait(1.0) if isinstance(outcome, Done) else outcome
        await replacing_of(turn.session, turn.state).end_surge(model)
        return Done()

    @staticmethod
    async def _ended(turn: Turn) -> bool:
        number, replacement = int(turn.data["instance"]), turn.data["replacement"]
        wanted = [number] if replacement is None else [number, int(replacement)]
        locked = await InstanceRepository(turn.session).lock_many(wanted)
        old = locked.get(number)
        if old is None or InstanceState(old.state) in LEAVING:
            return True
        successors = [each for key, each in locked.items() if key != number]
        ended = await replacing_of(turn.session, turn.state).hand_over(
            [old], successors, wanted=1, cause=Cause.CONFIGURATION, no_room=replacement is None
        )
        return bool(ended)


class AwaitOldGone(Step):
    name = "Waiting until the old instance has ended"

    async def advance(self, turn: Turn) -> Outcome:
        old = await _old(turn)
        return Done() if old is None or old.state == InstanceState.DELETED else Wait(0.5)


class AwaitLateReplacement(AwaitReplacement):
    """Without room for both, the replacement comes after the old instance has been stopped."""

    name = "Waiting for the late replacement"

    async def advance(self, turn: Turn) -> Outcome:
        if turn.data["gone"]:
            return Done()
        if turn.data["replacement"] is None:
            model = await _model(turn)
            active = [i.instance_id for i in await _active(turn, model)]
            fresh = sorted(set(active) - set(turn.data.get("known", active)))
            turn.data["replacement"] = next(iter(fresh), None)
            if not fresh:
                return await self._without(turn, model, len(active))
        return await super().advance(turn)

    @staticmethod
    async def _without(turn: Turn, model: Model, active: int) -> Outcome:
        """Waits for the reconciler, which creates what a process of the previous release left, unless fewer instances
        are requested now.
        """
        old = await _old(turn)
        if old is None or active >= await RequestRepository(turn.session).requested(model.model_id):
            return Done()
        _check_time(model, turn, old.state_changed_at, "the new instance was not created")
        return Wait(0.0)


class BeginExchanges(Step):
    name = "Beginning to replace instances"

    async def advance(self, turn: Turn) -> Outcome:
        """Begins one model per turn. Each model gets a task of its own."""
        left: list[int] = list(turn.data["models"])
        if not left:
            return Done()
        model = await RequestRepository(turn.session).model(left.pop(0))
        if model is not None and model.deleted_at is None:
            await begin_exchange(turn, model)
        turn.data["models"] = left
        return Wait(1 - len(left) / int(turn.data["of"]), 0.0)

    async def revert(self, turn: Turn) -> Outcome:
        return await stop_begun(turn)


KINDS = (
    TaskKind(EXCHANGE_EVERYWHERE, {"begin-exchanges": BeginExchanges(), "each-begun": EachBegun()}),
    TaskKind(START, {"await-connected": AwaitConnected()}),
    TaskKind(STOP, {"await-gone": AwaitGone()}),
    TaskKind(EXCHANGE_ALL, {"all-parts": AllParts()}),
    TaskKind(
        EXCHANGE_ONE,
        {
            "start-replacement": StartReplacement(),
            "await-replacement": AwaitReplacement(),
            "remove-old": RemoveOld(),
            "await-old-gone": AwaitOldGone(),
            "await-late-replacement": AwaitLateReplacement(),
        },
    ),
)


async def begin_exchange(turn: Turn, model: Model) -> None:
    """Begins to replace the model's instances, and notes the task for the steps `EachBegun`."""
    task_id = await exchanging_of(turn.session, turn.state).exchange_all(model)
    turn.data["begun"] = [*turn.data.get("begun", ()), task_id]


async def _model(turn: Turn) -> Model:
    model = await _find_model(turn)
    if model is None:
        raise ServiceDeleted
    return model


async def _find_model(turn: Turn) -> Model | None:
    if turn.task.model_id is None:
        return None
    model = await RequestRepository(turn.session).model(turn.task.model_id)
    return model if model is not None and model.deleted_at is None else None


async def _named(turn: Turn, instance_ids: Sequence[int]) -> Sequence[Instance]:
    return await InstanceRepository(turn.session).by_ids(
        account_id=turn.task.account_id, model_id=turn.task.model_id or 0, instance_ids=instance_ids
    )


async def _old(turn: Turn) -> Instance | None:
    found = await _named(turn, [int(turn.data["instance"])])
    return found[0] if found else None


async def _active(turn: Turn, model: Model) -> Sequence[Instance]:
    found = await InstanceRepository(turn.session).scaled(account_id=model.account_id, model_id=model.model_id)
    return [instance for instance in found if InstanceState(instance.state) not in LEAVING]


async def _remove(turn: Turn, instance_id: int, reason: str) -> None:
    instances = InstanceRepository(turn.session)
    instance = await instances.find(
        account_id=turn.task.account_id, model_id=turn.task.model_id or 0, instance_id=instance_id, lock=True
    )
    if instance is not None:
        await lifecycle_of(turn.session, turn.state.clock).remove(instance, force=False, reason=reason)


def _check(instances: Sequence[Instance], model: Model, turn: Turn, began: datetime | None = None) -> None:
    """Raises InstanceFailed when an instance cannot start, and like `_check_time` after the model's start timeout."""
    for instance in instances:
        refused = instance.phase == ReportedPhase.REFUSED.value
        if instance.state == InstanceState.FAILED and (refused or instance.restart_count >= _HOPELESS_RESTARTS):
            why = instance.exit_message or f"it ended with exit code {instance.exit_code}"
            raise InstanceFailed(instance=str(instance.instance_id), reason=why)
    began = began or turn.task.started_at or turn.task.created_at
    _check_time(model, turn, began, next((i.waiting_reason for i in instances if i.waiting_reason), None))


def _check_time(model: Model, turn: Turn, began: datetime, why: str | None) -> None:
    """Raises InstanceNotPlaced or InstanceNotConnected after the model's start timeout.

    `why`: what the instance waits for.
    """
    seconds = int(model.timeouts["podStartTimeoutSec"])
    if turn.state.clock.now() - began > timedelta(seconds=seconds):
        if why:
            raise InstanceNotPlaced(seconds=str(seconds), reason=why)
        raise InstanceNotConnected(seconds=str(seconds))
