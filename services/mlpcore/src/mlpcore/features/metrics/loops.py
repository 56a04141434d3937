"""Keeps the samples in order: partitions, states of each minute, roll-ups."""

from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.metrics.repository import SampleRepository
from mlpcore.features.metrics.rollup_repository import RollUpRepository
from mlpcore.features.metrics.snapshot_repository import SnapshotRepository
from mlpcore.features.metrics.tiers import DAILY, DAY, MINUTE, QUARTER, SAMPLE, Tier, packed_before
from mlpcore.quantities import bytes_of, milli_cpu_of
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS: Final = 10.0
_PARTITION_SECONDS: Final = 300.0
_GRACE: Final = timedelta(seconds=15)
"""Reports of a period may come so late without it being added up twice."""
_PACKED_AFTER: Final = timedelta(hours=7)
_HEARD: Final = timedelta(seconds=60)
_AT_ONCE: Final = 30
_REPORTS_KEPT: Final = timedelta(days=1)
_MIB: Final = 2**20


class Measures:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def keep_partitions(self) -> None:
        """Creates and drops partitions, and forgets what is too old in the other tables."""
        now = self._state.clock.now()
        async with self._state.database.transaction() as session:
            await SampleRepository(session).maintain_partitions(now)
        async with self._state.database.transaction() as session:
            await SampleRepository(session).forget_reports(now - _REPORTS_KEPT)
            for tier in (SAMPLE, MINUTE, QUARTER, DAILY):
                await RollUpRepository(session).forget(tier, before=now - tier.kept - DAY)
        async with self._state.database.transaction() as session:
            packed = packed_before(now)
            await RollUpRepository(session).note_days(since=packed - DAILY.kept + DAY, until=packed)

    async def turn(self) -> None:
        """Notes the states of a new minute, then adds up what has changed, one period in one transaction."""
        now = self._state.clock.now()
        await self._note_states(MINUTE.start_of(now), now)
        for finer, tier in ((SAMPLE, MINUTE), (MINUTE, QUARTER)):
            await self._add_up(finer, tier, now - _GRACE)
        await self._pack(now)
        await self._add_up_days(now)

    async def _note_states(self, start: datetime, now: datetime) -> None:
        async with self._state.database.transaction() as session:
            repository = SnapshotRepository(session)
            if not await repository.begin(start):
                return
            found = await repository.limits()
            limits = {
                account_id: (milli_cpu_of(cpu), bytes_of(memory) // _MIB, bytes_of(disk) // _MIB, gpus)
                for account_id, (cpu, memory, disk, gpus) in found.items()
            }
            await repository.note(start, heard=now - _HEARD, limits=limits)
            await RollUpRepository(session).touch(MINUTE, start)

    async def _add_up(self, finer: Tier, tier: Tier, now: datetime) -> None:
        """A process that dies before the commit leaves the period pending."""
        for _ in range(_AT_ONCE):
            async with self._state.database.transaction() as session:
                repository = RollUpRepository(session)
                found = await repository.claim(finer, tier.step, until=tier.start_of(now), most=1)
                for start in found:
                    await repository.add_up(finer, tier, start)
            if not found:
                return

    async def _pack(self, now: datetime) -> None:
        """Packs a day once its late samples cannot change any more."""
        ended = (now - _PACKED_AFTER).replace(hour=0, minute=0, second=0, microsecond=0)
        async with self._state.database.transaction() as session:
            repository = RollUpRepository(session)
            for day in await repository.claim(QUARTER, DAY, until=ended, most=1):
                await repository.pack(day)

    async def _add_up_days(self, now: datetime) -> None:
        for _ in range(_AT_ONCE):
            async with self._state.database.transaction() as session:
                repository = RollUpRepository(session)
                found = await repository.claim(DAILY, DAY, until=packed_before(now) + DAY, most=1)
                for day in found:
                    await repository.add_up_day(day)
            if not found:
                return


def partitions_loop(state: CoreState) -> Loop:
    measures = Measures(state)
    return Loop("sample-partitions", lambda: every(_PARTITION_SECONDS, measures.keep_partitions))


def measures_loop(state: CoreState) -> Loop:
    measures = Measures(state)
    return Loop("measures", lambda: every(_SECONDS, measures.turn))
