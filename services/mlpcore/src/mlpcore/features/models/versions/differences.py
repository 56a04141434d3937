"""What differs between two states of a model's settings, as people may read it."""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from mlpcore.features.models.tables import Block
from mlpcore.features.models.versions.schemas import FieldChange, ShownValue
from mlpcore.features.models.versions.snapshot import ENV, GROUP, SETTINGS, Snapshot, complete

MOST_CHARACTERS: Final = 500
MOST_VARIABLES: Final = 100


def differences(before: Snapshot, after: Snapshot) -> list[FieldChange]:
    """Returns the fields that differ, in the order of the settings. Of secrets it says only that they changed."""
    shown = of_documents(before.document, after.document)
    return shown + _of_secrets(before.secrets, after.secrets, {change.field for change in shown})


def of_documents(before: Block, after: Block) -> list[FieldChange]:
    """Compares what versions store. A part that one of the documents does not have is not compared.

    A group is its id: another one may have got the same name since.
    """
    old, new = _comparable(before, after), _comparable(after, before)
    return [
        _change(path, old.get(path), new.get(path))
        for path in dict.fromkeys([*new, *old])
        if (_group_differs(before, after) if path == GROUP else old.get(path) != new.get(path))
    ]


def _comparable(document: Block, other: Block) -> dict[str, object]:
    settings, others = complete(document[SETTINGS]), other[SETTINGS]
    found = dict(_paths({name: value for name, value in settings.items() if name in others}))
    for part in ("publicSettings", "billingSettings"):
        if part in document and part in other:
            found |= _paths({part: {name: value for name, value in document[part].items() if name in other[part]}})
    return found


def _group_differs(before: Block, after: Block) -> bool:
    return before["resourceGroupId"] != after["resourceGroupId"]


def _paths(block: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in block.items():
        if isinstance(value, dict):
            yield from _paths(cast("Block", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _of_secrets(before: Mapping[str, object], after: Mapping[str, object], shown: set[str]) -> list[FieldChange]:
    changed: list[str] = []
    for path, value in after.items():
        if path == ENV:
            changed += _variables(before[path], value)
        elif before[path] != value and path not in shown:
            changed.append(path)
    return [_hidden(path) for path in changed]


def _variables(before: object, after: object) -> list[str]:
    """Returns the paths of the variables that changed; the path of all of them when these are too many to list."""
    old, new = _entries(before), _entries(after)
    changed = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
    return [ENV] if len(changed) > MOST_VARIABLES else [f"{ENV}.{name}" for name in changed]


def _entries(document: object) -> dict[str, object]:
    return cast("dict[str, object]", document) if isinstance(document, dict) else {}


def _hidden(path: str) -> FieldChange:
    return FieldChange(field=path, hidden=True, before=None, after=None, before_length=None, after_length=None)


def _change(path: str, before: object, after: object) -> FieldChange:
    old, new = _text(before), _text(after)
    return FieldChange(
        field=path,
        hidden=False,
        before=_cut(old),
        after=_cut(new),
        before_length=_length(old),
        after_length=_length(new),
    )


def _text(value: object) -> ShownValue | None:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _cut(value: ShownValue | None) -> ShownValue | None:
    return value[:MOST_CHARACTERS] if isinstance(value, str) else value


def _length(value: ShownValue | None) -> int | None:
    return len(value) if isinstance(value, str) and len(value) > MOST_CHARACTERS else None
