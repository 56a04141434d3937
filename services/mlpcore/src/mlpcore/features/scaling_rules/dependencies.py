from datetime import timedelta
from functools import partial

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import time_zones_of
from mlpcore.features.scaling_rules.history import ScalingHistory
from mlpcore.features.scaling_rules.repository import DecisionRepository
from mlpcore.features.scaling_rules.service import ScalingRules
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import CoreState
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import call_after_commit
from mlplace_runtime.db.outbox import Outbox


def scaling_history_of(session: AsyncSession, clock: Clock) -> ScalingHistory:
    return ScalingHistory(
        DecisionRepository(session),
        stat_logs_of(session),
        Outbox(session, clock),
        clock,
        after_commit=partial(call_after_commit, session),
    )


def scaling_rules_of(session: AsyncSession, state: CoreState) -> ScalingRules:
    return ScalingRules(
        time_zones_of(session, state), minute=timedelta(seconds=state.settings.autoscaling_minute_seconds)
    )
