"""`reseal`: callers of predictions and secrets of webhooks open with the present key alone afterwards."""

import asyncio
import os
import sys
import uuid

import pytest
import sqlalchemy as sa

from mlpgateway.features.predictions.calls import CALLERS, unpack
from mlpgateway.features.predictions.tables import Prediction
from mlpgateway.features.predictions.webhooks import WEBHOOK_SECRETS, WebhookRepository
from mlpgateway.registry import METADATA, SEALED
from mlplace_runtime.process.resealing import UNREADABLE_ARE_LEFT, Resealing
from mlplace_runtime.secrets import UnreadableSecretError, Vault
from mlplace_testing.sealed import WatchedColumn

OLD, NEW = b"0" * 32, b"n" * 32
CAN_BE_EMPTIED = "Nothing is encrypted with a previous key: MLP_ENVELOPE_KEY_PREVIOUS can be emptied."
PLAIN = {
    ("idempotent_call", "body"),
    ("prediction", "call"),
    ("prediction", "output"),
    ("webhook_delivery", "body"),
}


async def reseal(world, *kinds) -> tuple[int, list[str]]:
    said: list[str] = []
    every = kinds or SEALED
    command = Resealing(world.components.database, Vault(NEW, OLD), every, pause_seconds=0.01)
    return await command.run(said.append), said


async def begin(world, caller) -> uuid.UUID:
    made = await world.predict({**caller, "Prefer": "respond-async"})
    assert made.status_code == 202, made.text
    return uuid.UUID(made.json()["id"])


async def row_of(world, prediction_id: uuid.UUID) -> Prediction:
    async with world.components.database.transaction() as session:
        return (await session.scalars(sa.select(Prediction).where(Prediction.id == prediction_id))).one()


async def caller_of(world, prediction_id: uuid.UUID, key: bytes):
    row = await row_of(world, prediction_id)
    assert row.credential is not None
    return unpack(row.call, row.credential, prediction_id=str(row.id), vault=Vault(key)).caller


async def secret_of(world, account_id: int, key: bytes) -> str:
    async with world.components.database.transaction() as session:
        return await WebhookRepository(session, Vault(key)).secret(account_id)


def followed_by(kind, action):
    """Makes something happen between the reading and the locking of the values, once."""

    async def once() -> None:
        watched.before = None
        await action()

    watched = WatchedColumn(kind, before=once)
    return watched


class TestEveryKind:
    async def test_opens_with_the_present_key_alone(self, world, kit, caller) -> None:
        predictions = [await begin(world, caller) for _ in range(3)]
        callers = [await caller_of(world, prediction, OLD) for prediction in predictions]
        secret = await secret_of(world, kit.DEMO, OLD)
        assert await reseal(world) == (
            0,
            [
                "secrets of webhooks: 1 values, 1 encrypted again",
                "callers of predictions: 3 values, 3 encrypted again",
                CAN_BE_EMPTIED,
            ],
        )
        assert [await caller_of(world, prediction, NEW) for prediction in predictions] == callers
        assert await secret_of(world, kit.DEMO, NEW) == secret
        with pytest.raises(UnreadableSecretError):
            await secret_of(world, kit.DEMO, OLD)

    async def test_more_callers_than_a_batch_are_all_done(self, world, caller) -> None:
        prediction = await begin(world, caller)
        first = await row_of(world, prediction)
        stored = {column.key: getattr(first, column.key) for column in sa.inspect(Prediction).column_attrs}
        ids = [uuid.uuid4() for _ in range(230)]
        rows = [
            {**stored, "id": each, "credential": Vault(OLD).seal("{}", purpose=f"prediction {each}")} for each in ids
        ]
        async with world.components.database.transaction() as session:
            await session.execute(sa.insert(Prediction), rows)
        status, said = await reseal(world)
        assert (status, said[1]) == (0, "callers of predictions: 231 values, 231 encrypted again")
        last = await row_of(world, max(ids, key=lambda each: each.bytes))
        assert Vault(NEW).open(last.credential or b"", purpose=f"prediction {last.id}") == "{}"

    def test_every_binary_column_is_sealed_or_known_to_be_plain(self) -> None:
        binary = {
            (table.name, column.name)
            for table in METADATA.tables.values()
            for column in table.columns
            if isinstance(column.type, sa.LargeBinary) or "sealed" in column.name
        }
        assert binary - PLAIN == {kind.column for kind in SEALED}
        assert binary >= PLAIN


