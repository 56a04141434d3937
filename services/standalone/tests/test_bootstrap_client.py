"""The installation's calls of services that may not answer."""

import httpx
import pytest
from structlog.testing import capture_logs

from mlplace_runtime.internal_client import InternalClient, RemoteRefusalError
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.problems import ServiceSilentError


def _bootstrap_client(*answers: httpx.Response, timeout_seconds: float) -> BootstrapClient:
    left = list(answers)
    transport = httpx.MockTransport(lambda _: left.pop(0))
    client = httpx.AsyncClient(transport=transport, base_url="http://mlpbilling")
    return BootstrapClient(InternalClient({"mlpbilling": client}, "token"), timeout_seconds=timeout_seconds)


class TestRefill:
    async def test_retries_while_a_service_is_unavailable(self) -> None:
        bootstrap_client = _bootstrap_client(httpx.Response(503), httpx.Response(200), timeout_seconds=20)
        with capture_logs() as logs:
            await bootstrap_client.refill(7, nano=1, currency="RUBLE")
        assert [(entry["event"], entry["service"]) for entry in logs] == [("bootstrap_call_failed", "mlpbilling")]

    async def test_names_a_service_that_stays_unavailable(self) -> None:
        bootstrap_client = _bootstrap_client(httpx.Response(500), timeout_seconds=0)
        with pytest.raises(ServiceSilentError, match="mlpbilling does not answer"):
            await bootstrap_client.refill(7, nano=1, currency="RUBLE")

    async def test_does_not_retry_a_refusal(self) -> None:
        bootstrap_client = _bootstrap_client(httpx.Response(409, json={"code": "x"}), timeout_seconds=20)
        with pytest.raises(RemoteRefusalError):
            await bootstrap_client.refill(7, nano=1, currency="RUBLE")
