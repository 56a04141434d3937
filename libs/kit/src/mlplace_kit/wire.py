"""Base classes of JSON bodies: camelCase names, inputs that forbid unknown fields, frozen outputs."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Annotated, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, SecretStr, field_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

_Value = TypeVar("_Value")


def refuse_nul(value: _Value) -> _Value:
    """Returns the value if no string in it holds U+0000. PostgreSQL cannot store this character, and C libraries stop
    at it.
    """
    if _holds_nul(value):
        raise PydanticCustomError("nul_character", "must not contain the NUL character")
    return value


def _holds_nul(value: object) -> bool:
    match value:
        case str():
            return "\x00" in value
        case SecretStr():
            return "\x00" in value.get_secret_value()
        case Mapping():
            entries = cast("Mapping[object, object]", value)
            return any(_holds_nul(key) or _holds_nul(entry) for key, entry in entries.items())
        case list() | tuple() | AbstractSet():
            return any(_holds_nul(entry) for entry in cast("list[object]", value))
        case _:
            return False


StoredText = Annotated[str, AfterValidator(refuse_nul)]
"""A text of a query, a header or a form that reaches the database. Fields of an Input need no such annotation."""


class Input(BaseModel):
    """A request body. An unknown field is an error, so that a misspelt field is never ignored silently."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, allow_inf_nan=False
    )

    @field_validator("*")
    @classmethod
    def _refuse_nul(cls, value: _Value) -> _Value:
        return refuse_nul(value)


class Output(BaseModel):
    """A response body. Fields have no defaults: every field is present, and `null` when its value is unknown."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, from_attributes=True)
