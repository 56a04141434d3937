"""Versions hold no hidden value: they only say that it changed."""

import json
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlplace_kit.masking import MASK
from mlplace_runtime.db.database import Database
from mlplace_testing.world import World

from .history import VERSIONS, change, hidden, made, page, settings, shown, versions

ENV = {"API_KEY": "canary-1", "LEVEL": "canary-2"}
CONFIG = {"llm": {"apiKey": "canary-3", "model": "small"}}
FLAGS = ["--token=canary-4", "--level=info"]
ADDRESS = "mongodb://canary-5:canary-6@db.example/x?appName=canary-7"  # pragma: allowlist secret
CACHING = {"enabled": True, "mongoUri": ADDRESS, "collectionName": "c", "recordsLimit": 1}
HIDDEN: dict[str, Any] = {
    "env": json.dumps(ENV), "config": json.dumps(CONFIG), "additionalFlags": FLAGS, "caching": CACHING,
    "deploymentPatch": '{"token": "canary-8"}',
}  # fmt: skip


@pytest.fixture
async def world(world: World, client: httpx.AsyncClient) -> World:
    body = {"account_id": world.acme.account_id, "features": ["mlp.container_additional_flags"]}
    await client.post("/internal/mlpcore/bootstrap/account", json=body, headers=world.internal)
    return world


class TestHidden:
    async def test_neither_table_nor_answers_hold_a_hidden_value(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await made(client, world)
        await change(client, world, **HIDDEN)
        await change(client, world, env='{"LEVEL": "canary-9"}', caching={**CACHING, "mongoUri": f"{ADDRESS}1"})
        await change(client, world, env=None, config=None, additionalFlags=None, caching=None, deploymentPatch=None)
        texts = [json.dumps(await page(client, world, f"{VERSIONS}/{number}")) for number in (1, 2, 3, 4)]
        async with database.transaction() as session:
            rows = (await session.scalars(sa.text("SELECT v::text FROM model_version v"))).all()
        assert len(rows) == 4
        assert "canary" not in "\n".join([*texts, json.dumps(await versions(client, world)), *rows])

    async def test_change_names_variables_and_shows_masks(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world)
        await change(client, world, **HIDDEN)
        changes = {found["field"]: found for found in (await versions(client, world))[0]["changes"]}
        assert changes["env.API_KEY"] == hidden("env.API_KEY")
        assert changes["env.LEVEL"] == hidden("env.LEVEL")
        assert changes["caching.mongoUri"] == hidden("caching.mongoUri")
        assert changes["config"] == shown("config", "{}", json.dumps({"llm": {"apiKey": MASK, "model": "small"}}))
        assert changes["additionalFlags"] == shown("additionalFlags", "[]", json.dumps([f"--token={MASK}", FLAGS[1]]))
        assert changes["deploymentPatch"] == shown("deploymentPatch", None, json.dumps({"token": MASK}))

    @pytest.mark.parametrize(
        ("field", "value", "path"),
        [
            ("env", json.dumps({**ENV, "LEVEL": "other"}), "env.LEVEL"),
            ("env", json.dumps({"API_KEY": MASK}), "env.LEVEL"),
            ("config", json.dumps({"llm": {"apiKey": "other", "model": "small"}}), "config"),
            ("additionalFlags", ["--token=other", "--level=info"], "additionalFlags"),
            ("deploymentPatch", '{"token": "other"}', "deploymentPatch"),
            ("caching", {**CACHING, "mongoUri": ADDRESS.replace("canary-6", "other")}, "caching.mongoUri"),
        ],
    )
    async def test_change_of_a_secret_alone_is_a_version(
        self, client: httpx.AsyncClient, world: World, field: str, value: object, path: str
    ) -> None:
        await made(client, world, **HIDDEN)
        await change(client, world, **{field: value})
        assert (await versions(client, world))[0]["changes"] == [hidden(path)]

    async def test_many_variables_are_one_entry(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world)
        await change(client, world, env=json.dumps({f"V{number}": "x" for number in range(101)}))
        assert (await versions(client, world))[0]["changes"] == [hidden("env")]

    async def test_references_to_secrets_are_shown_by_name(self, client: httpx.AsyncClient, world: World) -> None:
        secrets = "/api/mlpcore/account/acme/secret"
        await client.post(secrets, json={"name": "LLM", "value": "canary-10"}, headers=world.owner)
        await made(client, world)
        await change(client, world, secretEnv={"LLM_PASS": "LLM"})
        assert (await versions(client, world))[0]["changes"] == [shown("secretEnv.LLM_PASS", None, "LLM")]

    async def test_row_of_an_earlier_release_is_masked(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await made(client, world)
        async with database.transaction() as session:
            statement = "UPDATE model SET env = :env, config = :config, settings_sealed = NULL"
            await session.execute(sa.text(statement), {"env": HIDDEN["env"], "config": HIDDEN["config"]})
        await change(client, world, displayName="Hello")
        async with database.transaction() as session:
            rows = (await session.scalars(sa.text("SELECT v::text FROM model_version v"))).all()
        assert "canary" not in "\n".join(rows)
        assert (await versions(client, world))[0]["changes"] == [shown("displayName", None, "Hello")]
        assert (await settings(client, world))["displayName"] == "Hello"
