"""One tenant uses as much of a gate as possible; others still get their share."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx
import pytest

from mlplace_testing.waiting import eventually
from tests.attacks.bystander import Bystander, serve
from tests.attacks.installation import Target
from tests.attacks.people import Tenant

_MANY = 700
_NEVER = 3600.0
Trace = Callable[[str, object], Awaitable[None]]


@pytest.fixture
async def silent(target: Target, attacker: Tenant, hostile: httpx.AsyncClient) -> AsyncGenerator[None]:
    """An instance of the attacker's model that never answers."""
    task = asyncio.create_task(serve(target.gate, attacker.token, seconds=_NEVER))
    try:
        async with asyncio.timeout(60):
            while await _state(hostile, attacker) != "RUNNING":  # noqa: ASYNC110  polls another process
                await asyncio.sleep(0.1)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def ended_predictions(attacker: Tenant, hostile: httpx.AsyncClient) -> AsyncGenerator[None]:
    """Cancels the attacker's open predictions after the test: they would count in later tests."""
    yield
    predictions = f"/api/mlpgateway/account/{attacker.account_id}/predictions"
    async with asyncio.timeout(60):
        for status in ("queued", "running"):
            while ids := await _ids(hostile, predictions, status):
                for prediction_id in ids:
                    (await hostile.post(f"{predictions}/{prediction_id}/cancel")).raise_for_status()
                await asyncio.sleep(0.1)


async def _ids(client: httpx.AsyncClient, predictions: str, status: str) -> list[str]:
    answer = await client.get(predictions, params={"status": status, "size": 1000})
    return [prediction["id"] for prediction in answer.raise_for_status().json()]


@pytest.mark.usefixtures("silent")
class TestOneTenant:
    async def test_700_calls_of_one_tenant_delay_nobody(
        self, bystander: Bystander, attacker: Tenant, hostile: httpx.AsyncClient
    ) -> None:
        async with bystander.undisturbed(), _under_way(_MANY, lambda sent: _call(hostile, attacker, sent)) as calls:
            await _refusals(calls)
        assert set(calls.statuses) <= {429}, "what is not refused waits for its answer"

    async def test_700_streams_of_one_tenant_delay_nobody(
        self, bystander: Bystander, attacker: Tenant, hostile: httpx.AsyncClient
    ) -> None:
        async with bystander.undisturbed(), _under_way(_MANY, lambda sent: _stream(hostile, attacker, sent)) as calls:
            await _refusals(calls)
        assert set(calls.statuses) <= {429}

    @pytest.mark.usefixtures("ended_predictions")
    async def test_700_predictions_of_one_tenant_delay_nobody(
        self, bystander: Bystander, attacker: Tenant, hostile: httpx.AsyncClient, neighbour: Tenant, target: Target
    ) -> None:
        """Accounts take turns: the bystander's prediction does not wait for all predictions of the attacker."""
        async with bystander.undisturbed():
            answers = await asyncio.gather(*(_predict(hostile, attacker) for _ in range(_MANY)))
            assert {202, 429} <= set(answers) <= {202, 429, 503}, set(answers)
            async with httpx.AsyncClient(base_url=target.url, headers={"MLP-API-KEY": neighbour.key}) as client:
                headers = {"Prefer": "respond-async"}
                made = (await client.post(f"{neighbour.path}/predict", json={}, headers=headers)).raise_for_status()
                async with asyncio.timeout(20):  # less than the predictions of the attacker take, which nobody answers
                    while (await client.get(made.headers["Location"])).json()["status"] != "succeeded":  # noqa: ASYNC110
                        await asyncio.sleep(0.1)


class _Calls:
    """`number` calls at once. `statuses` are those of the calls that ended."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._sent = 0
        self.statuses: list[int] = []

    async def sent(self, event: str, _about: object) -> None:
        """Is told what the client does for each call."""
        self._sent += event == "http11.send_request_body.complete"

    async def are_sent(self) -> bool:
        return self._sent == self._number

    async def are_refused(self) -> bool:
        return bool(self.statuses)


async def _refusals(calls: _Calls) -> None:
    """Wait until some calls are refused, because a tenant has only a share. Raises TimeoutError if none is.

    All have been sent then: the client leaks the sockets of calls that are cancelled while they connect.
    """
    await eventually(calls.are_refused)
    await eventually(calls.are_sent)
    await asyncio.sleep(2)


async def _state(client: httpx.AsyncClient, tenant: Tenant) -> str:
    return str((await client.get(f"{tenant.core}/model/{tenant.model}")).json()["state"])


@contextlib.asynccontextmanager
async def _under_way(number: int, make: Callable[[Trace], Awaitable[int]]) -> AsyncGenerator[_Calls]:
    """Run `number` calls at once. Those that have not ended are cancelled at the end."""
    calls = _Calls(number)

    async def one() -> None:
        calls.statuses.append(await make(calls.sent))

    tasks = [asyncio.create_task(one()) for _ in range(number)]
    try:
        yield calls
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _call(client: httpx.AsyncClient, tenant: Tenant, sent: Trace) -> int:
    return (await client.post(f"{tenant.path}/predict", json={}, extensions={"trace": sent})).status_code


async def _stream(client: httpx.AsyncClient, tenant: Tenant, sent: Trace) -> int:
    path, body = f"{tenant.path}/predict-with-config-v2-stream", {"data": "{}"}
    async with client.stream("POST", path, json=body, extensions={"trace": sent}) as answer:
        return answer.status_code


async def _predict(client: httpx.AsyncClient, tenant: Tenant) -> int:
    headers = {"Prefer": "respond-async"}
    return (await client.post(f"{tenant.path}/predict", json={}, headers=headers)).status_code
