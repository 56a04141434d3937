"""Parses a server's raw configuration, untrusted YAML text with a schema of the platform's own."""

from collections.abc import Iterator
from typing import Annotated, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.web.findings import violations_of

MAX_BYTES = 64 * 1024
_MAX_DEPTH = 8
_MAX_NODES = 2000
_Label = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$")]


class ServerConfiguration(BaseModel):
    """`maxInstances`: the maximal number of instances that the platform places on the server."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)

    provider: Literal["hosting_server"]
    labels: Annotated[dict[_Label, Annotated[str, StringConstraints(max_length=256)]], Field(max_length=64)] = {}
    description: Annotated[str, StringConstraints(max_length=1024)] | None = None
    max_instances: Annotated[int, Field(ge=1, le=100_000)] | None = None


def read_configuration(text: str) -> ServerConfiguration:
    """Raises ValidationFailed for `rawConfiguration`. Refuses YAML aliases: ten lines can expand to gigabytes."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise _refused(broken("too_many_bytes", max=str(MAX_BYTES)))
    try:
        _check_shape(text)
        loaded: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise _refused(broken("yaml")) from error
    except (ValueError, OverflowError) as error:  # a date that does not exist, a number that does not fit
        raise _refused(broken("yaml_value")) from error
    try:
        return ServerConfiguration.model_validate(loaded)
    except ValidationError as error:
        raise ValidationFailed(violations_of(error.errors(), "rawConfiguration.")) from error


def _check_shape(text: str) -> None:
    depth = 0
    events = cast("Iterator[yaml.Event]", yaml.parse(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]  # untyped in its stubs
    for nodes, event in enumerate(events):
        if isinstance(event, yaml.AliasEvent):
            raise _refused(broken("yaml_alias"))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_DEPTH or nodes > _MAX_NODES:
            raise _refused(broken("yaml_size"))


def _refused(problem: Violation) -> ValidationFailed:
    return ValidationFailed({"rawConfiguration": problem})
