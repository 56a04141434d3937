"""`reseal`: every value opens with the present key alone afterwards, whatever happens meanwhile."""

import asyncio
import json
import os
import sys
from base64 import b64decode
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.dependencies import factory_of
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.settings.caching_secret import CachingSecret
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.features.models.tables import Model
from mlpcore.features.registry_credentials.sealing import PasswordSeal
from mlpcore.features.registry_credentials.tables import RegistryCredential
from mlpcore.features.secrets.sealing import SECRETS, SecretSeal
from mlpcore.features.secrets.tables import Secret
from mlpcore.identity import OwnAccounts
from mlpcore.main import SERVICE
from mlpcore.registry import METADATA, sealed_values
from mlpcore.state import CoreState
from mlplace_contracts.events import ModelCaching, ModelChanged
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.sealed import Key, SealedValue, SealedValues
from mlplace_runtime.process.resealing import Resealing
from mlplace_runtime.secrets import Vault
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
OLD, NEW = bytes(32), b"n" * 32
URI = "mongodb://u:canary-cache@db.example/x"  # pragma: allowlist secret
CACHING = {"enabled": True, "mongoUri": URI, "collectionName": "answers", "recordsLimit": 7}
ENV = {"API_KEY": "canary-env"}
CAN_BE_EMPTIED = "Nothing is sealed with a previous key: MLP_ENVELOPE_KEY_PREVIOUS can be emptied."


class Around:
    """SealedValues whose locks a test precedes and follows with something."""

    def __init__(self, kind: SealedValues) -> None:
        self.kind, self.column = kind.kind, kind.column
        self.batch, self.replace = kind.batch, kind.replace
        self._lock = kind.lock
        self.before: Callable[[], Awaitable[object]] | None = None
        self.after: Callable[[], Awaitable[object]] | None = None
        self.locks = 0

    async def lock(self, session: AsyncSession, keys: Collection[Key]) -> Sequence[SealedValue]:
        self.locks += 1
        if self.before:
            await self.before()
        found = await self._lock(session, keys)
        if self.after:
            await self.after()
        return found


