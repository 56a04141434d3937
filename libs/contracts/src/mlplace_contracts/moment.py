"""Times in events."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("times are aware, in UTC")
    return moment


Moment = Annotated[datetime, AfterValidator(_aware)]
