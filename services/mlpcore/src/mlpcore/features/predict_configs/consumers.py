from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.predict_configs.repository import PredictConfigRepository
from mlpcore.features.predict_configs.service import config_changed
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox


async def republish_predict_configs(session: AsyncSession, clock: Clock) -> int:
    """Writes the state of every stored config into the outbox again."""
    rows = await PredictConfigRepository(session).all_with_model()
    await Outbox(session, clock).add(*(config_changed(config, model, active=True) for config, model in rows))
    return len(rows)
