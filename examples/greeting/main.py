"""The smallest model: a typed function. Copy this folder to start your own."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

import mlplace


class Guest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)


class Manner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    language: Literal["en", "ru"] = "en"


class Greeting(BaseModel):
    greeting: str


WORDS = {"en": "Hello", "ru": "Здравствуйте"}


def greet(data: Guest, config: Manner | None = None) -> Greeting:
    """Greet by name, in the language of the config."""
    manner = config or Manner()
    return Greeting(greeting=f"{WORDS[manner.language]}, {data.name}!")


if __name__ == "__main__":
    mlplace.serve(greet)
