"""Ships the process logs to the event bus: in order, in batches, at least once."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from mlpgateway.usage.disk import DiskThread
from mlpgateway.usage.folder import SpoolFolder
from mlpgateway.usage.metrics import SHIPPED, WAITING_BYTES
from mlpgateway.usage.process_log import NextRecords, ProcessLog
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_runtime.bus.publishing import publish_or_park
from mlplace_runtime.outage import Outage

_LINGER_SECONDS: Final = 0.05
_AT_HAND_BYTES: Final = 64 * 1024
_ADOPT_SECONDS: Final = 15.0

Park = Callable[[Record, str], Awaitable[None]]
"""Stores a record that the bus never accepts, with the reason."""

log = structlog.get_logger(__name__)


class Shipper:
    """Run `run` and `adopt_forever` as tasks."""

    def __init__(self, bus: EventBus, park: Park, folder: SpoolFolder, disk: DiskThread, *, synced: bool) -> None:
        """`synced`: ships only records that are surely on the disk."""
        self._bus = bus
        self._park = park
        self._folder = folder
        self._disk = disk
        self._synced = synced
        self._own: ProcessLog | None = None
        self._adopted: list[ProcessLog] = []
        self._outage = Outage("usage-spool to the bus")
        self.something = asyncio.Event()
        self.drained = asyncio.Event()
        self.drained.set()
        self.waiting_bytes = 0
        self.progress_at = time.monotonic()
        """When something was last shipped, or began to wait."""

    @property
    def process_logs(self) -> Sequence[ProcessLog]:
        """In the order of shipping, oldest first."""
        return (*self._adopted, self._own) if self._own else self._adopted

    def begin(self, own: ProcessLog) -> None:
        self._own = own

    def waits(self, size: int) -> None:
        """Counts more bytes to ship."""
        if not self.waiting_bytes:
            self.progress_at = time.monotonic()
            self.drained.clear()
        self.waiting_bytes += size

    async def end(self) -> None:
        """Closes the logs, after `run` and `adopt_forever` have ended. Logs that are not empty stay for others."""
        process_logs, self._own, self._adopted = tuple(self.process_logs), None, []
        for process_log in process_logs:
            try:
                await self._disk.do(lambda closed=process_log: self._folder.close(closed))
            except OSError as error:  # its lock is released in any case; go on with the other logs
                log.warning("usage_spool_not_closed", process_log=process_log.folder.name, error=repr(error))

    async def adopt_forever(self) -> None:
        """Adopts the logs of processes that die while this one runs, until cancelled. Raises OSError."""
        while True:
            await asyncio.sleep(_ADOPT_SECONDS)
            await self.adopt()

    async def adopt(self) -> None:
        """Adopts the logs of dead processes. Raises OSError."""
        process_logs = await self._disk.do(self._folder.adopt)
        if process_logs:
            found = sum(process_log.waiting_bytes for process_log in process_logs)
            log.info("usage_spools_adopted", process_logs=len(process_logs), waiting_bytes=found)
            self._adopted += process_logs
            self.waits(found)
            self.something.set()

    async def run(self) -> None:
        """Ships until cancelled."""
        while True:
            await self.something.wait()
            await asyncio.sleep(_LINGER_SECONDS)
            self.something.clear()
            try:
                while await self._ship_batch():
                    pass
            except Exception as error:  # noqa: BLE001  whatever is wrong with the bus or the disk, the records stay
                self._count()
                self.something.set()
                await self._outage.wait_after(error)

    async def _ship_batch(self) -> bool:
        """Ships the next batch. Returns False when there was none."""
        for process_log in tuple(self.process_logs):
            batch = await self._next(process_log)
            if batch is not None:
                await self._publish(batch.records)
                process_log.shipped(batch)
                self._outage.over()
                SHIPPED.inc(len(batch.records))
                self.progress_at = time.monotonic()
                self._count()
                return True
            if process_log is not self._own:
                await self._put_down(process_log)
        self._count()
        return False

    async def _put_down(self, process_log: ProcessLog) -> None:
        self._adopted.remove(process_log)
        await self._disk.do(lambda: self._folder.close(process_log))

    async def _next(self, process_log: ProcessLog) -> NextRecords | None:
        if process_log is self._own and len(process_log.segments) == 1 and process_log.waiting_bytes <= _AT_HAND_BYTES:
            return process_log.read(synced=self._synced)  # just written, so it is in the page cache
        try:
            return await self._disk.do(lambda: process_log.read(synced=self._synced))
        except OSError as error:
            if process_log is self._own:
                raise
            log.warning("usage_spool_unreadable", process_log=process_log.folder.name, error=repr(error))
            return None  # the log is closed, and adopted again later: others do not wait for it

    async def _publish(self, records: Sequence[Record]) -> None:
        async def park(place: int, reason: str) -> None:
            await self._park(records[place], reason)

        await publish_or_park(self._bus, records, park=park)

    def _count(self) -> None:
        self.waiting_bytes = sum(process_log.waiting_bytes for process_log in self.process_logs)
        WAITING_BYTES.set(self.waiting_bytes)
        if not self.waiting_bytes:
            self.drained.set()
