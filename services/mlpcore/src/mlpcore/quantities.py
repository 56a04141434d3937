"""Amounts of resources in Kubernetes notation: `100m`, `0.5`, `500Mi`, `20Gi`, `1e3`."""

import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, LiteralString

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

_FORM = re.compile(
    r"(?P<number>\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})(?:(?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<exponent>[+-]?\d{1,2}))?",
    re.ASCII,
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_LARGEST = 2**63 - 1
_NOT_POSITIVE, _TOO_LARGE = "must be positive", "is too large"
_RULES: Mapping[str, LiteralString] = {_NOT_POSITIVE: "positive", _TOO_LARGE: "number_too_large"}


def parse_quantity(text: str) -> Decimal:
    """Returns the number. Raises ValueError for another notation, for zero and for more than 2^63 - 1."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError("use a quantity such as 100m, 2, 500Mi or 20Gi")
    value = Decimal(match["number"]) * _scale(match["suffix"] or "", match["exponent"])
    if not 0 < value <= _LARGEST:
        raise ValueError(_NOT_POSITIVE if value <= 0 else _TOO_LARGE)
    return value


def _scale(suffix: str, exponent: str | None) -> Decimal:
    if exponent is not None:
        return Decimal(10) ** int(exponent)
    if suffix in _BINARY:
        return Decimal(2) ** _BINARY[suffix]
    return Decimal(10) ** _DECIMAL[suffix]


def bytes_of(text: str) -> int:
    """Returns whole bytes, rounded up."""
    return int(parse_quantity(text).to_integral_value(ROUND_CEILING))


def milli_cpu_of(text: str) -> int:
    """Returns thousandths of a core, rounded up."""
    return int((parse_quantity(text) * 1000).to_integral_value(ROUND_CEILING))


def _check(text: str) -> str:
    try:
        parse_quantity(text)
    except ValueError as error:
        rule = _RULES.get(str(error), "quantity")
        raise PydanticCustomError(rule, "{text}", {"text": str(error)}) from error
    return text


Quantity = Annotated[str, StringConstraints(max_length=32), AfterValidator(_check)]
