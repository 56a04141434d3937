"""How long to wait before an instance that ended is started again."""

FIRST_SECONDS = 1.0
LAST_SECONDS = 60.0
HEALTHY_SECONDS = 60.0


class Backoff:
    """1 s, doubling to 60 s; back to 1 s after a run that lasted 60 s."""

    def __init__(self, *, first: float = FIRST_SECONDS, last: float = LAST_SECONDS) -> None:
        self._first = first
        self._last = last
        self._next = first

    def after(self, run_seconds: float) -> float:
        """The delay after a run of that length."""
        if run_seconds >= HEALTHY_SECONDS:
            self._next = self._first
        delay = self._next
        self._next = min(self._next * 2, self._last)
        return delay