class TestMeanwhile:
    async def test_secret_that_its_owner_replaced_after_it_was_read_is_kept(self, world, kit) -> None:
        await secret_of(world, kit.DEMO, OLD)
        replaced: list[str] = []

        async def replace() -> None:
            async with world.components.database.transaction() as session:
                replaced.append(await WebhookRepository(session, Vault(OLD)).replace_secret(kit.DEMO))

        status, _ = await reseal(world, followed_by(WEBHOOK_SECRETS, replace))
        assert status == 0
        assert [await secret_of(world, kit.DEMO, NEW)] == replaced

    async def test_credential_of_a_prediction_that_ended_after_it_was_read_stays_deleted(self, world, caller) -> None:
        prediction = await begin(world, caller)

        async def end() -> None:
            async with world.components.database.transaction() as session:
                await session.execute(sa.update(Prediction).values(credential=None))

        status, said = await reseal(world, followed_by(CALLERS, end))
        assert (status, said[0]) == (0, "callers of predictions: 1 values, 0 encrypted again")
        assert (await row_of(world, prediction)).credential is None


class TestUnreadable:
    async def test_prediction_whose_caller_no_key_opens_is_named(self, world, caller) -> None:
        lost, kept = await begin(world, caller), await begin(world, caller)
        account_id = (await row_of(world, lost)).account_id
        async with world.components.database.transaction() as session:
            foreign = Vault(b"x" * 32).seal("canary", purpose=f"prediction {lost}")
            await session.execute(sa.update(Prediction).where(Prediction.id == lost).values(credential=foreign))
        status, said = await reseal(world)
        assert status == UNREADABLE_ARE_LEFT
        assert f"callers of predictions that no key opens: {lost} (account {account_id})" in said
        assert "canary" not in "".join(said)
        assert await caller_of(world, kept, NEW)


class TestCommand:
    async def test_seals_again_and_prints_no_value(self, world, kit, caller, tmp_path) -> None:
        prediction = await begin(world, caller)
        secret = await secret_of(world, kit.DEMO, OLD)
        secrets = {"MLP_INTERNAL_TOKEN": "t" * 64, "MLP_HASH_SECRET": "1" * 64}
        keys = {"MLP_ENVELOPE_KEY": NEW.hex(), "MLP_ENVELOPE_KEY_PREVIOUS": OLD.hex()}
        own = {"DATABASE_URL": world.components.database.url, "USAGE_SPOOL_DIR": "/nowhere"}
        given = {**os.environ, **secrets, **keys, "MLP_BUS": str(tmp_path / "bus"), "MLP_DATA_DIR": str(tmp_path)}
        given |= {f"MLP_MLPGATEWAY_{name}": value for name, value in own.items()}
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "mlpgateway", "reseal")
        process = await asyncio.create_subprocess_exec(*command, env=given, stdout=pipe, stderr=pipe)
        output, errors = (stream.decode() for stream in await process.communicate())
        assert (process.returncode, errors) == (0, "")
        assert output.splitlines() == [
            "secrets of webhooks: 1 values, 1 encrypted again",
            "callers of predictions: 1 values, 1 encrypted again",
            CAN_BE_EMPTIED,
        ]
        assert await caller_of(world, prediction, NEW)
        assert await secret_of(world, kit.DEMO, NEW) == secret
