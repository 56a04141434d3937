"""The loop that brings instances in line with the desired state."""

from mlpcore.features.instances.dependencies import convergence_of, scheduler_of
from mlpcore.features.instances.request_repository import TO_RECONCILE, RequestRepository
from mlpcore.features.placement.allocations import PLACEMENT_WANTED
from mlpcore.metrics import INSTANCES_WAITING, PLACEMENT_SECONDS
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 1.0


class Reconciler:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def look(self) -> None:
        if await self._state.database.polling.finds(TO_RECONCILE):
            await self.turn()
        else:
            INSTANCES_WAITING.set(0)

    async def turn(self) -> None:
        """Handles instances of deleted servers, then each model that needs a change, then each group where one waits.

        Each in a transaction of its own.
        """
        async with self._state.database.transaction() as session:
            await convergence_of(session, self._state).settle_stranded()
            unsettled = await RequestRepository(session).unsettled_models()
        for model_id in unsettled:
            await self._settle(model_id)
        async with self._state.database.transaction() as session:
            waiting = await scheduler_of(session, self._state).groups_with_waiting()
        INSTANCES_WAITING.set(sum(map(len, waiting.values())))
        for group_id, instance_ids in waiting.items():
            with PLACEMENT_SECONDS.time():
                async with self._state.database.transaction() as session:
                    await scheduler_of(session, self._state).place_waiting(group_id, instance_ids)

    async def _settle(self, model_id: int) -> None:
        async with self._state.database.transaction() as session:
            model = await RequestRepository(session).model(model_id)
            if model is not None:
                await convergence_of(session, self._state).settle(model)


def reconciler_loop(state: CoreState, *, seconds: float = _SECONDS) -> Loop:
    """Looks every `seconds`, and at once when room is freed."""
    reconciler = Reconciler(state)
    wanted = state.database.signal(PLACEMENT_WANTED)
    return Loop("instances", lambda: every(seconds, reconciler.look, woken_by=wanted))
