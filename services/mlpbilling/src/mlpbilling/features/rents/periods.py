"""Tariff periods and where the n-th of them ends. No I/O."""

import calendar
from datetime import datetime, timedelta
from enum import StrEnum


class TarifficationPeriod(StrEnum):
    SECOND = "SECOND"
    MINUTE = "MINUTE"
    HOUR = "HOUR"
    DAY = "DAY"
    MONTH = "MONTH"
    YEAR = "YEAR"


_P = TarifficationPeriod
_LENGTHS = {
    _P.SECOND: timedelta(seconds=1),
    _P.MINUTE: timedelta(minutes=1),
    _P.HOUR: timedelta(hours=1),
    _P.DAY: timedelta(days=1),
}
_MONTHS = {_P.MONTH: 1, _P.YEAR: 12}


def end_of(anchor: datetime, period: TarifficationPeriod, number: int) -> datetime:
    """Returns the end of the period with this number, counted from 1.

    A month that is too short ends on its last day.
    """
    if period in _LENGTHS:
        return anchor + _LENGTHS[period] * number
    years, month = divmod(anchor.month - 1 + _MONTHS[period] * number, 12)
    year = anchor.year + years
    return anchor.replace(year=year, month=month + 1, day=min(anchor.day, calendar.monthrange(year, month + 1)[1]))


def begun(anchor: datetime, period: TarifficationPeriod, moment: datetime) -> int:
    """Returns how many periods have begun, including one that begins at the moment itself; 0 before the anchor."""
    if moment < anchor:
        return 0
    if period in _LENGTHS:
        return (moment - anchor) // _LENGTHS[period] + 1
    months = (moment.year - anchor.year) * 12 + moment.month - anchor.month
    number = months // _MONTHS[period]
    return number + 1 if end_of(anchor, period, number) <= moment else number
