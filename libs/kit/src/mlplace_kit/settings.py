"""The base of every service's settings: environment variables, with a prefix for each service."""

import ipaddress
from enum import StrEnum
from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PLACEHOLDER = "change-me"


class PlaceholderError(ValueError):
    """A secret still has the value of the published examples."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} still holds the placeholder; set a secret of your own")


class Environment(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


class Settings(BaseSettings):
    """Refuses placeholder secrets in production, so that no installation runs on a published secret.

    A service sets `env_prefix`. `MLP_ENVIRONMENT` tells all services whether the installation is in production.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True, populate_by_name=True)

    environment: Environment = Field(default=Environment.DEVELOPMENT, validation_alias="MLP_ENVIRONMENT")
    """What the installation is for. In production placeholders of secrets are refused."""

    @model_validator(mode="after")
    def _refuse_placeholders(self) -> Self:
        if self.environment is Environment.PRODUCTION:
            refuse_placeholders(self)
        return self

    def placeholders(self) -> list[str]:
        """Returns the names of the variables whose value is still the placeholder."""
        prefix = self.model_config.get("env_prefix", "")
        return [f"{prefix}{name.upper()}" for name in type(self).model_fields if _is_placeholder(getattr(self, name))]


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
