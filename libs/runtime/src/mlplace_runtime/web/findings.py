"""Pydantic's findings as violations: rule, arguments, and Pydantic's message, which API users know."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from pydantic import SecretStr
from pydantic_core import ErrorDetails

from mlplace_kit.violations import RULES, Violation

_SOURCES: Final = frozenset({"body", "query", "path", "header", "cookie"})
_MOST_ARGUMENT: Final = 200

_RULES: Mapping[str, str] = {
    "missing": "required",
    "extra_forbidden": "unknown_field",
    "string_too_long": "too_long",
    "string_too_short": "too_short",
    "bytes_too_long": "too_many_bytes",
    "url_too_long": "too_long",
    "too_long": "too_many",
    "too_short": "too_few",
    "string_pattern_mismatch": "pattern",
    "enum": "one_of",
    "literal_error": "one_of",
    "union_tag_invalid": "one_of",
    "union_tag_not_found": "required",
    "greater_than": "above",
    "greater_than_equal": "at_least",
    "less_than": "below",
    "less_than_equal": "at_most",
    "multiple_of": "multiple_of",
    "finite_number": "finite_number",
    "int_parsing_size": "number_too_large",
    "decimal_max_places": "decimal_places",
    "decimal_max_digits": "digits",
    "decimal_whole_digits": "digits",
    "timezone_naive": "time_zone",
    "timezone_aware": "time_zone",
    "timezone_offset": "time_zone",
    "url_type": "url",
    "url_parsing": "url",
    "url_syntax_violation": "url",
    "url_scheme": "url",
    "json_invalid": "json",
    "json_type": "json",
}
_TYPES: Mapping[str, str] = {
    "string": "text",
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "decimal": "number",
    "list": "list",
    "tuple": "list",
    "set": "list",
    "frozen_set": "list",
    "dict": "object",
    "mapping": "object",
    "model": "object",
    "model_attributes": "object",
    "date": "date",
    "datetime": "moment",
    "time": "time",
    "time_delta": "duration",
    "uuid": "uuid",
    "none": "nothing",
}
"""The part of Pydantic's error types before `_type`, `_parsing` and the like, and the word for it in `expected`."""
_SUFFIX: Final = re.compile(
    r"_(type|parsing|required|unicode|version|from_float|from_date_parsing|from_datetime_parsing|from_datetime_inexact)$"
)
_ARGUMENTS: Mapping[str, str] = {
    "max_length": "max",
    "min_length": "min",
    "ge": "min",
    "gt": "min",
    "le": "max",
    "lt": "max",
    "multiple_of": "step",
    "decimal_places": "max",
    "max_digits": "max",
    "whole_digits": "max",
    "expected": "allowed",
    "expected_tags": "allowed",
    "pattern": "pattern",
}
_QUOTED: Final = re.compile(r"'([^']*)'")


def violations_of(findings: Sequence[ErrorDetails], prefix: str = "") -> dict[str, Violation]:
    """Returns the first finding of each field by its path."""
    found: dict[str, Violation] = {}
    around = {place[:depth] for place in (finding["loc"] for finding in findings) for depth in range(len(place))}
    for finding in findings:
        # Pydantic leaves out the wrong entries of a list, which are findings themselves, and so takes it for too short.
        if finding["type"] != "too_short" or finding["loc"] not in around:
            found.setdefault(prefix + _path(finding["loc"]), _violation(finding))
    return found


def _violation(finding: ErrorDetails) -> Violation:
    kind, message = finding["type"], _message(finding)
    context = cast("Mapping[str, object]", finding.get("ctx", {}))
    if kind in RULES and kind not in _RULES:  # our own validators
        return Violation(kind, message, {name: _argument(value) for name, value in context.items() if name != "text"})
    args = {_ARGUMENTS[name]: _argument(value) for name, value in context.items() if name in _ARGUMENTS}
    if isinstance(finding.get("input"), str | SecretStr) and kind in {"too_long", "too_short"}:
        return Violation(kind, message, args)
    rule = _RULES.get(kind)
    if rule is None and (expected := _TYPES.get(_SUFFIX.sub("", kind))):
        return Violation("wrong_type", message, {"expected": expected})
    return Violation(rule or "invalid", message, args)


def _argument(value: object) -> str:
    """Returns the value as text; of a list of names in quotes, the names."""
    text = str(value)
    return (", ".join(_QUOTED.findall(text)) or text)[:_MOST_ARGUMENT]


def _message(finding: ErrorDetails) -> str:
    """Returns Pydantic's message, with "items" corrected to "characters" for a text.

    Pydantic says "items" if a validator runs before the check of the length.
    """
    text = finding["msg"]
    if finding["type"] in {"too_long", "too_short"} and isinstance(finding.get("input"), (str, SecretStr)):
        return re.sub(r"\bitems?\b", "characters", text.partition(" after validation")[0])
    return text


def _path(location: tuple[str | int, ...]) -> str:
    parts = location[1:] if len(location) > 1 and location[0] in _SOURCES else location
    return ".".join(str(part) for part in parts)
