"""Writes a golden file for each event type that has none yet. Existing files are left as they are."""

import json
import types
import typing
import uuid
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from mlplace_contracts.events import EVENT_TYPES, Envelope, encode

FOLDER = Path(__file__).parent / "golden"


def sample(annotation: object) -> object:
    """Returns a fixed value of the annotated type."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return sample(arguments[0])
    if origin is typing.Literal:
        return arguments[0]
    if origin in {typing.Union, types.UnionType}:
        return sample(arguments[0])
    if origin is tuple:
        return [sample(arguments[0])]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: sample(field.annotation) for name, field in annotation.model_fields.items()}
    plain: dict[object, object] = {
        int: 7,
        str: "text",
        bool: True,
        float: 1.5,
        uuid.UUID: "01890a5d-ac96-774b-bcce-b302099a8057",
        datetime: "2026-01-02T03:04:05Z",
    }
    return plain[annotation]


def main() -> None:
    for name, event_type in EVENT_TYPES.items():
        path = FOLDER / f"{name}.json"
        if path.exists():
            continue
        values = {field: sample(info.annotation) for field, info in event_type.model_fields.items()}
        event = event_type.model_validate(values)
        envelope = Envelope(
            event_id=uuid.UUID("01890a5d-ac96-774b-bcce-b302099a8057"),
            type_name=name,
            occurred_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            payload=event.model_dump(mode="json"),
        )
        document = json.loads(encode(envelope)) | {"expected_key": event.key}
        path.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
