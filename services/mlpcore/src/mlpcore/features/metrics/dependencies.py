from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.metrics.reading_repository import SampleReader
from mlpcore.features.metrics.repository import SampleRepository
from mlpcore.features.metrics.request_repository import RequestRepository
from mlpcore.features.metrics.requests import RequestMetrics
from mlpcore.features.metrics.server_reports import ServerSamples
from mlpcore.features.metrics.service import MetricService
from mlpcore.features.metrics.sources import InstanceSeries, ModelSeries
from mlpcore.features.metrics.subjects_repository import Subjects
from mlpcore.features.metrics.wider_sources import AccountSeries, NodeSeries
from mlpcore.state import CoreState, StateDep
from mlplace_runtime.web.dependencies import SessionDep


def metric_service(session: SessionDep, state: StateDep) -> MetricService:
    reader = SampleReader(session)
    return MetricService(
        ModelSeries(reader),
        InstanceSeries(reader),
        AccountSeries(reader),
        NodeSeries(reader),
        Subjects(session),
        reader,
        state.clock,
    )


def request_metrics(session: SessionDep, state: StateDep) -> RequestMetrics:
    return RequestMetrics(
        SampleReader(session), RequestRepository(session), Subjects(session), accounts_of(session), state.clock
    )


def server_samples_of(session: AsyncSession, state: CoreState) -> ServerSamples:
    return ServerSamples(SampleRepository(session), state.clock)


MetricServiceDep = Annotated[MetricService, Depends(metric_service)]
RequestMetricsDep = Annotated[RequestMetrics, Depends(request_metrics)]
