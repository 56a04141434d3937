"""A tenant stores as much as possible: their account's limit stops them before the disk is full."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator

import httpx
import pytest

from standalone.demo.content import ADMIN
from tests.attacks.bystander import Bystander, serve
from tests.attacks.installation import Target
from tests.attacks.people import People, Tenant, post

_MIB = 1024 * 1024
_LIMIT_MIB = 12
_BODY = b'{"text": "%s"}' % (b"a" * _MIB)
_MANY = 40
_AT_A_TIME = 4


@pytest.fixture
async def echoing(target: Target, attacker: Tenant) -> AsyncGenerator[None]:
    """The attacker's instance echoes requests, so that answers are as large as requests."""
    task = asyncio.create_task(serve(target.gate, attacker.token, seconds=0))
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def little_room(people: People, attacker: Tenant) -> AsyncGenerator[None]:
    """A low storage limit for the attacker's account during the test."""
    account = f"/api/mlpcore/admin/account/{attacker.account_id}"
    async with people.signed_in(ADMIN) as admin:
        limits = (await admin.get(account)).raise_for_status().json()["limits"]
        await post(admin, f"{account}/limits", {**limits, "storageLimit": f"{_LIMIT_MIB}Mi"})
        yield
        await post(admin, f"{account}/limits", limits)


@pytest.mark.usefixtures("echoing", "little_room")
class TestStorage:
    async def test_storage_of_one_tenant_is_limited_without_effect_on_others(
        self, target: Target, attacker: Tenant, neighbour: Tenant, hostile: httpx.AsyncClient, bystander: Bystander
    ) -> None:
        storage = f"/api/mlpgateway/account/{attacker.account_id}/storage"
        async with bystander.undisturbed():
            statuses = Counter[int]()
            for _ in range(0, _MANY, _AT_A_TIME):
                statuses.update(await asyncio.gather(*(_predict(hostile, attacker, _BODY) for _ in range(_AT_A_TIME))))
            used = await _settled(hostile, storage)
        assert set(statuses) == {202, 413}, statuses
        assert used <= _LIMIT_MIB * _MIB
        async with httpx.AsyncClient(base_url=target.url, headers={"MLP-API-KEY": neighbour.key}) as client:
            assert await _predict(client, neighbour, b"{}") == 202
        assert (await hostile.post(f"{attacker.path}/predict", content=_BODY)).status_code == 200, "nothing is stored"


async def _predict(client: httpx.AsyncClient, tenant: Tenant, body: bytes) -> int:
    headers = {"Prefer": "respond-async", "Content-Type": "application/json"}
    return (await client.post(f"{tenant.path}/predict", content=body, headers=headers)).status_code


async def _settled(client: httpx.AsyncClient, path: str) -> int:
    """Stored bytes, once they stop changing: answers are stored after their requests."""
    before = -1
    while (now := int((await client.get(path)).raise_for_status().json()["usedBytes"])) != before:
        before = now
        await asyncio.sleep(1)
    return now
