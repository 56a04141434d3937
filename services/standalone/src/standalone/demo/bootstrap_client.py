"""Client of the services' `bootstrap` calls, which the installation makes for itself."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Feature
from mlplace_contracts.internal.identity import EnsuredUser, EnsureUser, ReplacedPassword, ReplacePassword
from mlplace_kit.errors import Unavailable
from mlplace_runtime.internal_client import InternalClient
from standalone.demo.content import DemoUser
from standalone.problems import ServiceSilentError

log = structlog.get_logger(__name__)

_TIMEOUT_SECONDS: Final = 20.0
_PAUSE_SECONDS: Final = 0.5
_Result = TypeVar("_Result")


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Limits(_Body):
    """The platform's defaults, except for calls and instances."""

    base_model_instance_limit: int = 5
    derived_model_instance_limit: int = 10
    gpu_model_instance_limit: int = 0
    cpu_limit: str = "4"
    memory_limit: str = "8Gi"
    ephemeral_disk_limit: str = "20Gi"
    storage_limit: str = "10Gi"
    predict_per_sec: int
    fit_per_minute: int = 5


class _Account(_Body):
    account_id: int
    features: tuple[Feature, ...]
    limits: _Limits


class _Refill(_Body):
    account_id: int
    amount_nano: int
    currency: str
    idempotency_key: str


class _Server(_Body):
    group_name: str
    server_name: str
    reissue: bool = True


class _EnrolmentToken(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel)

    enrolment_token: str


class BootstrapClient:
    """All calls are idempotent: they create what is missing and change nothing else."""

    def __init__(self, internal: InternalClient, *, timeout_seconds: float = _TIMEOUT_SECONDS) -> None:
        self._internal = internal
        self._timeout_seconds = timeout_seconds

    async def ensure_user(self, user: DemoUser, *, password: str) -> int:
        """Returns the id of the user's account. An existing user keeps the password."""
        wanted = EnsureUser(
            login=user.login,
            password=password,
            account_name=user.account,
            display_name=user.display_name,
            permissions=(SUPERADMIN_PERMISSION,) if user.superadmin else (),
        )
        made = await self._persist(lambda: self._internal.post("accountsadmin", "/bootstrap", wanted, EnsuredUser))
        return made.account_id

    async def replace_password(self, login: str, *, known: str, password: str) -> bool:
        """Replace the password if it is `known`. Returns whether it was."""
        wanted = ReplacePassword(login=login, known=known, password=password)
        path = "/bootstrap/password"
        answer = await self._persist(lambda: self._internal.post("accountsadmin", path, wanted, ReplacedPassword))
        return answer.replaced

    async def configure_account(
        self, account_id: int, *, features: Iterable[Feature], calls_per_second: int, instances: int = 5
    ) -> None:
        limits = _Limits(predict_per_sec=calls_per_second, base_model_instance_limit=instances)
        body = _Account(account_id=account_id, features=tuple(features), limits=limits)
        await self._persist(lambda: self._internal.send("mlpcore", "/bootstrap/account", body))

    async def refill(self, account_id: int, *, nano: int, currency: str) -> None:
        """Idempotent: refills each account once."""
        body = _Refill(account_id=account_id, amount_nano=nano, currency=currency, idempotency_key=f"demo-{account_id}")
        await self._persist(lambda: self._internal.send("mlpbilling", "/bootstrap/refill", body))

    async def enrolment_token(self, *, group: str, server: str) -> str:
        """A new one-time token for the named hosting server. Earlier tokens of the server become invalid."""
        body = _Server(group_name=group, server_name=server)
        made = await self._persist(lambda: self._internal.post("mlpcore", "/bootstrap/server", body, _EnrolmentToken))
        return made.enrolment_token

    async def _persist(self, work: Callable[[], Awaitable[_Result]]) -> _Result:
        """Retry for a while, since a service of a loaded machine may answer too late.

        Raises ServiceSilentError; the log holds each failure.
        """
        now = asyncio.get_running_loop().time
        deadline = now() + self._timeout_seconds
        while True:
            try:
                return await work()
            except Unavailable as error:
                service = error.details.get("service", "")
                log.warning("bootstrap_call_failed", service=service, error=error.text)
                if now() >= deadline:
                    raise ServiceSilentError(service) from error
                await asyncio.sleep(_PAUSE_SECONDS)
