"""Every value opens with the present key alone afterwards."""

from base64 import b64decode
from dataclasses import replace

import httpx
import sqlalchemy as sa

from mlpcore.features.buckets.dependencies import instance_credentials_of
from mlpcore.features.instances.dependencies import factory_of
from mlpcore.features.instances.launching.environment import storage_user
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.caching_secret import CachingSecret
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.features.models.tables import Model
from mlpcore.features.registry_credentials.sealing import PASSWORDS
from mlpcore.features.registry_credentials.tables import RegistryCredential
from mlpcore.features.secrets.sealing import SECRETS
from mlpcore.features.secrets.tables import Secret
from mlpcore.identity import OwnAccounts
from mlpcore.main import SERVICE
from mlpcore.registry import METADATA, SEALED
from mlpcore.state import CoreState
from mlplace_contracts.events import ModelCaching, ModelChanged
from mlplace_runtime.process.resealing import DONE, OLD_ARE_LEFT
from mlplace_runtime.secrets import Vault
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for
from mlplace_testing.world import World

from .conftest import ACCOUNT, CAN_BE_EMPTIED, ENV, NEW, OLD, URI, post, reseal


class TestEveryKind:
    async def test_opens_with_the_present_key_alone(
        self, state: CoreState, identities: Identities, world: World, everything: dict[str, str]
    ) -> None:
        status, said = await reseal(state)
        assert (status, said) == (
            0,
            [
                "secrets: 1 values, 1 encrypted again",
                "credentials of registries: 1 values, 1 encrypted again",
                "keys of buckets: 1 values, 1 encrypted again",
                "keys of instances: 1 values, 1 encrypted again",
                "settings of services: 1 values, 1 encrypted again",
                "addresses of caches: 1 values, 1 encrypted again",
                "tokens of instances: 1 values, 1 encrypted again",
                CAN_BE_EMPTIED,
            ],
        )
        new = replace(state, vault=Vault(NEW))
        async with state.database.transaction() as session:
            secret = (await session.scalars(sa.select(Secret))).one()
            assert SECRETS.read(secret, new.vault) == "canary-secret"
            credential = (await session.scalars(sa.select(RegistryCredential))).one()
            assert PASSWORDS.read(credential, new.vault) == "canary-registry"
            model = (await session.scalars(sa.select(Model))).one()
            assert HiddenSettings(new.vault).reveal(model).env == ENV
            assert CachingSecret(new.vault).reveal(model) == URI
            instance = (await session.scalars(sa.select(Instance))).one()
            token = factory_of(session, new).token_of(instance)
            assert state.hasher.digest(token) == instance.token_hash
            stored = (await instance_credentials_of(new, session).known([storage_user(instance)]))[instance.instance_id]
            assert (stored.bucket, len(stored.secret_key)) == (everything["bucketName"], 40)
        app = SERVICE.assemble(new, identities.authenticator, OwnAccounts(new.database))
        async with client_for(app, service="mlpcore") as later:
            assert (await later.get(f"{ACCOUNT}/s3", headers=world.owner)).json() == everything

    async def test_second_command_finds_nothing_to_do(self, state: CoreState, everything: dict[str, str]) -> None:
        await reseal(state)
        before = await published(state.database, ModelChanged)
        status, said = await reseal(state)
        assert (status, said[-1]) == (0, CAN_BE_EMPTIED)
        assert all(line.endswith("1 values, 0 encrypted again") for line in said[:-1])
        assert await published(state.database, ModelChanged) == before

    async def test_values_of_deleted_objects_are_sealed_again_too(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        await client.delete(f"{ACCOUNT}/model/m", headers=world.owner)
        status, said = await reseal(state)
        assert status == 0
        assert "settings of services: 1 values, 1 encrypted again" in said
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
        assert binary == {kind.column for kind in SEALED}


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


class TestClone:
    async def test_clone_that_is_made_later_opens_with_the_present_key_alone(
        self, state: CoreState, identities: Identities, world: World, everything: dict[str, str]
    ) -> None:
        """It copies a row that it has read before the command replaced its values."""
        serving = replace(state, vault=Vault(NEW, OLD))
        app = SERVICE.assemble(serving, identities.authenticator, OwnAccounts(serving.database))
        async with client_for(app, service="mlpcore") as later:
            await post(later, world, "/model/m/clone?name=copy")
        async with state.database.transaction() as session:
            clone = (await session.scalars(sa.select(Model).where(Model.name == "copy"))).one()
            assert HiddenSettings(Vault(NEW)).reveal(clone).env == ENV
            assert CachingSecret(Vault(NEW)).reveal(clone) == URI


class TestRefusedRow:
    async def test_it_is_named_and_all_others_are_done(self, state: CoreState, everything: dict[str, str]) -> None:
        """An earlier release may have written settings that this one refuses to publish."""
        async with state.database.transaction() as session:
            await session.execute(sa.update(Model).values(retries_config={"nonsense": 1}))
        status, said = await reseal(state)
        assert status == OLD_ARE_LEFT
        assert "addresses of caches: 1 values, 0 encrypted again" in said
        assert "tokens of instances: 1 values, 1 encrypted again" in said
        assert said[-2].startswith("addresses of caches of rows that this release refuses to write: 1 (account ")
        assert said[-1] == "addresses of caches that are still encrypted with a previous key: 1"

    async def test_it_is_done_when_its_model_is_deleted(
        self, client: httpx.AsyncClient, world: World, state: CoreState, everything: dict[str, str]
    ) -> None:
        await client.delete(f"{ACCOUNT}/model/m", headers=world.owner)
        async with state.database.transaction() as session:
            await session.execute(sa.update(Model).values(retries_config={"nonsense": 1}))
        before = await published(state.database, ModelChanged)
        assert (await reseal(state))[0] == DONE
        assert await published(state.database, ModelChanged) == before
