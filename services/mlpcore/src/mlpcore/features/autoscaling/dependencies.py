from datetime import timedelta
from typing import Annotated

from fastapi import Depends

from mlpcore.features.autoscaling.dry_run import DryRuns
from mlpcore.features.autoscaling.measuring import Loads
from mlpcore.features.autoscaling.price_repository import ServerPrices
from mlpcore.features.autoscaling.recorded import RecordedLoads
from mlpcore.features.autoscaling.repository import AutoscalingRepository
from mlpcore.features.autoscaling.service import AutoscalingService
from mlpcore.features.instances.dependencies import connections_of, instances_of
from mlpcore.features.metrics.reading_repository import SampleReader
from mlpcore.features.scaling_rules.dependencies import scaling_rules_of
from mlpcore.features.scaling_rules.repository import DecisionRepository
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def autoscaling_service(session: SessionDep, state: StateDep) -> AutoscalingService:
    window = timedelta(seconds=state.settings.autoscaling_window_seconds)
    return AutoscalingService(
        DecisionRepository(session),
        AutoscalingRepository(session),
        Loads(SampleReader(session), connections_of(session), window=window),
        scaling_rules_of(session, state),
        state.clock,
        window=window,
    )


def dry_runs(session: SessionDep, state: StateDep) -> DryRuns:
    loads = RecordedLoads(SampleReader(session))
    rules = scaling_rules_of(session, state)
    return DryRuns(loads, instances_of(session), ServerPrices(session), rules, state.calculations, state.clock)


AutoscalingServiceDep = Annotated[AutoscalingService, Depends(autoscaling_service)]
DryRunsDep = Annotated[DryRuns, Depends(dry_runs)]
