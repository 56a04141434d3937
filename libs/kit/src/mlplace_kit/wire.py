"""Bases of what crosses the HTTP wire: camelCase names, inputs that forbid unknown fields, frozen outputs."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Input(BaseModel):
    """A request body. An unknown field is an error, so that a misspelt one is never silently ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


class Output(BaseModel):
    """A response body. Fields carry no defaults: what a client reads is always there, `null` when unknown."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, from_attributes=True)
