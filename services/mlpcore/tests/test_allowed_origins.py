"""The web origins whose pages may call with a key."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.api_keys.tables import ApiKey
from mlpcore.identity import OwnAccounts, cached_keys
from mlpcore.main import SERVICE
from mlpcore.state import CoreState
from mlplace_contracts.events import ApiKeyChanged
from mlplace_runtime.auth.authenticator import Authenticator, CookieNames
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import INTERNAL_TOKEN, Identities
from mlplace_testing.web import client_for
from mlplace_testing.world import World

TOKENS = "/api/mlpcore/account/acme/token"
SITE, LOCAL, OTHER = "https://example.com", "http://localhost:3000", "https://other.example"


async def create(client: httpx.AsyncClient, world: World, origins: object = None) -> tuple[str, dict[str, Any]]:
    """Returns the address of a new key, and the key."""
    body = {} if origins is None else {"allowedOrigins": origins}
    made: dict[str, Any] = (
        (await client.post(f"{TOKENS}?name=k", json=body, headers=world.owner)).raise_for_status().json()
    )
    return f"{TOKENS}/{made['token'].split('.')[1]}", made


async def told(database: Database) -> list[tuple[str, ...]]:
    return [event.allowed_origins for event in await published(database, ApiKeyChanged)]


class TestCreate:
    async def test_key_allows_no_origin_by_default(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        _, made = await create(client, world)
        assert made["allowedOrigins"] == []
        assert await told(database) == [()]

    async def test_origins_are_shown_and_published_as_browsers_send_them(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        url, made = await create(client, world, ["HTTPS://Example.com:443/", SITE, LOCAL, "https://пример.рф", "*"])
        normal = [SITE, LOCAL, "https://xn--e1afmkfd.xn--p1ai", "*"]
        assert made["allowedOrigins"] == normal
        assert (await client.get(url, headers=world.owner)).json()["allowedOrigins"] == normal
        assert [key["allowedOrigins"] for key in (await client.get(TOKENS, headers=world.owner)).json()] == [normal]
        assert await told(database) == [tuple(normal)]

    async def test_key_of_the_previous_release_allows_no_origin(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        """It inserts rows without the column."""
        url, _ = await create(client, world, [SITE])
        async with database.transaction() as session:
            await session.execute(sa.update(ApiKey).values(allowed_origins=sa.text("DEFAULT")))
        assert (await client.get(url, headers=world.owner)).json()["allowedOrigins"] == []


class TestChange:
    async def test_change_sets_keeps_and_removes_origins(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        url, _ = await create(client, world)
        bodies = ({"allowedOrigins": [SITE]}, {"name": "n"}, {"allowedOrigins": [LOCAL]}, {"allowedOrigins": None})
        answers = [await client.put(url, json=body, headers=world.owner) for body in bodies]
        assert [answer.json()["allowedOrigins"] for answer in answers] == [[SITE], [SITE], [LOCAL], []]
        assert await told(database) == [(), (SITE,), (SITE,), (LOCAL,), ()]

    async def test_key_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        url, _ = await create(client, world, [SITE])
        foreign = url.replace("/acme/", "/globex/")
        for answer in (
            await client.put(foreign, json={"allowedOrigins": ["*"]}, headers=world.stranger),
            await client.get(foreign, headers=world.stranger),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "mlp.core.not_found")
        assert (await client.get(url, headers=world.owner)).json()["allowedOrigins"] == [SITE]


@pytest.fixture
async def keyed(state: CoreState) -> AsyncGenerator[httpx.AsyncClient]:
    """A client of a service that accepts keys."""
    authenticator = Authenticator(
        sessions=Identities(state.hasher, state.clock),
        keys=cached_keys(state),
        cookies=CookieNames(secure=False),
        internal_token=INTERNAL_TOKEN,
    )
    async with client_for(SERVICE.assemble(state, authenticator, OwnAccounts(state.database))) as opened:
        yield opened


class TestKeys:
    """What a key that lists origins may grant to itself and others."""

    @pytest.mark.parametrize(
        ("own", "allowed", "refused"),
        [
            ([SITE, OTHER], [[SITE], [SITE, OTHER]], [[], ["*"], [LOCAL], [SITE, LOCAL]]),
            (["*"], [[SITE], ["*"]], [[]]),
            ([], [[], [SITE], ["*"]], []),
        ],
    )
    async def test_key_grants_no_origins_but_its_own(
        self,
        client: httpx.AsyncClient,
        world: World,
        keyed: httpx.AsyncClient,
        own: list[str],
        allowed: list[list[str]],
        refused: list[list[str]],
    ) -> None:
        itself, made = await create(client, world, own)
        headers = {"MLP-API-KEY": made["token"]}
        other, _ = await create(client, world, own)
        for origins in (*refused, *allowed):
            status = 403 if origins in refused else 200
            body = {"allowedOrigins": origins}
            answers = (
                await keyed.post(f"{TOKENS}?name=child", json=body, headers=headers),
                await keyed.put(other, json=body, headers=headers),
                *([await keyed.put(itself, json=body, headers=headers)] if origins in refused else []),
            )
            assert {answer.status_code for answer in answers} == {status}, origins

    @pytest.mark.parametrize("listed", [[], [LOCAL], [SITE, LOCAL]])
    @pytest.mark.parametrize("body", [{"name": "x"}, {"allowedOrigins": [SITE]}])
    async def test_key_with_origins_changes_no_key_with_others(
        self,
        client: httpx.AsyncClient,
        world: World,
        keyed: httpx.AsyncClient,
        listed: list[str],
        body: dict[str, object],
    ) -> None:
        _, made = await create(client, world, [SITE])
        other, _ = await create(client, world, listed)
        answer = await keyed.put(other, json=body, headers={"MLP-API-KEY": made["token"]})
        assert answer.status_code == 403


class TestInvalid:
    @pytest.mark.parametrize(
        ("origins", "field", "rule"),
        [
            ([SITE, "example.com"], "allowedOrigins.1", "web_origin"),
            (["null"], "allowedOrigins.0", "web_origin"),
            (["https://*.example.com"], "allowedOrigins.0", "web_origin"),
            (["https://example.com/path"], "allowedOrigins.0", "web_origin"),
            (["https://" + "a" * 5000], "allowedOrigins.0", None),
            ([f"https://{number}.example" for number in range(21)], "allowedOrigins", "too_many"),
            (SITE, "allowedOrigins", "wrong_type"),
            ([7], "allowedOrigins.0", "wrong_type"),
        ],
    )
    async def test_invalid_origin_is_refused_by_its_field(
        self, client: httpx.AsyncClient, world: World, origins: object, field: str, rule: str | None
    ) -> None:
        url, _ = await create(client, world, [SITE])
        body = {"allowedOrigins": origins}
        for answer in (
            await client.post(f"{TOKENS}?name=k", json=body, headers=world.owner),
            await client.put(url, json=body, headers=world.owner),
        ):
            violation = answer.json()["violations"][0]
            assert (answer.status_code, violation["path"]) == (400, field)
            assert rule is None or violation["rule"] == rule
        assert (await client.get(url, headers=world.owner)).json()["allowedOrigins"] == [SITE]
