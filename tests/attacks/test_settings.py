"""Secrets in the settings of a model cannot be read back."""

import json

import httpx
import pytest

from tests.attacks.installation import Target
from tests.attacks.people import People, Tenant, post

_SECRET = "hunter2-canary-9f31"


class TestEnvironment:
    @pytest.mark.parametrize("permissions", [["read"], ["predict", "read"]])
    async def test_environment_shows_no_secret_to_a_key(
        self, target: Target, people: People, attacker: Tenant, permissions: list[str]
    ) -> None:
        async with people.signed_in(attacker.user) as owner:
            model = f"{attacker.core}/model/{attacker.model}"
            stored = (await owner.get(model)).raise_for_status().json()
            env = {"API_TOKEN": _SECRET, "DATABASE_URL": f"postgres://me:{_SECRET}@db/x", "MODE": "plain"}
            body = {"modelName": attacker.model, "env": json.dumps(env)} | {
                name: stored[name]
                for name in ("imageAccountId", "imageId", "taskType", "hostingType")
                if name in stored
            }
            await post(owner, model, body)
            key = await post(owner, f"{attacker.core}/token", {"name": "reads", "permissions": permissions})
            as_owner = await owner.get(model)
        async with httpx.AsyncClient(base_url=target.url, headers={"MLP-API-KEY": str(key["token"])}) as reader:
            for path in (model, f"{attacker.core}/models", f"{attacker.core}/model"):
                assert _SECRET not in (await reader.get(path)).text
        assert _SECRET not in as_owner.text
        assert not any(_SECRET in str(event) for event in target.log)
