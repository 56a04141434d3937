"""What looks wrong in a content that can be read: codes with arguments, for people of all languages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

FINDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "empty": "the dataset is empty",
        "no_rows": "the dataset has no rows",
        "no_lines": "the dataset has no lines",
        "empty_values": "{number} empty values, the first in line {line}, column {column}",
        "formulas": "{number} values that spreadsheets read as formulas, the first in line {line}, column {column}",
        "same_label": "all rows have the same label",
        "unusual_document": "{type} is usually an object or a list",
    }
)


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is a name of FINDINGS."""

    code: str
    args: Mapping[str, str]


def finding(code: str, **args: object) -> Finding:
    return Finding(code, {name: str(value) for name, value in args.items()})


def read_finding(stored: Mapping[str, object]) -> Finding | None:
    """Returns a finding as a row has it; None for a code of a later release."""
    code, args = str(stored.get("code")), stored.get("args")
    if code not in FINDINGS or not isinstance(args, Mapping):
        return None
    return finding(code, **cast("Mapping[str, object]", args))


def in_english(findings: Iterable[Finding]) -> str | None:
    return "; ".join(FINDINGS[each.code].format_map(each.args) for each in findings) or None
