"""Secrets within a model's settings: masked in every response, stored encrypted."""

import json
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.models.loops import seal_settings
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.masking import MASK
from mlplace_kit.names import PathRef
from mlplace_runtime.db.database import Database
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme/model"
ENV = {"API_KEY": "canary-1", "DATABASE": "postgresql://u:canary-2@db/x", "LEVEL": "info"}  # pragma: allowlist secret
CONFIG = {"llm": {"apiKey": "canary-3", "model": "small"}, "max_tokens": 7}
FLAGS = ["--token=canary-4", "--level=info"]


@pytest.fixture
async def world(world: World, client: httpx.AsyncClient) -> World:
    body = {"account_id": 1000000001, "features": ["mlp.public_model_admin", "mlp.container_additional_flags"]}
    await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
    return world


async def send(client: httpx.AsyncClient, world: World, path: str = "", **fields: object) -> httpx.Response:
    return await client.post(f"{ACME}{path}", json={"modelName": "greeting", **fields}, headers=world.owner)


@pytest.fixture
async def made(client: httpx.AsyncClient, world: World) -> dict[str, Any]:
    answer = await send(client, world, env=json.dumps(ENV), config=json.dumps(CONFIG), additionalFlags=FLAGS)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def whole(state: CoreState, model_id: int) -> tuple[dict[str, str], object, tuple[str, ...]]:
    """Returns the settings with which an instance starts."""
    async with state.database.transaction() as session:
        model = await ModelRepository(session).owned(account_id=1000000001, ref=PathRef(id=model_id, name=None))
        assert model is not None
        found = HiddenSettings(state.vault).reveal(model)
    return found.env, json.loads(found.config), found.additional_flags


class TestReading:
    async def test_owner_sees_settings_with_masked_secrets(self, made: dict[str, Any]) -> None:
        assert json.loads(made["env"]) == {
            "API_KEY": MASK, "DATABASE": f"postgresql://u:{MASK}@db/x", "LEVEL": "info",
        }  # fmt: skip
        assert json.loads(made["config"]) == {"llm": {"apiKey": MASK, "model": "small"}, "max_tokens": 7}
        assert made["additionalFlags"] == [f"--token={MASK}", "--level=info"]

    async def test_reader_sees_names_of_variables_without_values(
        self, client: httpx.AsyncClient, world: World, identities: Identities, made: dict[str, Any]
    ) -> None:
        key = identities.api_key(world.acme, permissions=[KeyPermission.READ])
        for headers in (world.user, key):
            seen = (await client.get(f"{ACME}/greeting", headers=headers)).json()
            assert json.loads(seen["env"]) == dict.fromkeys(ENV, MASK)
            listed = await client.get("/api/mlpcore/account/acme/model", params={"onlyMy": "true"}, headers=headers)
            assert "canary" not in listed.text
            assert json.loads(listed.json()["records"][0]["env"]) == dict.fromkeys(ENV, MASK)

    async def test_database_contains_no_plain_secret(self, database: Database, made: dict[str, Any]) -> None:
        async with database.transaction() as session:
            for table in ("model", "outbox"):
                rows = (await session.scalars(sa.text(f"SELECT t::text FROM {table} t"))).all()
                assert rows
                assert "canary" not in "\n".join(rows)

    async def test_unsealed_row_of_an_earlier_version_is_masked(
        self, client: httpx.AsyncClient, world: World, database: Database, made: dict[str, Any], state: CoreState
    ) -> None:
        async with database.transaction() as session:
            statement = "UPDATE model SET env = :env, config = :config, settings_sealed = NULL"
            await session.execute(sa.text(statement), {"env": json.dumps(ENV), "config": json.dumps(CONFIG)})
        seen = (await client.get(f"{ACME}/greeting", headers=world.owner)).text
        assert "canary" not in seen
        assert (await whole(state, made["id"]["modelId"]))[:2] == (ENV, CONFIG)


