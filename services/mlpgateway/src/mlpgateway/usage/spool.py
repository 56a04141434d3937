"""Usage on its way to the event bus, kept on this host's disk: what a call used is written down before it is answered.

A write goes into the system's memory, which takes microseconds and survives the end of this process; the disk is told
by a thread. So neither PostgreSQL nor the bus nor the disk's own time is in the way of a call. `docs/adr/0014` has the
bounds.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.errors.storage import DiskFull
from mlpgateway.errors.usage import UsageSpoolFull
from mlpgateway.usage.disk import DiskThread
from mlpgateway.usage.folder import SpoolFolder
from mlpgateway.usage.frames import HEADER, frame
from mlpgateway.usage.metrics import FAILURES, LIMIT_BYTES
from mlpgateway.usage.process_log import ProcessLog
from mlpgateway.usage.segment import Segment
from mlpgateway.usage.shipper import Park, Shipper
from mlpgateway.usage.syncer import Syncer
from mlplace_contracts.events import Event
from mlplace_kit.clock import Clock
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_runtime.db.outbox import enveloped
from mlplace_runtime.outage import Outage
from mlplace_runtime.space import Space, SpaceWatch

_SEGMENT_BYTES: Final = 8 * 1024 * 1024
_SEGMENTS: Final = 8
_SYNC_PAUSE_SECONDS: Final = 0.05
_LATE_SECONDS: Final = 5.0
_DOOR: Final = 0.9  # of the room: the rest is for calls that are let in already


@dataclass(frozen=True, slots=True)
class SpoolOptions:
    """`sync`: whether an answer waits until its usage is on the disk (`always`), or the disk is told soon after."""

    root: Path
    most_bytes: int
    sync: Literal["interval", "always"] = "interval"
    space: SpaceWatch = field(default_factory=SpaceWatch)


class UsageSpool:
    """Of one gate process. Run `run` beside it."""

    def __init__(self, bus: EventBus, park: Park, clock: Clock, options: SpoolOptions) -> None:
        self._clock = clock
        self._options = options
        self._always = options.sync == "always"
        self._segment_bytes = min(_SEGMENT_BYTES, options.most_bytes // _SEGMENTS)
        self._folder = SpoolFolder(options.root)
        self._disk = DiskThread()
        self._shipper = Shipper(bus, park, self._folder, self._disk, synced=self._always)
        self._syncer = self._new_syncer()
        self._process_log: ProcessLog | None = None
        self._number = 0
        self._segment: Segment | None = None
        self._spare: Segment | None = None
        """The next file: its room on the disk is taken before it is needed."""
        self._refused = False
        """The disk has no room for one."""
        self.space = options.space
        self._trouble = "is not open yet"
        self.ready = asyncio.Event()
        """While calls can be recorded."""
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._outage = Outage("usage-spool")
        self._promised: deque[tuple[Segment, int, asyncio.Future[None]]] = deque()
        self._done: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def _new_syncer(self) -> Syncer:
        return Syncer(self._synced_in_thread, pause_seconds=0 if self._always else _SYNC_PAUSE_SECONDS)

    # ---- Calls

    def expect_room(self) -> None:
        """Before a call is worked on. Raises UsageNotRecorded, UsageSpoolFull, DiskFull.

        The last file that the disk gave room for is kept for calls that were let in already.
        """
        segment = self._segment
        if segment is None:
            raise UsageNotRecorded
        if self.space.level is Space.FULL or self._is_cramped(segment):
            raise DiskFull
        if self._shipper.waiting_bytes >= self._options.most_bytes * _DOOR:
            raise UsageSpoolFull

    def _is_cramped(self, segment: Segment) -> bool:
        return self._refused and self._spare is None and segment.end > segment.size // 2

    def add(self, event: Event) -> asyncio.Future[None]:
        """Done when the event is durable, which is at once unless `sync` is `always`. It continues the current trace.

        Raises UsageNotRecorded and UsageSpoolFull; the future fails with the former. Await it through `asyncio.shield`.
        """
        segment = self._segment
        if segment is None or self._done is None:
            raise UsageNotRecorded
        data = frame(Record(event.topic.name, event.key, enveloped(event, self._clock)))
        shipper = self._shipper
        if shipper.waiting_bytes + len(data) > self._options.most_bytes:
            raise UsageSpoolFull
        try:
            if not segment.has_room_for(len(data)):
                segment = self._next_segment(len(data))
            segment.append(data)
        except OSError as error:
            self._break(error)
            raise UsageNotRecorded from None
        shipper.waits(len(data))
        self._syncer.tell(segment)
        if self._always:
            return self._promise(segment)
        shipper.something.set()
        return self._done

    def _promise(self, segment: Segment) -> asyncio.Future[None]:
        future = asyncio.get_running_loop().create_future()
        self._promised.append((segment, segment.end, future))
        return future

    # ---- What it says of itself

    def not_ready(self) -> dict[str, str]:
        """Empty when calls can be recorded."""
        if self._segment is None:
            return {"usage": f"calls cannot be recorded: the spool {self._trouble}"}
        if self._shipper.waiting_bytes >= self._options.most_bytes * _DOOR:
            return {"usage": f"calls cannot be recorded: {self._waiting()}"}
        return {}

    def late(self) -> dict[str, str]:
        """Empty when usage reaches the event bus as it should, and the disk has room for more.

        A gate whose disk is full refuses calls one by one: who wants to delete something has to reach it.
        """
        shipper = self._shipper
        if self._segment is not None and self._is_cramped(self._segment):
            return {"usage": f"calls are not let in: the next file of the spool {self._trouble}"}
        if not shipper.waiting_bytes or time.monotonic() - shipper.progress_at < _LATE_SECONDS:
            return {}
        return {"usage": self._waiting()}

    def _waiting(self) -> str:
        waiting, most = self._shipper.waiting_bytes / 2**20, self._options.most_bytes / 2**20
        return f"{waiting:.1f} of {most:.0f} MiB wait for the event bus"

    # ---- Its life

    async def run(self) -> None:
        """Until cancelled. What is not shipped by then stays for the next process; `flush` before."""
        self._loop = asyncio.get_running_loop()
        self._done = self._loop.create_future()
        self._done.set_result(None)
        LIMIT_BYTES.set(self._options.most_bytes)
        self._syncer = self._new_syncer()
        self._syncer.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep_open())
                tasks.create_task(self._adopt())
                tasks.create_task(self._shipper.run())
        finally:
            await self._close()

    async def flush(self, seconds: float) -> None:
        """Wait until the bus has taken everything so far, at most so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._shipper.drained.wait()

    async def _adopt(self) -> None:
        while True:
            try:
                await self._shipper.adopt_forever()
            except OSError as error:
                await self._outage.wait_after(error)

    async def _keep_open(self) -> None:
        """Has a segment to write to, and a new one when the disk did not take something."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._open()
                await self._make_spare()
            except OSError as error:
                self._wanted.set()
                self._refused = True
                self._trouble = f"cannot be written: {error.strerror or error}"
                await self._outage.wait_after(error)
            else:
                self._refused = False
                self._outage.over()

    async def _open(self) -> None:
        """Nothing where one is open."""
        process_log = self._process_log
        if process_log is not None and self._segment is not None:
            return
        if process_log is None:
            await self._shipper.adopt()
            process_log = self._process_log = await self._disk.do(self._folder.new_process_log)
            self._shipper.begin(process_log)
        segment = self._take_spare(0)
        if segment is None:
            segment = await self._disk.do(self._creation(process_log, 0))
        process_log.segments.append(segment)
        self._segment = segment
        self.ready.set()

    async def _make_spare(self) -> None:
        """Raises OSError."""
        process_log = self._process_log
        if self._spare is not None and self._is_passed(self._spare):
            await self._drop_spare()
        if process_log is None or self._spare is not None:
            return
        self._spare = await self._disk.do(self._creation(process_log, 0))
        if self._is_passed(self._spare):
            await self._drop_spare()
            self._wanted.set()

    def _creation(self, process_log: ProcessLog, at_least: int) -> Callable[[], Segment]:
        """What makes the next segment, in whichever thread. Numbers are given out here."""
        self._number += 1
        number, size = self._number, max(self._segment_bytes, len(HEADER) + at_least)
        return lambda: Segment.create(process_log.folder, number, size)

    def _take_spare(self, at_least: int) -> Segment | None:
        spare = self._spare
        if spare is None or self._is_passed(spare) or not spare.has_room_for(at_least):
            return None
        self._spare = None
        return spare

    def _is_passed(self, spare: Segment) -> bool:
        """One with a higher number is in use: who reads them expects that later ones have higher numbers."""
        process_log = self._process_log
        return process_log is not None and bool(process_log.segments) and process_log.segments[-1].number > spare.number

    async def _drop_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            await self._disk.do(spare.remove)

    def _next_segment(self, at_least: int) -> Segment:
        """The one after many thousand calls. Only a record that is larger than a file needs the disk now."""
        if self._process_log is None:
            raise UsageNotRecorded
        segment = self._take_spare(at_least) or self._creation(self._process_log, at_least)()
        self._segment = segment
        self._process_log.segments.append(segment)
        self._wanted.set()
        return segment

    def _break(self, error: OSError) -> None:
        FAILURES.inc()
        self._shut(f"cannot be written: {error.strerror or error}")
        self._wanted.set()

    def _shut(self, trouble: str) -> None:
        self._segment, self._trouble = None, trouble
        self.ready.clear()

    async def _close(self) -> None:
        self._shut("is closed")
        await self._disk.do(self._syncer.stop)
        await asyncio.sleep(0)  # what the syncer has told last
        self._fail_promised()
        await self._drop_spare()
        await self._shipper.end()
        self._process_log = None
        self._number = 0
        self._wanted.set()
        self._disk.close()

    # ---- What the disk says

    def _synced_in_thread(self, segment: Segment, error: OSError | None) -> None:
        if self._loop is None or (error is None and not self._always):
            return
        if error is None:
            self._loop.call_soon_threadsafe(self._synced, segment)
        else:
            self._loop.call_soon_threadsafe(self._not_synced, error)

    def _synced(self, segment: Segment) -> None:
        until = (segment.number, segment.synced)
        while self._promised and (self._promised[0][0].number, self._promised[0][1]) <= until:
            future = self._promised.popleft()[2]
            if not future.done():
                future.set_result(None)
        self._shipper.something.set()

    def _not_synced(self, error: OSError) -> None:
        """Answers that have left stay recorded in the system's memory, from where they are shipped; others fail."""
        if self._always and self._process_log is not None:
            for segment in tuple(self._process_log.segments):
                segment.cut(segment.synced)
            self._fail_promised()
            self._shipper.something.set()  # it counts anew
        self._break(error)

    def _fail_promised(self) -> None:
        for *_, future in self._promised:
            if not future.done():
                future.set_exception(UsageNotRecorded())
                future.exception()  # whoever waits hears of it; a caller who left need not
        self._promised.clear()
