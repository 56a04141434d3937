"""The agent's client of the platform. Every call has a timeout; none is retried here."""

import ssl

import httpx
from pydantic import ValidationError

from mlplace_agent.config import AgentConfig
from mlplace_agent.identity import Credentials
from mlplace_contracts.internal.hosting import DesiredState, Enrolled, EnrolRequest, Heartbeat

_TIMEOUT_SECONDS = 10.0
_REFUSALS = frozenset({401, 403, 404})


class PlatformAwayError(Exception):
    """The platform gave no usable answer. A later attempt may succeed."""


class NotWelcomeError(Exception):
    """The platform does not know this server, or the token was used or has expired."""


class Platform:
    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def enrol(self, token: str) -> Enrolled:
        """Raises PlatformAwayError, NotWelcomeError."""
        body = EnrolRequest(token=token).model_dump_json()
        answer = await self._post("/api/mlpcore/hosting-server/enroll", body, {}, {})
        try:
            return Enrolled.model_validate_json(answer)
        except ValidationError as error:
            raise PlatformAwayError("the answer is not an enrolment") from error

    async def beat(self, credentials: Credentials, heartbeat: Heartbeat) -> DesiredState:
        """Raises PlatformAwayError, NotWelcomeError."""
        query = {"account": str(credentials.account_id), "serverId": str(credentials.server_id)}
        headers = {"Authorization": f"Bearer {credentials.secret}"}
        body = heartbeat.model_dump_json()
        answer = await self._post("/api/mlpcore/server-heartbeat", body, query, headers)
        try:
            return DesiredState.model_validate_json(answer)
        except ValidationError as error:
            raise PlatformAwayError("the answer is not a desired state") from error

    async def _post(self, path: str, body: str, query: dict[str, str], headers: dict[str, str]) -> bytes:
        headers = {"Content-Type": "application/json", **headers}
        try:
            response = await self._client.post(path, content=body, params=query, headers=headers)
        except httpx.HTTPError as error:
            raise PlatformAwayError(repr(error)) from error
        if response.status_code in _REFUSALS:
            raise NotWelcomeError(f"the platform answered {response.status_code}")
        if not response.is_success:
            raise PlatformAwayError(f"the platform answered {response.status_code}")
        return response.content

    async def close(self) -> None:
        await self._client.aclose()


def connect(config: AgentConfig) -> Platform:
    verify: ssl.SSLContext | bool = True
    if config.ca_file is not None:
        verify = ssl.create_default_context(cafile=str(config.ca_file))
    # trust_env=False: a proxy configured on this host must not see the secret.
    client = httpx.AsyncClient(
        base_url=str(config.platform_url), timeout=_TIMEOUT_SECONDS, verify=verify, trust_env=False
    )
    return Platform(client)
