"""Settings of mlpcore: environment variables that start with `MLP_MLPCORE_`."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_contracts.enums import Feature
from mlplace_kit.money import Currency
from mlplace_kit.settings import Settings


class MlpcoreSettings(Settings):
    """`open_registration_features` are enabled for each new account.

    A hosted installation empties the list, and a manager grants features one by one; a self-hosted one lets everybody
    create services and test them.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_MLPCORE_", extra="ignore", frozen=True)

    database_url: str
    owner_database_url: str = ""
    """Of the role that migrates; only `migrate` needs it."""
    max_body_bytes: int = Field(default=16 * 1024 * 1024, gt=0)
    open_registration_features: tuple[Feature, ...] = (Feature.MODEL_ADMIN, Feature.TEST_FORM)
    currency: Currency = Currency.RUBLE
    billing_enabled: bool = True
    english_only: bool = False
    refill_by_manager: bool = True
    environment_name: str = "self-hosted"
    public_grpc_address: str = "localhost:10601"
    public_rest_url: str = "http://localhost:8080"
    public_grpc_secure: bool = False
    heartbeat_seconds: float = Field(default=1.0, ge=0.05, le=20)
    drain_seconds: float = Field(default=20.0, ge=0, le=600)
    stop_grace_seconds: int = Field(default=30, ge=0, le=600)
