"""Usage on its way to the event bus, stored on this host's disk: a call's usage is written before it is answered.

A write goes to the page cache, which takes microseconds and survives the end of this process; a thread syncs it to the
disk. So no call waits for PostgreSQL, the bus or the disk. `docs/adr/0014` has the limits of this.
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
_DOOR: Final = 0.9  # of the room; the rest is for calls that are already admitted


@dataclass(frozen=True, slots=True)
class SpoolOptions:
    """`sync`: with `always` an answer waits until its usage is on the disk; with `interval` a sync follows soon."""

    root: Path
    most_bytes: int
    sync: Literal["interval", "always"] = "interval"
    space: SpaceWatch = field(default_factory=SpaceWatch)


class UsageSpool:
    """The spool of one gate process. Run `run` as a task."""

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
        """The next file, whose disk space is reserved in advance."""
        self._refused = False
        """The disk has no room for a spare file."""
        self.space = options.space
        self._trouble = "is not open yet"
        self.ready = asyncio.Event()
        """Set while calls can be recorded."""
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._outage = Outage("usage-spool")
        self._promised: deque[tuple[Segment, int, asyncio.Future[None]]] = deque()
        self._done: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def _new_syncer(self) -> Syncer:
        return Syncer(self._synced_in_thread, pause_seconds=0 if self._always else _SYNC_PAUSE_SECONDS)

    # ---- For calls

    def expect_room(self) -> None:
        """Checks that a new call can be recorded. Raises UsageNotRecorded, UsageSpoolFull, DiskFull.

        The second half of the last file on a full disk is reserved for calls that are already admitted.
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
        """Writes the event, which continues the current trace. Returns and raises like `put`."""
        return self.put(frame(Record(event.topic.name, event.key, enveloped(event, self._clock))))

    def put(self, data: bytes) -> asyncio.Future[None]:
        """Writes one or more frames as one. Returns a future that is done when they are durable: at once, unless `sync`
        is `always`.

        Raises UsageNotRecorded and UsageSpoolFull; then none of them counts. The future fails with the former. Await it
        through `asyncio.shield`.
        """
        segment = self._segment
        if segment is None or self._done is None:
            raise UsageNotRecorded
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
        self._syncer.enqueue(segment)
        if self._always:
            return self._promise(segment)
        shipper.something.set()
        return self._done

    def _promise(self, segment: Segment) -> asyncio.Future[None]:
        future = asyncio.get_running_loop().create_future()
        self._promised.append((segment, segment.end, future))
        return future

    # ---- Health

    def not_ready(self) -> dict[str, str]:
        """Returns why calls cannot be recorded; empty when they can."""
        if self._segment is None:
            return {"usage": f"calls cannot be recorded: the spool {self._trouble}"}
        if self._shipper.waiting_bytes >= self._options.most_bytes * _DOOR:
            return {"usage": f"calls cannot be recorded: {self._waiting()}"}
        return {}

    def late(self) -> dict[str, str]:
        """Returns what delays usage on its way to the bus, or a full disk; empty when all is well.

        A gate with a full disk stays ready and refuses single calls: people must reach it to delete data.
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

    # ---- Life cycle

    async def run(self) -> None:
        """Runs until cancelled. Call `flush` before: unshipped usage stays for the next process."""
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
        """Waits until the bus has accepted all usage so far, up to `seconds`."""
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
        """Keeps a segment open for writing, and replaces one whose write failed."""
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
        """Opens a segment if none is open."""
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
        """Returns a function that creates the next segment in any thread. The number is assigned here."""
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
        """Returns whether a later number is in use: readers expect numbers to rise."""
        process_log = self._process_log
        return process_log is not None and bool(process_log.segments) and process_log.segments[-1].number > spare.number

    async def _drop_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            await self._disk.do(spare.remove)

    def _next_segment(self, at_least: int) -> Segment:
        """Returns the next segment, mostly the spare. Only a record larger than a file needs the disk here."""
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
        await asyncio.sleep(0)  # lets the last callbacks of the syncer run
        self._fail_promised()
        await self._drop_spare()
        await self._shipper.end()
        self._process_log = None
        self._number = 0
        self._wanted.set()
        self._disk.close()

    # ---- Results of syncs

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
        """Handles a failed sync. With `always`, events that still wait for it fail; others stay in the page cache."""
        if self._always and self._process_log is not None:
            for segment in tuple(self._process_log.segments):
                segment.cut(segment.synced)
            self._fail_promised()
            self._shipper.something.set()  # it counts the waiting bytes anew
        self._break(error)

    def _fail_promised(self) -> None:
        for *_, future in self._promised:
            if not future.done():
                future.set_exception(UsageNotRecorded())
                future.exception()  # marks it as retrieved: a caller that left never reads it
        self._promised.clear()
