"""Values that no key opens, and the command as an operator runs it."""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.models.tables import Model
from mlpcore.features.secrets.tables import Secret
from mlpcore.state import CoreState
from mlplace_runtime.process.resealing import DONE, UNREADABLE_ARE_LEFT
from mlplace_runtime.secrets import Vault
from mlplace_testing.world import World

from .conftest import ACCOUNT, CAN_BE_EMPTIED, ENV, NEW, OLD, opened, reseal, seal_many


class TestUnreadable:
    async def test_value_that_no_key_opens_is_named_and_the_others_are_done(self, state: CoreState) -> None:
        await seal_many(state.database, 3)
        async with state.database.transaction() as session:
            damaged = sa.update(Secret).where(Secret.name == "n1").returning(Secret.secret_id)
            foreign = Vault(b"x" * 32).seal("canary", purpose="secret:7:0:n1")
            number = await session.scalar(damaged.values(value_sealed=foreign))
        status, said = await reseal(state)
        assert status == UNREADABLE_ARE_LEFT
        assert said[0] == "secrets: 3 values, 2 encrypted again"
        assert said[-2:] == [f"secrets that no key opens: {number} (account 7)", CAN_BE_EMPTIED]
        assert "canary" not in "".join(said)
        async with state.database.transaction() as session:
            await session.execute(sa.delete(Secret).where(Secret.secret_id == number))
        assert await opened(state.database) == ["canary-0", "canary-2"]

    @pytest.mark.parametrize("damaged", [b"", b"short", bytes(40)])
    async def test_damaged_value_is_unreadable(self, state: CoreState, damaged: bytes) -> None:
        await seal_many(state.database, 1)
        async with state.database.transaction() as session:
            await session.execute(sa.update(Secret).values(value_sealed=damaged))
        assert (await reseal(state))[0] == UNREADABLE_ARE_LEFT

    async def test_value_of_a_deleted_object_that_no_key_opens_keeps_no_key(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        await client.delete(f"{ACCOUNT}/model/m", headers=world.owner)
        async with state.database.transaction() as session:
            await session.execute(sa.update(Model).values(settings_sealed=bytes(40)))
        status, said = await reseal(state)
        assert (status, said[-1]) == (0, CAN_BE_EMPTIED)
        assert "settings of services of deleted objects that no key opens, and nothing reads: 1" in said

    async def test_settings_can_be_replaced_by_their_owner(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        async with state.database.transaction() as session:
            await session.execute(sa.update(Model).values(settings_sealed=bytes(40)))
        assert (await reseal(state))[0] == UNREADABLE_ARE_LEFT
        path = f"{ACCOUNT}/model/m"
        renamed = await client.post(path, json={"modelName": "m", "displayName": "M"}, headers=world.owner)
        assert renamed.status_code == 200, renamed.text
        kept = await client.post(path, json={"modelName": "m", "config": "{}"}, headers=world.owner)
        assert (kept.status_code, list(kept.json()["args"])) == (400, ["env"]), kept.text
        sent = await client.post(path, json={"modelName": "m", "env": json.dumps(ENV)}, headers=world.owner)
        assert sent.status_code == 200, sent.text
        assert (await reseal(state))[0] == DONE


class TestWithoutPreviousKey:
    async def test_all_values_are_verified(self, state: CoreState) -> None:
        await seal_many(state.database, 2)
        status, said = await reseal(state, vault=Vault(OLD))
        assert (status, said[0]) == (0, "secrets: 2 values, 0 encrypted again")
        assert said[-1] == "There is no previous key, and the present one opens all values."
        assert (await reseal(state, vault=Vault(NEW)))[0] == UNREADABLE_ARE_LEFT
        assert await opened(state.database, OLD) == ["canary-0", "canary-1"]


class TestCommand:
    async def test_seals_again_and_prints_no_value(self, state: CoreState, tmp_path: Path) -> None:
        await seal_many(state.database, 2)
        status, output, errors = await run(state.database.url, tmp_path, MLP_ENVELOPE_KEY_PREVIOUS=OLD.hex())
        assert (status, errors) == (0, "")
        assert output.splitlines()[0] == "secrets: 2 values, 2 encrypted again"
        assert output.splitlines()[-1] == CAN_BE_EMPTIED
        assert await opened(state.database) == ["canary-0", "canary-1"]
        assert not [secret for secret in ("canary", OLD.hex(), NEW.hex()) if secret in output]

    async def test_fails_with_the_wrong_keys(self, state: CoreState, tmp_path: Path) -> None:
        await seal_many(state.database, 1, b"x" * 32)
        status, output, errors = await run(state.database.url, tmp_path)
        assert (status, errors) == (UNREADABLE_ARE_LEFT, "")
        assert "secrets that no key opens: " in output


async def run(database_url: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    """Runs the command as an operator does. Returns its exit code and what it printed."""
    secrets = {"MLP_INTERNAL_TOKEN": "t" * 64, "MLP_HASH_SECRET": "1" * 64, "MLP_ENVELOPE_KEY": NEW.hex()}
    own = {"MLP_BUS": str(folder / "bus"), "MLP_DATA_DIR": str(folder), "MLP_MLPCORE_DATABASE_URL": database_url}
    given = {**os.environ, **secrets, **own, **environment}
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "mlpcore", "reseal")
    process = await asyncio.create_subprocess_exec(*command, env=given, stdout=pipe, stderr=pipe)
    output, errors = await process.communicate()
    return process.returncode or 0, output.decode(), errors.decode()
