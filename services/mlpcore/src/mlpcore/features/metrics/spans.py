"""Which tier answers a question, and in which steps."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.metrics.reading_repository import TierSpan
from mlpcore.features.metrics.tiers import DAILY, MINUTE, QUARTER, SAMPLE, Tier

MOST_MINUTES: Final = 366 * 24 * 60
MOST_STEP_SECONDS: Final = 31 * 24 * 3600
MOST_POINTS: Final = 11_000
INSTANT: Final = timedelta(seconds=60)
"""An instant value is that of the last whole minute."""
_MOST_OF_SAMPLES: Final = timedelta(hours=6)
_NOTED_WITHIN: Final = timedelta(minutes=2)


def range_span(now: datetime, *, minutes: int, step_seconds: int) -> TierSpan:
    """Returns the last minutes. A step is a multiple of the tier's period, and there are at most 11,000 of them."""
    length = timedelta(minutes=minutes)
    tier = _tier(length, step_seconds)
    least = -(-int(length.total_seconds()) // MOST_POINTS)
    wanted = max(step_seconds, least, tier.seconds)
    step = timedelta(seconds=-(-wanted // tier.seconds) * tier.seconds)
    since = tier.start_of(now - length)
    return TierSpan(tier, since, tier.start_of(now) + tier.step, step, now)


def _tier(length: timedelta, step_seconds: int) -> Tier:
    if length <= _MOST_OF_SAMPLES and step_seconds < QUARTER.seconds:
        return SAMPLE
    if length <= MINUTE.kept and step_seconds < QUARTER.seconds:
        return MINUTE
    return DAILY if length > MINUTE.kept and step_seconds == DAILY.seconds else QUARTER


def instant_span(now: datetime, moment: datetime) -> TierSpan:
    """Returns the last whole minute before the moment, in the finest tier that still has it; one step."""
    moment = min(moment, now)
    if now - moment < SAMPLE.kept - INSTANT:
        until = SAMPLE.start_of(moment)
        return TierSpan(SAMPLE, until - INSTANT, until, INSTANT, now, origin=until - INSTANT)
    tier = MINUTE if now - moment < MINUTE.kept - INSTANT else QUARTER
    start = tier.start_of(moment)
    return TierSpan(tier, start, start + tier.step, tier.step, now, origin=start)


def of_states(span: TierSpan) -> TierSpan:
    """Returns the same span for what mlpcore notes once a minute."""
    if span.tier is not SAMPLE:
        return span
    if span.origin == span.since:  # an instant: the last minute that was noted
        since = MINUTE.start_of(span.until - _NOTED_WITHIN)
        return replace(span, tier=MINUTE, since=since, step=_NOTED_WITHIN + INSTANT, origin=since)
    step = timedelta(seconds=-(-int(span.step.total_seconds()) // MINUTE.seconds) * MINUTE.seconds)
    return replace(span, tier=MINUTE, since=MINUTE.start_of(span.since), step=step)
