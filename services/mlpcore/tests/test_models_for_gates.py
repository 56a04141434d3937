"""The cache and archive of a model in its events for gates."""

from base64 import b64decode

import httpx
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mlpcore.state import CoreState
from mlplace_contracts.events import ModelArchive, ModelCaching, ModelChanged
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
URI = "mongodb://u:secret@db.example/x"  # pragma: allowlist secret
CACHING = {"enabled": True, "mongoUri": URI, "collectionName": "answers", "recordsLimit": 7}


def pem() -> str:
    key = rsa.generate_private_key(65537, 2048).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


async def create(client: httpx.AsyncClient, world: World, **body: object) -> None:
    answer = await client.post(f"{ACME}/model", json={"modelName": "m", **body}, headers=world.owner)
    assert answer.status_code == 200, answer.text


class TestCaching:
    async def test_address_is_published_encrypted_for_its_account(
        self, client: httpx.AsyncClient, world: World, database: Database, state: CoreState
    ) -> None:
        await create(client, world, caching=CACHING)
        (event,) = await published(database, ModelChanged)
        assert event.caching is not None
        assert "secret" not in event.model_dump_json()
        assert (event.caching.collection, event.caching.most) == ("answers", 7)
        sealed = b64decode(event.caching.address)
        assert state.vault.open(sealed, purpose=ModelCaching.purpose(event.account_id)) == URI

    async def test_disabled_cache_and_deleted_model_publish_no_address(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await create(client, world, caching={**CACHING, "enabled": False})
        on = {"modelName": "m", "caching": CACHING}
        assert (await client.post(f"{ACME}/model/m", json=on, headers=world.owner)).status_code == 200
        await client.delete(f"{ACME}/model/m", headers=world.owner)
        assert [event.caching is None for event in await published(database, ModelChanged)] == [True, False, True]


class TestArchive:
    async def test_number_of_archived_requests_and_key_are_published(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await create(client, world)
        key = pem()
        plain = {"enabled": True, "numberOfArchivedRequests": 5, "encryptionEnabled": False, "rsaPemPublicKey": key}
        for settings in (plain, {**plain, "encryptionEnabled": True}, {**plain, "enabled": False}):
            answer = await client.post(f"{ACME}/model/m/archive", json=settings, headers=world.owner)
            assert answer.status_code == 200, answer.text
        told = [event.archive for event in await published(database, ModelChanged)]
        assert told == [None, ModelArchive(most=5), ModelArchive(most=5, public_key=key), None]
