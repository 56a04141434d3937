from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.activity.repository import ActivityRepository
from mlpcore.features.metrics.gate_reports import GateReports
from mlpcore.features.metrics.repository import SampleRepository
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsSampled, Event
from mlplace_contracts.topics import SAMPLES
from mlplace_runtime.bus.consumer import Consumer


def samples_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        reports = GateReports(SampleRepository(session), ActivityRepository(session), state.clock)
        await reports.store([event for event in events if isinstance(event, CallsSampled)])

    return Consumer("mlpcore.samples", (SAMPLES,), (CallsSampled,), handle)
