"""What the tests of the command `reseal` share."""

import json
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.secrets.sealing import SECRETS
from mlpcore.features.secrets.tables import Secret
from mlpcore.registry import SEALED
from mlpcore.state import CoreState
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.sealed import SealedColumn
from mlplace_runtime.process.resealing import Resealing
from mlplace_runtime.secrets import Vault
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
OLD, NEW = bytes(32), b"n" * 32
URI = "mongodb://u:canary-cache@db.example/x"  # pragma: allowlist secret
CACHING = {"enabled": True, "mongoUri": URI, "collectionName": "answers", "recordsLimit": 7}
ENV = {"API_KEY": "canary-env"}
CAN_BE_EMPTIED = "Nothing is encrypted with a previous key: MLP_ENVELOPE_KEY_PREVIOUS can be emptied."


async def post(client: httpx.AsyncClient, world: World, path: str, **body: object) -> Any:
    answer = await client.post(f"{ACCOUNT}{path}", json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def reseal(
    state: CoreState, *kinds: SealedColumn[Any], vault: Vault | None = None, pause: float = 0.01
) -> tuple[int, list[str]]:
    said: list[str] = []
    every = kinds or SEALED
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
    return [SECRETS.read(row, Vault(key)) for row in rows]


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
