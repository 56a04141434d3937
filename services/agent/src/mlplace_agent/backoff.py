"""The delay before an ended instance is started again."""

FIRST_SECONDS = 1.0
LAST_SECONDS = 60.0
HEALTHY_SECONDS = 60.0


class Backoff:
    """Starts at 1 s and doubles up to 60 s; a run of at least 60 s resets it to 1 s."""

    def __init__(self, *, first: float = FIRST_SECONDS, last: float = LAST_SECONDS) -> None:
        self._first = first
        self._last = last
        self._next = first

    def after(self, run_seconds: float) -> float:
        """The delay after a run of `run_seconds`."""
        if run_seconds >= HEALTHY_SECONDS:
            self._next = self._first
        delay = self._next
        self._next = min(self._next * 2, self._last)
        return delay