async def post(client: httpx.AsyncClient, world: World, path: str, **body: object) -> Any:
    answer = await client.post(f"{ACCOUNT}{path}", json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def reseal(
    state: CoreState, *kinds: SealedValues, vault: Vault | None = None, pause: float = 0.01
) -> tuple[int, list[str]]:
    said: list[str] = []
    every = kinds or sealed_values(state.clock)
    command = Resealing(state.database, vault or Vault(NEW, OLD), every, pause_seconds=pause)
    return await command.run(said.append), said


async def seal_many(database: Database, number: int, key: bytes = OLD) -> None:
    """Adds secrets to the account 7."""
    who = {"created_at": sa.func.now(), "updated_at": sa.func.now(), "created_by": "x", "updated_by": "x"}
    rows = [
        {"value_sealed": Vault(key).seal(f"canary-{place}", purpose=f"secret:7:0:n{place}"), "name": f"n{place}"}
        for place in range(number)
    ]
    async with database.transaction() as session:
        await session.execute(sa.insert(Secret).values(account_id=7, model_id=0, version=1, **who), rows)


async def opened(database: Database, key: bytes = NEW) -> list[str]:
    """Returns the values of all secrets, opened with this key alone."""
    async with database.transaction() as session:
        rows = (await session.scalars(sa.select(Secret).order_by(Secret.secret_id))).all()
    return [SecretSeal(Vault(key)).read(row) for row in rows]


@pytest.fixture
async def everything(client: httpx.AsyncClient, world: World) -> dict[str, str]:
    """Has a value of each kind. Returns the keys of the bucket."""
    await post(client, world, "/secret", name="LLM", value="canary-secret")
    registry = {"host": "registry.example", "username": "ann", "password": "canary-registry"}
    await post(client, world, "/registry-credential", **registry)
    await post(client, world, "/model", modelName="m", env=json.dumps(ENV), caching=CACHING)
    await post(client, world, "/model/m/external")
    answer = await client.get(f"{ACCOUNT}/s3", headers=world.owner)
    assert answer.status_code == 200, answer.text
    found: dict[str, str] = answer.json()
    return found


class TestEveryKind:
    async def test_opens_with_the_present_key_alone(
        self, state: CoreState, identities: Identities, world: World, everything: dict[str, str]
    ) -> None:
        status, said = await reseal(state)
        assert (status, said) == (
            0,
            [
                "secrets: 1 values, 1 sealed again",
                "credentials of registries: 1 values, 1 sealed again",
                "keys of buckets: 1 values, 1 sealed again",
                "settings of services: 1 values, 1 sealed again",
                "addresses of caches: 1 values, 1 sealed again",
                "tokens of instances: 1 values, 1 sealed again",
                CAN_BE_EMPTIED,
            ],
        )
        new = replace(state, vault=Vault(NEW))
        async with state.database.transaction() as session:
            secret = (await session.scalars(sa.select(Secret))).one()
            assert SecretSeal(new.vault).read(secret) == "canary-secret"
            credential = (await session.scalars(sa.select(RegistryCredential))).one()
            assert PasswordSeal(new.vault).read(credential) == "canary-registry"
            model = (await session.scalars(sa.select(Model))).one()
            assert HiddenSettings(new.vault).reveal(model).env == ENV
            assert CachingSecret(new.vault).reveal(model) == URI
            instance = (await session.scalars(sa.select(Instance))).one()
            token = factory_of(session, new).token_of(instance)
            assert state.hasher.digest(token) == instance.token_hash
        app = SERVICE.assemble(new, identities.authenticator, OwnAccounts(new.database))
        async with client_for(app, service="mlpcore") as later:
            assert (await later.get(f"{ACCOUNT}/s3", headers=world.owner)).json() == everything

    async def test_second_command_finds_nothing_to_do(self, state: CoreState, everything: dict[str, str]) -> None:
        await reseal(state)
        before = await published(state.database, ModelChanged)
        status, said = await reseal(state)
        assert (status, said[-1]) == (0, CAN_BE_EMPTIED)
        assert all(line.endswith("1 values, 0 sealed again") for line in said[:-1])
        assert await published(state.database, ModelChanged) == before

    async def test_values_of_deleted_objects_are_sealed_again_too(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        await client.delete(f"{ACCOUNT}/model/m", headers=world.owner)
        status, said = await reseal(state)
        assert status == 0
        assert "settings of services: 1 values, 1 sealed again" in said
        async with state.database.transaction() as session:
            model = (await session.scalars(sa.select(Model))).one()
            assert HiddenSettings(Vault(NEW)).reveal(model).env == ENV

    def test_every_binary_column_is_sealed_or_known_to_be_plain(self) -> None:
        binary = {
            (table.name, column.name)
            for table in METADATA.tables.values()
            for column in table.columns
            if isinstance(column.type, sa.LargeBinary) or "sealed" in column.name
        }
        assert binary == {kind.column for kind in sealed_values(clock=None)}  # type: ignore[arg-type]  # not read here


class TestCaches:
    async def test_address_is_published_in_a_newer_version_that_opens_with_the_present_key(
        self, state: CoreState, everything: dict[str, str]
    ) -> None:
        await reseal(state)
        *_, before, event = await published(state.database, ModelChanged)
        assert event.version == before.version + 1
        assert before.caching is not None
        assert event == before.model_copy(update={"version": event.version, "caching": event.caching})
        assert event.caching is not None
        sealed = b64decode(event.caching.address)
        assert Vault(NEW).open(sealed, purpose=ModelCaching.purpose(event.account_id)) == URI

    async def test_owner_does_not_see_a_change(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        before = (await client.get(f"{ACCOUNT}/model/m", headers=world.owner)).json()
        await reseal(state)
        assert (await client.get(f"{ACCOUNT}/model/m", headers=world.owner)).json() == before


class TestMeanwhile:
    async def test_value_that_a_user_replaced_after_it_was_read_is_kept(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        made = await post(client, world, "/secret", name="LLM", value="first")
        around = Around(SECRETS)

        async def user_replaces() -> None:
            around.before = None
            await post(client, world, f"/secret/{made['secretId']}", value="second")

        around.before = user_replaces
        status, said = await reseal(state, around)
        assert (status, said[0]) == (0, "secrets: 1 values, 1 sealed again")
        assert await opened(state.database) == ["second"]

    async def test_value_that_a_user_replaces_after_it_was_locked_is_kept(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        made = await post(client, world, "/secret", name="LLM", value="first")
        around = Around(SECRETS)
        waiting: list[asyncio.Task[Any]] = []

        async def user_begins() -> None:
            around.after = None
            waiting.append(asyncio.create_task(post(client, world, f"/secret/{made['secretId']}", value="second")))
            await _is_blocked(state.database)

        around.after = user_begins
        await reseal(state, around)
        await waiting[0]
        await reseal(state)
        assert await opened(state.database) == ["second"]

    async def test_value_that_a_transaction_holds_is_sealed_when_it_ends(self, state: CoreState) -> None:
        await seal_many(state.database, 3)
        around, free = Around(SECRETS), asyncio.Event()

        async def let_it_end() -> None:
            if around.locks == 2:
                free.set()
                await holding

        async def hold(held: asyncio.Event) -> None:
            async with state.database.transaction() as session:
                row = (await session.scalars(sa.select(Secret).where(Secret.name == "n1").with_for_update())).one()
                SecretSeal(Vault(OLD)).write(row, "another")
                await session.flush()
                held.set()
                await free.wait()

        held = asyncio.Event()
        holding = asyncio.create_task(hold(held))
        await held.wait()
        around.after = let_it_end
        status, said = await reseal(state, around)
        assert (status, said[0]) == (0, "secrets: 3 values, 3 sealed again")
        assert await opened(state.database) == ["canary-0", "another", "canary-2"]

    async def test_value_that_stays_locked_is_told_and_the_key_is_kept(self, state: CoreState) -> None:
        await seal_many(state.database, 2)
        async with state.database.transaction() as session:
            await session.execute(sa.select(Secret.secret_id).where(Secret.name == "n0").with_for_update())
            status, said = await reseal(state, SECRETS, pause=0)
        assert status == 1
        assert said[:2] == [
            "secrets: 2 values, 1 sealed again",
            "secrets that are still sealed with a previous key: 1",
        ]
        assert CAN_BE_EMPTIED not in said

    async def test_two_commands_share_the_values(self, state: CoreState) -> None:
        await seal_many(state.database, 250)
        (first, one), (second, other) = await asyncio.gather(reseal(state, SECRETS), reseal(state, SECRETS))
        assert (first, second) == (0, 0)
        assert sum(int(said[0].split()[3]) for said in (one, other)) == 250
        assert await opened(state.database) == [f"canary-{place}" for place in range(250)]

    async def test_value_that_another_command_sealed_after_it_was_read_is_not_sealed_again(
        self, state: CoreState
    ) -> None:
        await seal_many(state.database, 2)
        around = Around(SECRETS)

        async def other_command() -> None:
            assert (await reseal(state, SECRETS))[1][0] == "secrets: 2 values, 2 sealed again"

        around.before = other_command
        status, said = await reseal(state, around)
        assert (status, said[0]) == (0, "secrets: 2 values, 0 sealed again")

    async def test_interrupted_command_is_completed_by_the_next(self, state: CoreState) -> None:
        await seal_many(state.database, 250)
        around = Around(SECRETS)

        async def fail_later() -> None:
            if around.locks == 2:
                raise ConnectionError("the database is away")

        around.after = fail_later
        with pytest.raises(ConnectionError):
            await reseal(state, around)
        status, said = await reseal(state, SECRETS)
        assert (status, said[0]) == (0, "secrets: 250 values, 150 sealed again")
        assert await opened(state.database) == [f"canary-{place}" for place in range(250)]


class TestUnreadable:
    async def test_value_that_no_key_opens_is_named_and_the_others_are_done(self, state: CoreState) -> None:
        await seal_many(state.database, 3)
        async with state.database.transaction() as session:
            damaged = sa.update(Secret).where(Secret.name == "n1").returning(Secret.secret_id)
            foreign = Vault(b"x" * 32).seal("canary", purpose="secret:7:0:n1")
            number = await session.scalar(damaged.values(value_sealed=foreign))
        status, said = await reseal(state)
        assert status == 1
        assert said[0] == "secrets: 3 values, 2 sealed again"
        assert said[-2:] == [
            f"secrets that no key opens: {number}",
            "Replace or delete what no key opens, then repeat the command.",
        ]
        assert "canary" not in "".join(said)
        async with state.database.transaction() as session:
            await session.execute(sa.delete(Secret).where(Secret.secret_id == number))
        assert await opened(state.database) == ["canary-0", "canary-2"]

    @pytest.mark.parametrize("damaged", [b"", b"short", bytes(40)])
    async def test_damaged_value_is_unreadable(self, state: CoreState, damaged: bytes) -> None:
        await seal_many(state.database, 1)
        async with state.database.transaction() as session:
            await session.execute(sa.update(Secret).values(value_sealed=damaged))
        assert (await reseal(state))[0] == 1

    async def test_value_of_a_deleted_object_that_no_key_opens_keeps_no_key(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        await client.delete(f"{ACCOUNT}/model/m", headers=world.owner)
        async with state.database.transaction() as session:
            await session.execute(sa.update(Model).values(settings_sealed=bytes(40)))
        status, said = await reseal(state)
        assert (status, said[-1]) == (0, CAN_BE_EMPTIED)
        assert "settings of services: 1 values, 0 sealed again, 1 of deleted ones that no key opens" in said


class TestWithoutPreviousKey:
    async def test_all_values_are_verified(self, state: CoreState) -> None:
        await seal_many(state.database, 2)
        status, said = await reseal(state, vault=Vault(OLD))
        assert (status, said[0]) == (0, "secrets: 2 values, 0 sealed again")
        assert said[-1] == "There is no previous key, and the present one opens all values."
        assert (await reseal(state, vault=Vault(NEW)))[0] == 1
        assert await opened(state.database, OLD) == ["canary-0", "canary-1"]


class TestCommand:
    async def test_seals_again_and_prints_no_value(self, state: CoreState, tmp_path: Path) -> None:
        await seal_many(state.database, 2)
        status, output, errors = await run(state.database.url, tmp_path, MLP_ENVELOPE_KEY_PREVIOUS=OLD.hex())
        assert (status, errors) == (0, "")
        assert output.splitlines()[0] == "secrets: 2 values, 2 sealed again"
        assert output.splitlines()[-1] == CAN_BE_EMPTIED
        assert await opened(state.database) == ["canary-0", "canary-1"]
        assert not [secret for secret in ("canary", OLD.hex(), NEW.hex()) if secret in output]

    async def test_fails_with_the_wrong_keys(self, state: CoreState, tmp_path: Path) -> None:
        await seal_many(state.database, 1, b"x" * 32)
        status, output, errors = await run(state.database.url, tmp_path)
        assert (status, errors) == (1, "")
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


async def _is_blocked(database: Database) -> None:
    """Waits until a transaction waits for a lock."""
    mine = "wait_event_type = 'Lock' AND datname = current_database()"
    waits = sa.text(f"SELECT count(*) FROM pg_stat_activity WHERE {mine}")
    async with asyncio.timeout(60):
        while True:
            async with database.transaction() as session:
                if await session.scalar(waits):
                    return
            await asyncio.sleep(0.02)
