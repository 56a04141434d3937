"""Hosts that owners name for their instances."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mlplace_kit.networks import is_address

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")


def _valid_host(text: str) -> str:
    """A name, also with `_`, as containers have, or an address of either version without brackets.

    A name that ends with a number is none (URL Standard). Whether the gates may call the host is known when they do.
    """
    ends_with_number = text.rstrip(".").rpartition(".")[2].isdigit()
    if not is_address(text) and (ends_with_number or not _NAME.fullmatch(text)):
        raise PydanticCustomError("host_name", "must be a host name without scheme and port")
    return text


InstanceHost = Annotated[str, Field(max_length=255), AfterValidator(_valid_host)]
