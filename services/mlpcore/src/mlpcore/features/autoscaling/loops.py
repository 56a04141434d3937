"""The loops of autoscaling. Several processes may run them."""

from datetime import timedelta
from typing import Final

from mlpcore.features.autoscaling.repository import DUE
from mlpcore.features.autoscaling.scaler import Autoscaler
from mlpcore.features.scaling_rules.repository import DecisionRepository
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_LOOK_SECONDS: Final = 1.0
_FORGET_SECONDS: Final = 3600.0
_KEPT: Final = timedelta(days=90)


def autoscaling_loop(state: CoreState) -> Loop:
    scaler = Autoscaler(state)

    async def look() -> None:
        if await state.database.polling.finds(DUE, now=state.clock.now()):
            await scaler.turn()

    seconds = min(_LOOK_SECONDS, state.settings.autoscaling_seconds)
    return Loop("autoscaling", lambda: every(seconds, look))


def registering_loop(state: CoreState) -> Loop:
    scaler = Autoscaler(state)
    return Loop("autoscaled-models", lambda: every(state.settings.autoscaling_seconds, scaler.register))


async def forget_decisions(state: CoreState) -> None:
    """Deletes decisions that are older than 90 days."""
    deleted = True
    while deleted:
        async with state.database.transaction() as session:
            deleted = bool(await DecisionRepository(session).forget(state.clock.now() - _KEPT))


def decisions_loop(state: CoreState) -> Loop:
    return Loop("scaling-decisions", lambda: every(_FORGET_SECONDS, lambda: forget_decisions(state)))
