"""Credentials of private registries reach agents only for the own images of the instance's account."""

from typing import Any

import httpx

from mlplace_contracts.internal.hosting import RegistryLogin, ReportedPhase
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
MODEL = f"{ACME}/model/greeting"
LOGIN = RegistryLogin(host="registry.example", username="ann", password="canary")  # pragma: allowlist secret


async def post(client: httpx.AsyncClient, path: str, body: object, headers: dict[str, str]) -> Any:
    answer = await client.post(path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json() if answer.content else None


async def credential(client: httpx.AsyncClient, account: str, headers: dict[str, str], **fields: str) -> None:
    body = {"host": LOGIN.host, "username": LOGIN.username, "password": LOGIN.password, **fields}
    await post(client, f"{account}/registry-credential", body, headers)


async def use(client: httpx.AsyncClient, world: World, image: str, data: str, *, shared: bool = False) -> None:
    """Lets one instance of the model run with an image and a data image: its account's, or shared ones of another."""
    account, headers = (GLOBEX, world.stranger) if shared else (ACME, world.owner)
    mode = {"accessMode": "public" if shared else "private"}
    made = (await post(client, f"{account}/image", {"name": "i", "image": image, **mode}, headers))["id"]
    body = {"name": "d", "image": data, "sourcePath": "/w", **mode}
    mounted = (await post(client, f"{account}/data-image", body, headers))["id"]
    mount = {"dataImageAccountId": mounted["accountId"], "dataImageId": mounted["imageId"], "targetPath": "/data"}
    chosen = {"imageAccountId": made["accountId"], "imageId": made["imageId"], "dataImageMounts": [mount]}
    await post(client, MODEL, {"modelName": "greeting", **chosen}, world.owner)
    await post(client, f"{MODEL}/instances", 1, world.owner)


async def given(agent: AgentTwin) -> tuple[RegistryLogin | None, RegistryLogin | None]:
    (wanted,) = (await agent.beat()).values()
    return wanted.login, wanted.data_mounts[0].login


class TestLogins:
    async def test_own_images_of_the_registry_are_pulled_with_them(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await credential(client, ACME, publisher.owner)
        await use(client, publisher, "registry.example/acme/i:1", "Registry.Example/acme/d")
        assert await given(agent) == (LOGIN, LOGIN)

    async def test_images_of_other_registries_are_not(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await credential(client, ACME, publisher.owner)
        await use(client, publisher, "registry.example:5000/acme/i:1", "registry.example.evil/d")
        assert await given(agent) == (None, None)

    async def test_shared_images_of_another_account_are_not(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        """Neither with the credentials of the owner of the service nor with those of the owner of the image."""
        await credential(client, ACME, publisher.owner)
        await credential(client, GLOBEX, publisher.stranger, username="bob")
        await use(client, publisher, "registry.example/g/i:1", "registry.example/g/d:1", shared=True)
        assert await given(agent) == (None, None)

    async def test_credentials_of_another_account_are_not_used(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await credential(client, GLOBEX, publisher.stranger)
        await use(client, publisher, "registry.example/acme/i:1", "registry.example/acme/d:1")
        assert await given(agent) == (None, None)

    async def test_they_are_sent_until_the_server_reports_the_instance(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await credential(client, ACME, publisher.owner)
        await use(client, publisher, "registry.example/acme/i:1", "registry.example/acme/d:1")
        (number,) = await agent.beat()
        assert await given(agent) == (LOGIN, LOGIN)
        (wanted,) = (await agent.beat(report(number, ReportedPhase.STARTING))).values()
        assert (wanted.login, wanted.data_mounts[0].login) == (None, None)

    async def test_docker_hub_is_the_registry_of_addresses_without_one(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await credential(client, ACME, publisher.owner, host="index.docker.io")
        await use(client, publisher, "acme/i:1", "docker.io/acme/d:1")
        hub = LOGIN.model_copy(update={"host": "docker.io"})
        assert await given(agent) == (hub, hub)
