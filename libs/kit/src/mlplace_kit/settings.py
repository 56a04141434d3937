"""The base of every service's settings: environment variables, with a prefix for each service."""

import ipaddress
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

PLACEHOLDER = "change-me"


class PlaceholderError(ValueError):
    """A secret still has the value of the published examples."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} still holds the placeholder; set a secret of your own")


class Environment(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


class _Variables(EnvSettingsSource):
    """Passes on what should be JSON and is not: the check of the type then refuses it, and names the field."""

    def prepare_field_value(self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool) -> Any:  # noqa: FBT001  as the library has it
        try:
            return super().prepare_field_value(field_name, field, value, value_is_complex)
        except ValueError:
            return value


class Settings(BaseSettings):
    """Refuses placeholder secrets in production, so that no installation runs on a published secret.

    A service sets `env_prefix`. `MLP_ENVIRONMENT` tells all services whether the installation is in production.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True, populate_by_name=True)

    environment: Environment = Field(default=Environment.DEVELOPMENT, validation_alias="MLP_ENVIRONMENT")
    """What the installation is for. In production placeholders of secrets are refused."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_others: PydanticBaseSettingsSource,
        **_named: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, _Variables(settings_cls)

    @model_validator(mode="after")
    def _refuse_placeholders(self) -> Self:
        if self.environment is Environment.PRODUCTION:
            refuse_placeholders(self)
        return self

    def placeholders(self) -> list[str]:
        """Returns the names of the variables whose value is still the placeholder."""
        kind = type(self)
        return [variable_of(kind, name) for name in kind.model_fields if _is_placeholder(getattr(self, name))]


def variable_of(kind: type[BaseSettings], name: str) -> str:
    """Returns the environment variable of a field."""
    alias = kind.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else (kind.model_config.get("env_prefix", "") + name).upper()


def faults_of(refused: ValidationError) -> list[str]:
    """Returns what is wrong with each setting, by the name of its environment variable, without the values.

    Values may be secrets. Errors of classes that are no settings name their fields.
    """
    kind = next((kind for kind in _kinds(Settings) if kind.__name__ == refused.title), None)
    return [
        f"{_named(kind, error['loc'])}: {error['msg'].removeprefix('Value error, ')}"
        for error in refused.errors(include_input=False, include_url=False)
    ]


def _named(kind: type[Settings] | None, place: tuple[int | str, ...]) -> str:
    if not place:
        return "settings"
    first = str(place[0])
    if kind is not None and first in kind.model_fields:
        first = variable_of(kind, first)
    return ".".join([first, *map(str, place[1:])])


def _kinds(kind: type[Settings]) -> Iterator[type[Settings]]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)


def refuse_placeholders(*settings: Settings) -> None:
    """Raises PlaceholderError if an installation in production uses a placeholder."""
    names = [name for each in settings for name in each.placeholders()]
    if names:
        raise PlaceholderError(names[0])


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can reach a listener at this address. A name other than localhost may lead
    anywhere.
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_placeholder(value: object) -> bool:
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    return isinstance(text, str) and PLACEHOLDER in text
