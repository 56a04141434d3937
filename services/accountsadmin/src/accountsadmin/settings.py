"""Settings of accountsadmin: `MLP_ACCOUNTSADMIN_...` for its own, `MLP_...` for those that every service has."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.settings import Settings

_PREFIX = "MLP_ACCOUNTSADMIN_"


class AccountsadminSettings(Settings):
    """`owner_database_url` is for the migrations, which the composition root runs."""

    model_config = SettingsConfigDict(populate_by_name=True)

    database_url: str = Field(validation_alias=_PREFIX + "DATABASE_URL")
    owner_database_url: str = Field(default="", validation_alias=_PREFIX + "OWNER_DATABASE_URL")

    session_idle: timedelta = Field(default=timedelta(days=30), validation_alias=_PREFIX + "SESSION_IDLE")
    """A session that nobody uses for so long ends."""
    session_lifetime: timedelta = Field(default=timedelta(days=90), validation_alias=_PREFIX + "SESSION_LIFETIME")
    """A session ends so long after sign-in, used or not."""

    attempts_window: timedelta = Field(default=timedelta(minutes=15), validation_alias=_PREFIX + "ATTEMPTS_WINDOW")
    attempts_per_login: int = Field(default=10, ge=1, validation_alias=_PREFIX + "ATTEMPTS_PER_LOGIN")
    """Wrong passwords for one login within the window; the next attempt locks it until the window ends."""
    attempts_per_address: int = Field(default=100, ge=1, validation_alias=_PREFIX + "ATTEMPTS_PER_ADDRESS")
    registrations_per_address: int = Field(default=50, ge=1, validation_alias=_PREFIX + "REGISTRATIONS_PER_ADDRESS")

    argon2_memory_kib: int = Field(default=65_536, ge=8, validation_alias=_PREFIX + "ARGON2_MEMORY_KIB")
    """With three passes the second recommended option of RFC 9106."""
    argon2_passes: int = Field(default=3, ge=1, validation_alias=_PREFIX + "ARGON2_PASSES")
    argon2_workers: int = Field(default=2, ge=1, validation_alias=_PREFIX + "ARGON2_WORKERS")
