"""The loop that brings instances in line with the desired state."""

import structlog

from mlpcore.features.instances.dependencies import scaling_of
from mlpcore.features.instances.errors import InstanceLimitExceeded
from mlpcore.features.instances.repository import TO_RECONCILE, RequestRepository
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)
_SECONDS = 1.0


class Reconciler:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def look(self) -> None:
        if await self._state.database.polling.finds(TO_RECONCILE):
            await self.turn()

    async def turn(self) -> None:
        """Handles instances of deleted servers in one transaction, then each model that needs a change in its own."""
        async with self._state.database.transaction() as session:
            await scaling_of(session, self._state).settle_stranded()
            unsettled = await RequestRepository(session).unsettled_models()
        for model_id in unsettled:
            await self._converge(model_id)

    async def _converge(self, model_id: int) -> None:
        try:
            async with self._state.database.transaction() as session:
                model = await RequestRepository(session).model(model_id)
                if model is not None:
                    await scaling_of(session, self._state).converge(model)
        except InstanceLimitExceeded as refusal:
            log.info("instance_limit_exceeded", model_id=model_id, limit=refusal.details["limit"])


def reconciler_loop(state: CoreState) -> Loop:
    reconciler = Reconciler(state)
    return Loop("instances", lambda: every(_SECONDS, reconciler.look))
