"""Minimum rates at which callers must send and read."""

from typing import Final

from mlplace_runtime.process.http.limits import FRAMING_FACTOR, MOST_FRAMING_BYTES, HttpLimits

_BUFFER_SECONDS: Final = 600.0


class _Pace:
    """Tracks how far a side is behind its rate. Being fast first does not allow a pause later."""

    __slots__ = ("_grace", "_owed", "rate")

    def __init__(self, rate: float, grace: float) -> None:
        self.rate = rate
        self._grace = grace
        self._owed = 0.0

    def keeps(self, seconds: float, size: int) -> bool:
        self._owed = max(0.0, self._owed + self.rate * seconds - size)
        return self._owed <= self.rate * self._grace


class Intake:
    """An incoming body, from its second segment on."""

    __slots__ = ("_counted", "_pace", "came", "held", "seconds")

    def __init__(self, limits: HttpLimits) -> None:
        self._pace = _Pace(limits.bytes_per_second, limits.grace_seconds)
        self._counted = 0
        self.came = 0
        """Bytes received."""
        self.held = 0
        """Bytes of the body itself."""
        self.seconds = 0.0

    @property
    def is_framing(self) -> bool:
        """Whether it consists almost only of chunk sizes, extensions and trailers."""
        return self.came > MOST_FRAMING_BYTES + FRAMING_FACTOR * self.held

    def keeps_pace(self, seconds: float) -> bool:
        self.seconds += seconds
        new, self._counted = self.held - self._counted, self.held
        return self._pace.keeps(seconds, new)


class Outflow:
    """Written bytes that the other side must read: all within ten minutes, and at the minimum rate."""

    __slots__ = ("_left", "_pace")

    def __init__(self, limits: HttpLimits, size: int) -> None:
        self._pace = _Pace(limits.bytes_per_second, limits.grace_seconds)
        self._left = size

    def keeps_pace(self, seconds: float, size: int) -> bool:
        self._pace.rate = max(self._pace.rate, size / _BUFFER_SECONDS)
        read, self._left = max(0, self._left - size), size
        return self._pace.keeps(seconds, read)
