"""Syncs written usage to the disk in a thread, however long the disk takes; calls do not wait for it."""

import threading
import time
from collections import deque
from collections.abc import Callable

from mlpgateway.usage.metrics import SYNC_SECONDS
from mlpgateway.usage.segment import Segment

Report = Callable[[Segment, OSError | None], None]


class Syncer:
    """`report` is called in the thread after each attempt."""

    def __init__(self, report: Report, *, pause_seconds: float) -> None:
        """Waits `pause_seconds` before each sync, so that one sync covers all writes meanwhile."""
        self._report = report
        self._pause = pause_seconds
        self._due: deque[Segment] = deque()
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="usage-sync", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def enqueue(self, segment: Segment) -> None:
        if not segment.dirty:
            segment.dirty = True
            self._due.append(segment)
            self._wake.set()

    def stop(self) -> None:
        """Returns after every segment reported so far has been tried."""
        self._ending.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not (self._ending.is_set() and not self._due):
            self._wake.wait()
            self._ending.wait(self._pause)
            self._wake.clear()
            while self._due:
                self._sync(self._due.popleft())

    def _sync(self, segment: Segment) -> None:
        began = time.perf_counter()
        try:
            segment.sync()
        except OSError as error:
            self._report(segment, error)
        else:
            SYNC_SECONDS.observe(time.perf_counter() - began)
            self._report(segment, None)
