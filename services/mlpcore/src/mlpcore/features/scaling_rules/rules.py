"""What a model's configuration says: bounds, thresholds, schedule, idle time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from mlpcore.features.models.settings.blocks import ModelAutoScalingConfiguration
from mlpcore.features.scaling_rules.schedule import Bounds, Period, Schedule, period_of

_DEFAULT_COOLDOWN_MINUTES: Final = 5
_LEAST_COOLDOWN_MINUTES: Final = 1
"""Each change is stored, told and published."""


class Measure(StrEnum):
    """Averages per connected instance over the window. LATENCY and QUEUE_TIME are averages over calls, in ms."""

    ACTIVE = "activeRequests"
    REQUESTS = "requestsPerMinute"
    CPU = "cpuMilliCores"
    LATENCY = "latencyMs"
    QUEUE_TIME = "queueTimeMs"


SHARED: Final = frozenset({Measure.ACTIVE, Measure.REQUESTS, Measure.CPU})
"""Measures that halve when the number of instances doubles."""
_SETTINGS: Final[Mapping[Measure, str]] = {
    Measure.ACTIVE: "active_requests_threshold",
    Measure.REQUESTS: "requests_per_minute_threshold",
    Measure.CPU: "cpu_threshold_milli_cores",
    Measure.LATENCY: "latency_threshold_ms",
    Measure.QUEUE_TIME: "queue_time_threshold_ms",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """`up`, `down`: thresholds per measure. `idle`: after so long without a request the last instance stops."""

    least: int
    most: int
    cooldown: timedelta = timedelta(minutes=_DEFAULT_COOLDOWN_MINUTES)
    up: Mapping[Measure, float] = field(default_factory=dict[Measure, float])
    down: Mapping[Measure, float] = field(default_factory=dict[Measure, float])
    periods: tuple[Period, ...] = ()
    idle: timedelta | None = None
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))

    def bounds(self, now: datetime) -> Bounds:
        return self._schedule.bounds(now)

    def bounds_since(self, now: datetime) -> datetime | None:
        """Returns since when the bounds of now hold; None without a change in the last day."""
        return self._schedule.since(now)

    def allowed(self, count: int, now: datetime) -> int:
        """Returns the nearest number that the bounds allow. Zero, which stops the model, is always allowed."""
        bounds = self.bounds(now)
        if count == 0 or bounds.most == 0:
            return 0
        return min(max(count, 1, bounds.least), bounds.most)

    @property
    def _schedule(self) -> Schedule:
        return Schedule(Bounds(self.least, self.most), self.periods, self.zone)


def rules_of(
    stored: Mapping[str, Any], *, least_by_default: int, zone: ZoneInfo, minute: timedelta = timedelta(minutes=1)
) -> Rules:
    """Returns the rules of a stored configuration.

    While it is disabled, the model has its minimum. Without a maximum the count stays at the minimum, too.
    `least_by_default`: the minimum of a configuration of before, which has none. `zone`: of the account. `minute`: how
    long a minute of the configuration lasts.
    """
    configuration = ModelAutoScalingConfiguration.model_validate(stored)
    least = configuration.min_instance_count if "minInstanceCount" in stored else least_by_default
    if not configuration.settled().enabled:
        return Rules(least, max(1, least))
    cooldown, idle, most = (
        configuration.cooldown_duration_minutes,
        configuration.idle_time_minutes,
        configuration.max_instance_count,
    )
    return Rules(
        least=least,
        most=max(1, least) if most is None else most,
        cooldown=max(_LEAST_COOLDOWN_MINUTES, _DEFAULT_COOLDOWN_MINUTES if cooldown is None else cooldown) * minute,
        up=_thresholds(configuration, "scale_up"),
        down=_thresholds(configuration, "scale_down"),
        periods=tuple(map(period_of, configuration.scheduled_instance_count_settings)),
        idle=None if idle is None else idle * minute,
        zone=zone,
    )


def _thresholds(configuration: ModelAutoScalingConfiguration, direction: str) -> Mapping[Measure, float]:
    found: dict[Measure, int | None] = {
        measure: getattr(configuration, f"{direction}_{name}") for measure, name in _SETTINGS.items()
    }
    return {measure: float(value) for measure, value in found.items() if value is not None}
