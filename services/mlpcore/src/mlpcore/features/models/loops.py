"""Encrypts the secrets that rows of earlier versions hold in plain text."""

from typing import Final

from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS: Final = 60.0
_AT_ONCE: Final = 50


async def seal_settings(state: CoreState) -> int:
    """Encrypts the settings of all such rows, of deleted models too. Returns the number of rows."""
    sealed = 0
    while found := await _some(state):
        sealed += found
    return sealed


async def _some(state: CoreState) -> int:
    hidden = HiddenSettings(state.vault)
    async with state.database.transaction() as session:
        repository = ModelRepository(session)
        models = await repository.lock_unsealed(_AT_ONCE)
        for model in models:
            hidden.seal_row_of_before(model)
        await repository.flush_all()
    return len(models)


def sealing_loop(state: CoreState) -> Loop:
    return Loop("settings-sealing", lambda: every(_SECONDS, lambda: seal_settings(state)))
