"""Named secrets: requests carry values, responses never do."""

import asyncio
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.secrets.answers import SecretValues
from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.names import PathRef
from mlplace_runtime.db.database import Database
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
SECRETS = f"{ACME}/secret"
VALUE = "canary-of-a-secret"


async def make(client: httpx.AsyncClient, world: World, name: str = "LLM", **fields: object) -> httpx.Response:
    return await client.post(SECRETS, json={"name": name, "value": VALUE, **fields}, headers=world.owner)


async def model(client: httpx.AsyncClient, world: World, name: str = "m", **fields: object) -> httpx.Response:
    return await client.post(f"{ACME}/model", json={"modelName": name, **fields}, headers=world.owner)


async def started_with(state: CoreState, model_id: int) -> dict[str, str]:
    async with state.database.transaction() as session:
        found = await ModelRepository(session).owned(account_id=1000000001, ref=PathRef(id=model_id, name=None))
        assert found is not None
        return dict((await SecretValues(session, state.vault).of_models([found])).get(model_id, {}))


def id_of(answer: httpx.Response) -> int:
    assert answer.status_code == 200, answer.text
    return int(answer.json()["id"]["modelId"])


class TestCreate:
    async def test_response_contains_everything_but_the_value(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await make(client, world)
        assert answer.status_code == 200, answer.text
        made = answer.json()
        assert (made["name"], made["modelId"], made["version"], made["usedBy"]) == ("LLM", None, 1, [])
        assert made["createdBy"] == made["updatedBy"] != ""
        listed = await client.get(SECRETS, headers=world.owner)
        assert listed.json() == [made]
        assert VALUE not in answer.text + listed.text

    async def test_value_is_stored_encrypted(self, client: httpx.AsyncClient, world: World, database: Database) -> None:
        await make(client, world)
        async with database.transaction() as session:
            row = await session.scalar(sa.text("SELECT encode(value_sealed, 'escape') || s::text FROM secret s"))
        assert VALUE not in str(row)

    @pytest.mark.parametrize(
        ("fields", "path"),
        [({"name": "1"}, "name"), ({"name": "a b"}, "name"), ({"value": ""}, "value"), ({"value": "x" * 40_000}, "value"),
         ({"value": "a\0b"}, "value"), ({"modelId": 0}, "modelId"), ({"more": 1}, "more")],
    )  # fmt: skip
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, world: World, fields: dict[str, object], path: str
    ) -> None:
        refused = await make(client, world, **fields)  # type: ignore[arg-type]  # a body that is wrong on purpose
        assert (refused.status_code, list(refused.json()["args"])) == (400, [path])

    async def test_duplicate_name_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        own = id_of(await model(client, world))
        assert (await make(client, world)).status_code == 200
        assert (await make(client, world, modelId=own)).status_code == 200
        assert [(await make(client, world)).status_code, (await make(client, world, modelId=own)).status_code] == [
            409,
            409,
        ]

    async def test_concurrent_creations_do_not_exceed_the_limit(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        object.__setattr__(state.settings, "secrets_per_account", 3)
        answers = await asyncio.gather(*(make(client, world, f"N{n}") for n in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [403] * 3
        assert {a.json()["code"] for a in answers if a.status_code == 403} == {"mlp.core.secret_limit_exceeded"}


class TestAccess:
    async def test_only_developers_of_the_account_may_write(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        number = (await make(client, world)).json()["secretId"]
        reader = identities.api_key(world.acme, permissions=[KeyPermission.READ])
        body = {"name": "X", "value": "v"}
        for headers, read, write in (
            ({}, 401, 401),
            (world.user, 200, 403),
            (world.stranger, 403, 403),
            (reader, 200, 403),
        ):
            statuses = [
                (await client.get(SECRETS, headers=headers)).status_code,
                (await client.post(SECRETS, json=body, headers=headers)).status_code,
                (await client.post(f"{SECRETS}/{number}", json={"value": "v"}, headers=headers)).status_code,
                (await client.delete(f"{SECRETS}/{number}", headers=headers)).status_code,
            ]
            assert statuses == [read, write, write, write]

    async def test_secret_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        number = (await make(client, world)).json()["secretId"]
        theirs = "/api/mlpcore/account/globex/secret"
        assert (await client.get(theirs, headers=world.stranger)).json() == []
        for wanted in (number, 999_999):
            path = f"{theirs}/{wanted}"
            assert (await client.post(path, json={"value": "v"}, headers=world.stranger)).status_code == 404
            assert (await client.delete(path, headers=world.stranger)).status_code == 404
        own = id_of(await model(client, world))
        body = {"name": "X", "value": "v", "modelId": own}
        assert (await client.post(theirs, json=body, headers=world.stranger)).status_code == 404

    async def test_reference_to_another_accounts_secret_is_refused(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await make(client, world)
        body = {"modelName": "thief", "secretEnv": {"KEY": "LLM"}}
        refused = await client.post("/api/mlpcore/account/globex/model", json=body, headers=world.stranger)
        assert (refused.status_code, refused.json()["args"]) == (400, {"secretEnv.KEY": "not found"})

    async def test_limited_key_reaches_only_secrets_of_its_models(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        own, other = id_of(await model(client, world, "own")), id_of(await model(client, world, "other"))
        of_account = (await make(client, world, "A")).json()["secretId"]
        await make(client, world, "B", modelId=own)
        await make(client, world, "C", modelId=other)
        key = identities.api_key(world.acme, allowed_models=(own,))
        assert [one["name"] for one in (await client.get(SECRETS, headers=key)).json()] == ["B"]
        assert (await client.delete(f"{SECRETS}/{of_account}", headers=key)).status_code == 403
        for model_id in (None, other):
            body = {"name": "D", "value": "v", "modelId": model_id}
            assert (await client.post(SECRETS, json=body, headers=key)).status_code == 403


class TestUse:
    async def test_model_refers_to_a_secret_by_name(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await make(client, world)
        made = await model(client, world, secretEnv={"OPENAI_API_KEY": "LLM"})
        assert made.json()["secretEnv"] == {"OPENAI_API_KEY": "LLM"}
        assert await started_with(state, id_of(made)) == {"OPENAI_API_KEY": VALUE}
        (shown,) = (await client.get(SECRETS, headers=world.owner)).json()
        assert shown["usedBy"] == [{"modelId": id_of(made), "modelName": "m", "variables": ["OPENAI_API_KEY"]}]

    async def test_secret_of_the_model_hides_the_accounts_secret(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await make(client, world)
        made = await model(client, world, secretEnv={"KEY": "LLM"})
        await make(client, world, value="own", modelId=id_of(made))
        assert await started_with(state, id_of(made)) == {"KEY": "own"}
        used = {one["modelId"]: len(one["usedBy"]) for one in (await client.get(SECRETS, headers=world.owner)).json()}
        assert used == {None: 0, id_of(made): 1}

    @pytest.mark.parametrize(
        ("fields", "args"),
        [
            ({"secretEnv": {"KEY": "MISSING"}}, {"secretEnv.KEY": "not found"}),
            ({"secretEnv": {"KEY": "LLM"}, "env": '{"KEY": "x"}'}, {"secretEnv.KEY": "is also set in env"}),
        ],
    )
    async def test_invalid_reference_is_refused(
        self, client: httpx.AsyncClient, world: World, fields: dict[str, Any], args: dict[str, str]
    ) -> None:
        await make(client, world)
        refused = await model(client, world, **fields)
        assert (refused.status_code, refused.json()["args"]) == (400, args)

    @pytest.mark.parametrize("name", ["MLP_SERVICE_TOKEN", "LD_PRELOAD", "A-B"])
    async def test_forbidden_variable_is_refused(self, client: httpx.AsyncClient, world: World, name: str) -> None:
        await make(client, world)
        assert (await model(client, world, secretEnv={name: "LLM"})).status_code == 400

    async def test_update_without_references_keeps_them(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world)
        await model(client, world, secretEnv={"KEY": "LLM"})
        changed = await client.post(f"{ACME}/model/m", json={"modelName": "m", "env": "{}"}, headers=world.owner)
        assert changed.json()["secretEnv"] == {"KEY": "LLM"}

    async def test_clone_of_an_own_model_gets_copies(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        own = id_of(await model(client, world))
        await make(client, world, modelId=own)
        body = {"modelName": "m", "secretEnv": {"KEY": "LLM"}}
        assert (await client.post(f"{ACME}/model/m", json=body, headers=world.owner)).status_code == 200
        made = await client.post(f"{ACME}/model/m/clone", params={"name": "copy"}, headers=world.owner)
        assert await started_with(state, id_of(made)) == {"KEY": VALUE}


class TestReplaceAndDelete:
    async def test_new_value_is_used_by_the_next_start(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        number = (await make(client, world)).json()["secretId"]
        made = id_of(await model(client, world, secretEnv={"KEY": "LLM"}))
        answer = await client.post(f"{SECRETS}/{number}", json={"value": "new"}, headers=world.owner)
        assert (answer.json()["version"], len(answer.json()["usedBy"])) == (2, 1)
        assert await started_with(state, made) == {"KEY": "new"}

    async def test_secret_in_use_cannot_be_deleted(self, client: httpx.AsyncClient, world: World) -> None:
        number = (await make(client, world)).json()["secretId"]
        await model(client, world, secretEnv={"KEY": "LLM"})
        refused = await client.delete(f"{SECRETS}/{number}", headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.in_use")
        assert refused.json()["args"] == {"entity": "the secret", "by": "m", "use": "named", "names": "m"}
        await client.post(f"{ACME}/model/m", json={"modelName": "m", "secretEnv": {}}, headers=world.owner)
        assert (await client.delete(f"{SECRETS}/{number}", headers=world.owner)).status_code == 200
        assert (await client.get(SECRETS, headers=world.owner)).json() == []

    async def test_deletion_of_a_model_deletes_its_secrets(self, client: httpx.AsyncClient, world: World) -> None:
        own = id_of(await model(client, world))
        await make(client, world, modelId=own)
        await client.delete(f"{ACME}/model/m", headers=world.owner)
        assert (await client.get(SECRETS, headers=world.owner)).json() == []

    async def test_value_moved_to_another_row_cannot_be_decrypted(
        self, client: httpx.AsyncClient, world: World, database: Database, state: CoreState
    ) -> None:
        await make(client, world)
        await make(client, world, "OTHER", value="other")
        made = id_of(await model(client, world, secretEnv={"KEY": "OTHER"}))
        moved = "UPDATE secret SET value_sealed = (SELECT value_sealed FROM secret WHERE name = 'LLM')"
        async with database.transaction() as session:
            await session.execute(sa.text(moved))
        assert await started_with(state, made) == {}
