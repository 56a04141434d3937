"""Names of time zones in requests."""

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mlplace_kit.violations import RULES


def _known(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise PydanticCustomError("time_zone_name", "{text}", {"text": RULES["time_zone_name"]}) from error


TimeZoneName = Annotated[str, Field(max_length=64), AfterValidator(_known)]
"""An IANA name such as `Europe/Berlin`."""
