"""Credentials of private registries: requests carry passwords, responses never do."""

import asyncio
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.registry_credentials.answers import RegistryLogins
from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

CREDENTIALS = "/api/mlpcore/account/acme/registry-credential"
GLOBEX = "/api/mlpcore/account/globex/registry-credential"
PASSWORD = "canary-of-a-registry"  # pragma: allowlist secret


async def make(
    client: httpx.AsyncClient, headers: dict[str, str], url: str = CREDENTIALS, **fields: object
) -> httpx.Response:
    body = {"host": "registry.example:5000", "username": "ann", "password": PASSWORD, **fields}
    return await client.post(url, json=body, headers=headers)


async def made(client: httpx.AsyncClient, headers: dict[str, str], **fields: str) -> dict[str, Any]:
    answer = await make(client, headers, **fields)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def logins(
    state: CoreState, *accounts: int, vault: Vault | None = None
) -> dict[tuple[int, str], tuple[str, str]]:
    async with state.database.transaction() as session:
        found = await RegistryLogins(session, vault or state.vault).of_accounts(accounts)
    return {key: (login.username, login.password) for key, login in found.items()}


class TestCreate:
    async def test_response_contains_everything_but_the_password(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await make(client, world.owner)
        assert answer.status_code == 200, answer.text
        shown = answer.json()
        assert (shown["host"], shown["username"], shown["version"]) == ("registry.example:5000", "ann", 1)
        assert (shown["createdAt"], shown["createdBy"]) == (shown["updatedAt"], shown["updatedBy"])
        listed = await client.get(CREDENTIALS, headers=world.owner)
        assert listed.json() == [shown]
        assert PASSWORD not in answer.text + listed.text
        assert "password" not in shown

    async def test_password_is_stored_encrypted_for_its_account_and_registry(
        self, client: httpx.AsyncClient, world: World, database: Database, state: CoreState
    ) -> None:
        await made(client, world.owner)
        acme, globex = world.acme.account_id, world.globex.account_id
        async with database.transaction() as session:
            text = "SELECT encode(password_sealed, 'escape') || c::text FROM registry_credential c"
            row = await session.scalar(sa.text(text))
            assert PASSWORD not in str(row)
        assert await logins(state, acme) == {(acme, "registry.example:5000"): ("ann", PASSWORD)}
        async with database.transaction() as session:
            await session.execute(sa.text("UPDATE registry_credential SET host = 'evil.example'"))
        assert await logins(state, acme) == {}
        async with database.transaction() as session:
            moved = "UPDATE registry_credential SET host = 'registry.example:5000', account_id = :account"
            await session.execute(sa.text(moved), {"account": globex})
        assert await logins(state, acme, globex) == {}

    @pytest.mark.parametrize(
        ("fields", "path"),
        [({"host": "acme"}, "host"), ({"host": "https://registry.example"}, "host"), ({"host": "registry.example/team"}, "host"),
         ({"host": ""}, "host"), ({"host": "a b.example"}, "host"), ({"host": "a.example:x"}, "host"), ({"host": "a.example:0"}, "host"), ({"host": "a.example:65536"}, "host"), ({"host": "x." * 200}, "host"),
         ({"username": ""}, "username"), ({"username": "a:b"}, "username"), ({"username": "a\nb"}, "username"),
         ({"password": ""}, "password"), ({"password": "x" * 20_000}, "password"), ({"password": "a\0b"}, "password"),
         ({"more": 1}, "more")],
    )  # fmt: skip
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, world: World, fields: dict[str, object], path: str
    ) -> None:
        refused = await make(client, world.owner, **fields)  # type: ignore[arg-type]  # a body that is wrong on purpose
        assert (refused.status_code, list(refused.json()["args"])) == (400, [path])

    @pytest.mark.parametrize(
        ("host", "stored"),
        [("Registry.Example", "registry.example"), ("docker.io", "docker.io"), ("index.docker.io", "docker.io"),
         ("localhost", "localhost"), ("localhost:5000", "localhost:5000"), ("10.0.0.1:5000", "10.0.0.1:5000")],
    )  # fmt: skip
    async def test_host_is_stored_as_addresses_name_it(
        self, client: httpx.AsyncClient, world: World, host: str, stored: str
    ) -> None:
        assert (await made(client, world.owner, host=host))["host"] == stored

    async def test_concurrent_creations_for_one_registry_succeed_once(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        answers = await asyncio.gather(*(make(client, world.owner) for _ in range(4)))
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
        refused = next(answer for answer in answers if answer.status_code == 409).json()
        assert refused["code"] == "mlp.core.name_already_exists"
        assert refused["args"] == {"entity": "a registry credential", "name": "registry.example:5000"}
        assert (await make(client, world.stranger, GLOBEX)).status_code == 200

    async def test_concurrent_creations_do_not_exceed_the_limit(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        object.__setattr__(state.settings, "registry_credentials_per_account", 3)
        answers = await asyncio.gather(*(make(client, world.owner, host=f"r{n}.example") for n in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [403] * 3
        refused = next(answer for answer in answers if answer.status_code == 403).json()
        assert refused["code"] == "mlp.core.registry_credential_limit_exceeded"
        assert refused["args"] == {"limit": "3", "used": "3"}


class TestChange:
    async def test_replaced_and_deleted(self, client: httpx.AsyncClient, world: World, state: CoreState) -> None:
        first = await made(client, world.owner)
        path = f"{CREDENTIALS}/{first['credentialId']}"
        answer = await client.post(path, json={"username": "bob", "password": "new one"}, headers=world.owner)
        assert answer.status_code == 200, answer.text
        assert (answer.json()["username"], answer.json()["version"]) == ("bob", 2)
        assert "new one" not in answer.text
        acme = world.acme.account_id
        assert await logins(state, acme) == {(acme, "registry.example:5000"): ("bob", "new one")}
        assert (await client.delete(path, headers=world.owner)).status_code == 200
        assert (await client.get(CREDENTIALS, headers=world.owner)).json() == []
        assert (await client.delete(path, headers=world.owner)).status_code == 404
        assert await logins(state, acme) == {}

    async def test_without_a_password_nothing_changes(self, client: httpx.AsyncClient, world: World) -> None:
        first = await made(client, world.owner)
        path = f"{CREDENTIALS}/{first['credentialId']}"
        refused = await client.post(path, json={"username": "bob"}, headers=world.owner)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["password"])


class TestAccess:
    async def test_only_developers_of_the_account_may_write(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        number = (await made(client, world.owner))["credentialId"]
        reader = identities.api_key(world.acme, permissions=[KeyPermission.READ])
        narrow = identities.api_key(world.acme, allowed_models=(1,))
        body = {"host": "x.example", "username": "u", "password": "v"}
        for headers, read, write in (
            ({}, 401, 401),
            (world.user, 200, 403),
            (world.stranger, 403, 403),
            (reader, 200, 403),
            (narrow, 403, 403),
        ):
            changed = {"username": "u", "password": "v"}
            statuses = [
                (await client.get(CREDENTIALS, headers=headers)).status_code,
                (await client.post(CREDENTIALS, json=body, headers=headers)).status_code,
                (await client.post(f"{CREDENTIALS}/{number}", json=changed, headers=headers)).status_code,
                (await client.delete(f"{CREDENTIALS}/{number}", headers=headers)).status_code,
            ]
            assert statuses == [read, write, write, write]

    async def test_those_of_another_account_look_missing(self, client: httpx.AsyncClient, world: World) -> None:
        path = f"{GLOBEX}/{(await made(client, world.owner))['credentialId']}"
        changed = await client.post(path, json={"username": "u", "password": "v"}, headers=world.stranger)
        deleted = await client.delete(path, headers=world.stranger)
        assert [changed.status_code, deleted.status_code] == [404, 404]
        assert (await client.get(GLOBEX, headers=world.stranger)).json() == []
        assert len((await client.get(CREDENTIALS, headers=world.owner)).json()) == 1
