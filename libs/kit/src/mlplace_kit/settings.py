"""The base of every service's settings: environment variables, each service's own behind a prefix of its own."""

from enum import StrEnum
from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PLACEHOLDER = "change-me"


class Environment(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


class Settings(BaseSettings):
    """Refuses placeholder secrets in production, so that no installation runs on a published secret.

    A service sets `env_prefix`. What an installation is, `MLP_ENVIRONMENT` says to all of its services.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True, populate_by_name=True)

    environment: Environment = Field(default=Environment.DEVELOPMENT, validation_alias="MLP_ENVIRONMENT")
    """What the installation is for. In production placeholders of secrets are refused."""

    @model_validator(mode="after")
    def _refuse_placeholders(self) -> Self:
        if self.environment is not Environment.PRODUCTION:
            return self
        prefix = self.model_config.get("env_prefix", "")
        for name in type(self).model_fields:
            value: object = getattr(self, name)
            text = value.get_secret_value() if isinstance(value, SecretStr) else value
            if isinstance(text, str) and PLACEHOLDER in text:
                raise ValueError(f"{prefix}{name.upper()} still holds the placeholder; set a secret of your own")
        return self