class TestWriting:
    async def test_masked_values_sent_back_keep_the_stored_values(
        self, client: httpx.AsyncClient, world: World, made: dict[str, Any], state: CoreState
    ) -> None:
        sent = {name: made[name] for name in ("env", "config", "additionalFlags")}
        answer = await send(client, world, "/greeting", **sent, displayName="New")
        assert answer.status_code == 200, answer.text
        assert await whole(state, made["id"]["modelId"]) == (ENV, CONFIG, tuple(FLAGS))

    async def test_new_value_replaces_one_secret_and_keeps_the_others(
        self, client: httpx.AsyncClient, world: World, made: dict[str, Any], state: CoreState
    ) -> None:
        sent = json.dumps({**json.loads(made["env"]), "API_KEY": "new", "MORE": "x"})
        assert (await send(client, world, "/greeting", env=sent)).status_code == 200
        env, config, _ = await whole(state, made["id"]["modelId"])
        assert env == {**ENV, "API_KEY": "new", "MORE": "x"}
        assert config == CONFIG

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"env": json.dumps({"OTHER_KEY": MASK})}, "env.OTHER_KEY"),
            ({"env": json.dumps({"DATABASE": f"postgresql://u:{MASK}@evil/x"})}, "env.DATABASE"),
            ({"config": json.dumps({"llm": {"other_key": MASK}})}, "config.llm.other_key"),
            ({"additionalFlags": [f"--secret={MASK}"]}, "additionalFlags.0"),
        ],
    )
    async def test_mask_without_a_stored_value_is_refused(
        self, client: httpx.AsyncClient, world: World, made: dict[str, Any], fields: dict[str, object], path: str
    ) -> None:
        refused = await send(client, world, "/greeting", **fields)
        assert (refused.status_code, list(refused.json()["args"])) == (400, [path])

    async def test_update_seals_a_row_of_an_earlier_version(
        self, client: httpx.AsyncClient, world: World, database: Database, made: dict[str, Any], state: CoreState
    ) -> None:
        async with database.transaction() as session:
            statement = sa.text("UPDATE model SET env = :env, settings_sealed = NULL")
            await session.execute(statement, {"env": json.dumps(ENV)})
        assert (await send(client, world, "/greeting", displayName="New")).status_code == 200
        async with database.transaction() as session:
            assert "canary-1" not in str(await session.scalar(sa.text("SELECT m::text FROM model m")))
        assert (await whole(state, made["id"]["modelId"]))[0] == ENV

    async def test_loop_seals_rows_of_an_earlier_version(
        self, world: World, database: Database, made: dict[str, Any], state: CoreState
    ) -> None:
        async with database.transaction() as session:
            statement = "UPDATE model SET env = :env, config = :config, settings_sealed = NULL"
            await session.execute(sa.text(statement), {"env": json.dumps(ENV), "config": json.dumps(CONFIG)})
        assert (await seal_settings(state), await seal_settings(state)) == (1, 0)
        async with database.transaction() as session:
            assert "canary-1" not in str(await session.scalar(sa.text("SELECT m::text FROM model m")))
        assert (await whole(state, made["id"]["modelId"]))[:2] == (ENV, CONFIG)

    async def test_value_written_by_an_earlier_version_wins(
        self, world: World, database: Database, made: dict[str, Any], state: CoreState
    ) -> None:
        sent = {**json.loads(made["env"]), "API_KEY": "newer"}
        async with database.transaction() as session:
            await session.execute(sa.text("UPDATE model SET env = :env"), {"env": json.dumps(sent)})
        env, config, _ = await whole(state, made["id"]["modelId"])
        assert (env, config) == ({**ENV, "API_KEY": "newer"}, CONFIG)


class TestClones:
    async def test_clone_of_an_own_model_keeps_secrets(
        self, client: httpx.AsyncClient, world: World, made: dict[str, Any], state: CoreState
    ) -> None:
        answer = await client.post(f"{ACME}/greeting/clone", params={"name": "copy"}, headers=world.owner)
        assert answer.status_code == 200, answer.text
        assert (await whole(state, answer.json()["id"]["modelId"]))[:2] == (ENV, CONFIG)

    async def test_clone_of_anothers_prototype_has_no_secrets(
        self, client: httpx.AsyncClient, world: World, made: dict[str, Any], database: Database
    ) -> None:
        body = {"account_id": 1000000002, "features": ["mlp.container_additional_flags"]}
        await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
        await send(client, world, "/greeting", prototype=True)
        await client.post(f"{ACME}/greeting/public-settings", json={"isPublic": True}, headers=world.owner)
        answer = await client.post(f"{ACME}/greeting/clone", params={"name": "copy"}, headers=world.stranger)
        assert answer.status_code == 200, answer.text
        copied = answer.json()
        assert (json.loads(copied["env"]), copied["secretEnv"]) == ({"LEVEL": "info"}, {})
        assert copied["additionalFlags"] == ["--level=info"]
        assert json.loads(copied["config"]) == {"llm": {"model": "small"}, "max_tokens": 7}
        async with database.transaction() as session:
            statement = sa.text("SELECT m::text FROM model m WHERE account_id = 1000000002")
            assert "canary" not in str(await session.scalar(statement))
