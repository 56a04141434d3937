"""Host names that resolve to an external address when checked and to an internal one when called (DNS rebinding)."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field

import httpx
import pytest

from mlplace_testing.waiting import eventually
from standalone.demo.content import OWNER
from tests.attacks.bystander import serve
from tests.attacks.people import People, Tenant, post
from tests.attacks.preloads import Deceived

_LOOKS = 2
"""One lookup for each of the two answers; code that resolves twice for one connection needs no more."""
_SECONDS = 40.0


@dataclass
class Inside:
    """A server on the loopback that no tenant may reach. `reached` counts connections."""

    port: int = 0
    reached: int = field(default=0)

    async def serve(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached += 1
        writer.close()


@pytest.fixture
async def inside() -> AsyncGenerator[Inside]:
    secret = Inside()
    async with await asyncio.start_server(secret.serve, "127.0.0.1", 0) as server:
        secret.port = server.sockets[0].getsockname()[1]
        yield secret


@pytest.fixture
def people(deceived_platform: Deceived) -> People:
    return People(deceived_platform.target.url, deceived_platform.target.data / "demo.json")


Name = Callable[[Deceived, People, str], Awaitable[None]]


async def _webhook(platform: Deceived, _people: People, address: str) -> None:
    key = json.loads((platform.target.data / "demo.json").read_text())["api_key"]
    headers = {"MLP-API-KEY": key, "Prefer": "respond-async", "MLP-Webhook": f"http://{address}/"}
    async with httpx.AsyncClient(base_url=platform.target.url, headers=headers, timeout=60) as client:
        path = "/api/mlpgateway/account/acme/model/greeting/predict"
        assert (await client.post(path, json={"name": "Ada"})).status_code == 202


async def _instance(_platform: Deceived, people: People, address: str) -> None:
    host, _, port = address.partition(":")
    service = await people.service(OWNER, "elsewhere")
    async with people.signed_in(OWNER) as owner:
        path = f"{service.core}/model/{service.model}"
        await post(owner, f"{path}/http", {"isHttpEnabled": True, "httpPort": 8080, "httpInterfaceOnly": True})
        await post(owner, f"{path}/external?httpHost={host}&httpPort={port}", None)


async def _cache(platform: Deceived, people: People, address: str) -> None:
    caching = {"enabled": True, "mongoUri": f"mongodb://{address}/x", "collectionName": "c", "recordsLimit": 10}
    service = await people.service(OWNER, "remembering", caching=caching)
    instance = asyncio.create_task(serve(platform.target.gate, service.token, seconds=0))
    headers = {"MLP-API-KEY": service.key}
    async with httpx.AsyncClient(base_url=platform.target.url, headers=headers, timeout=60) as client:
        await eventually(lambda: _called(client, service), seconds=_SECONDS)
    instance.cancel()
    await asyncio.gather(instance, return_exceptions=True)


async def _called(client: httpx.AsyncClient, service: Tenant) -> bool:
    return (await client.post(f"{service.path}/predict", json={})).is_success


class TestChangingName:
    @pytest.mark.parametrize("name", [_webhook, _instance, _cache])
    async def test_changing_name_reaches_no_internal_address(
        self, deceived_platform: Deceived, people: People, inside: Inside, name: Name
    ) -> None:
        names = deceived_platform.names
        host = f"{name.__name__.strip('_')}.rebinding.test"
        dialled = names.dialled
        await name(deceived_platform, people, f"{host}:{inside.port}")
        async with asyncio.timeout(_SECONDS):
            while names.looked_up(host) < _LOOKS:  # noqa: ASYNC110  polls another process
                await asyncio.sleep(0.1)
        await asyncio.sleep(1)
        assert inside.reached == 0
        assert names.dialled > dialled, "an address outside is dialled: the way is open, but not inside"
