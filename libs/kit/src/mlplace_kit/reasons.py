"""Why somebody changed something, in their own words. It is stored with the record of the change."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

MOST_REASON: Final = 500
# A reason is one line in a list: no control characters, no separators of lines, and no marks that change the direction
# of text, which make a text look like another one.
_FORBIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _check(text: str) -> str:
    if _FORBIDDEN.search(text):
        raise PydanticCustomError("one_line", "must be one line without control characters")
    return text


Reason = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_REASON), AfterValidator(_check)
]
