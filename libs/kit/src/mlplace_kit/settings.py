"""The base of every service's settings: environment variables that start with `MLP_`."""

from enum import StrEnum
from typing import Self

from pydantic import SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PLACEHOLDER = "change-me"


class Environment(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


class Settings(BaseSettings):
    """Refuses placeholder secrets in production, so that no installation runs on a published secret."""

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    environment: Environment = Environment.DEVELOPMENT

    @model_validator(mode="after")
    def _refuse_placeholders(self) -> Self:
        if self.environment is not Environment.PRODUCTION:
            return self
        for name in type(self).model_fields:
            value: object = getattr(self, name)
            if isinstance(value, SecretStr) and PLACEHOLDER in value.get_secret_value():
                raise ValueError(f"MLP_{name.upper()} still holds the placeholder; set a secret of your own")
        return self
