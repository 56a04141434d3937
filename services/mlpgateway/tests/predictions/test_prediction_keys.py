"""Idempotency keys of predictions, beside those of calls that wait for their answer."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.features.idempotency import repository
from mlpgateway.features.idempotency.prediction_keys import PredictionKeys
from mlpgateway.features.idempotency.tables import IdempotentCall
from mlpgateway.features.predictions import cleanup
from mlpgateway.features.predictions.tables import Prediction
from mlplace_testing.waiting import eventually

ASYNC = {"Prefer": "respond-async"}
REUSED = (422, "mlp.gate.idempotency_key_reused")
PAST = sa.func.now() - sa.text("interval '25 hours'")


class Keyed:
    """Calls and predictions of one caller with one idempotency key."""

    def __init__(self, world: Any, caller: dict[str, str], key: str = "k") -> None:
        self.world = world
        self.caller = caller
        self.headers = {**caller, "Idempotency-Key": key}

    async def call(self) -> tuple[int, str | None]:
        """Returns status and code, or `replayed`."""
        answer = await self.world.predict(self.headers)
        replayed = "replayed" if answer.headers.get("z-idempotent-replayed") else None
        return answer.status_code, replayed if answer.is_success else answer.json()["code"]

    async def begin(self, body: str = '{"text":"hi"}', **headers: str) -> Any:
        """The names of `headers` have `_` for `-`."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.world.predict({**self.headers, **ASYNC, **told}, body)

    async def predicted(self) -> str:
        """Waits for a prediction. Returns its address."""
        made = (await self.begin()).json()
        address = made["urls"]["get"]

        async def status() -> str:
            return (await self.world.client.get(address, headers=self.caller)).json()["status"]

        await eventually(status, until=lambda found: found == "succeeded", seconds=60)
        return address

    async def delete(self, address: str) -> None:
        assert (await self.world.client.delete(address, headers=self.caller)).is_success


@pytest.fixture
def keyed(world, caller, served) -> Keyed:
    return Keyed(world, caller)


async def age_records(world: Any) -> None:
    async with world.components.database.transaction() as session:
        await session.execute(sa.update(IdempotentCall).values(created_at=PAST, leased_until=PAST))
    await world.components.entry_points.idempotent_calls._forget()


async def records(world: Any) -> int:
    async with world.components.database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(IdempotentCall))).scalar_one()


class TestOneEffect:
    async def test_same_key_creates_one_prediction(self, keyed: Keyed) -> None:
        first, second = [await keyed.begin() for _ in range(2)]
        assert first.json()["id"] == second.json()["id"]
        told = [(each.status_code, each.headers.get("z-idempotent-replayed")) for each in (first, second)]
        assert told == [(202, None), (202, "true")]
        other = await keyed.begin('{"text":"other"}')
        assert (other.status_code, other.json()["code"]) == REUSED

    async def test_prediction_is_shown_again_only_for_a_key_that_pays(self, keyed: Keyed) -> None:
        assert (await keyed.begin()).status_code == 202
        refused = await keyed.begin(MLP_BILLING_KEY="nonsense")
        assert (refused.status_code, refused.json()["code"]) == (401, "mlp.gate.billing_key_not_valid")

    async def test_another_webhook_is_another_request(self, keyed: Keyed) -> None:
        """Otherwise its address would never be notified."""
        hook = "https://hooks.example.com/1"
        first = await keyed.begin(MLP_Webhook=hook, MLP_Webhook_Events="started,completed")
        again = await keyed.begin(MLP_Webhook=hook, MLP_Webhook_Events="completed, started")
        assert (first.status_code, again.status_code, again.json()["id"]) == (202, 202, first.json()["id"])
        for webhook in (
            {},
            {"MLP_Webhook": hook},
            {"MLP_Webhook": "https://hooks.example.com/2", "MLP_Webhook_Events": "started,completed"},
        ):
            other = await keyed.begin(**webhook)
            assert (other.status_code, other.json()["code"]) == REUSED

    async def test_a_prediction_is_not_created_with_the_key_of_a_call(self, world, keyed: Keyed) -> None:
        twin = world.instance()
        assert await keyed.call() == (200, None)
        for _ in range(2):
            refused = await keyed.begin()
            assert (refused.status_code, refused.json()["code"]) == REUSED
        assert await keyed.call() == (200, "replayed")
        assert len(twin.requests) == 1

    async def test_a_call_is_not_served_with_the_key_of_a_prediction(self, world, keyed: Keyed) -> None:
        twin = world.instance()
        address = await keyed.predicted()
        await age_records(world)
        for _ in range(2):
            assert await keyed.call() == REUSED
        assert (await keyed.begin()).json()["urls"]["get"] == address
        assert len(twin.requests) == 1


class TestEnd:
    @pytest.mark.parametrize("all_at_once", [False, True])
    async def test_a_key_is_free_once_its_prediction_is_deleted(
        self, world, keyed: Keyed, *, all_at_once: bool
    ) -> None:
        world.instance()
        address = await keyed.predicted()
        await keyed.delete(address.rpartition("/")[0] if all_at_once else address)
        assert await keyed.call() == (200, None)
        assert await keyed.call() == (200, "replayed")

    async def test_a_key_is_free_once_its_prediction_is_old(self, world, keyed: Keyed) -> None:
        world.instance()
        await keyed.predicted()
        async with world.components.database.transaction() as session:
            await session.execute(sa.update(Prediction).values(completed_at=PAST))
        await world.components.entry_points.cleanup.clean_up()
        assert await records(world) == 0
        assert await keyed.call() == (200, None)

    async def test_a_key_whose_prediction_a_gate_of_an_older_release_removed_is_free_in_the_end(
        self, world, keyed: Keyed
    ) -> None:
        world.instance()
        await keyed.predicted()
        async with world.components.database.transaction() as session:
            await session.execute(sa.delete(Prediction))
        free_keys = world.components.entry_points.cleanup.free_keys
        await free_keys()
        assert await keyed.call() == REUSED
        await age_records(world)
        await world.components.entry_points.cleanup.clean_up()
        assert await keyed.call() == (200, None)

    async def test_free_keys_of_all_pages_are_found(self, world, keyed: Keyed, caller, monkeypatch) -> None:
        monkeypatch.setattr(cleanup, "_AT_ONCE", 2)
        world.instance()
        addresses = [await Keyed(world, caller, name).predicted() for name in "abcde"]
        kept = [address.rpartition("/")[2] for address in addresses[:2]]
        async with world.components.database.transaction() as session:
            await session.execute(sa.delete(Prediction).where(Prediction.id.not_in(kept)))
        await age_records(world)
        await world.components.entry_points.cleanup.free_keys()
        assert await records(world) == 2

    async def test_cleanups_of_two_gates_wait_for_each_other_in_one_order(self, world) -> None:
        database = world.components.database
        first, second = (1, "a"), (2, "a")
        async with database.transaction() as session:
            for account_id, scope in (second, first):  # a deletion alone would lock them in this order
                await PredictionKeys(session).claim(account_id, scope, "f")

        async def delete() -> None:
            async with database.transaction() as session:
                for way in ("indexscan", "bitmapscan"):  # as for keys of many accounts
                    await session.execute(sa.text(f"SET LOCAL enable_{way} = off"))
                await PredictionKeys(session).forget([second, first])

        async def waits() -> bool:
            query = (
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            async with database.transaction() as session:
                return bool((await session.execute(sa.text(query))).scalar_one())

        async with database.transaction() as session:
            keys = PredictionKeys(session)
            assert await keys.old(timedelta(0), after=(0, ""), limit=1) == [first]
            deleting = asyncio.create_task(delete())
            await eventually(waits)
            assert await keys.old(timedelta(0), after=first, limit=1) == [second]
        await deleting
        assert await records(world) == 0

    async def test_old_key_stays_with_its_prediction(self, world, keyed: Keyed, caller, monkeypatch) -> None:
        monkeypatch.setattr(cleanup, "_AT_ONCE", 2)
        world.instance()
        for name in "abcde":
            await Keyed(world, caller, name).predicted()
        await age_records(world)
        await world.components.entry_points.cleanup.free_keys()
        assert await records(world) == 5

    async def test_deletion_of_very_many_frees_all_keys(self, world, keyed: Keyed, caller, monkeypatch) -> None:
        monkeypatch.setattr(repository, "_MOST_AT_ONCE", 2)
        world.instance()
        addresses = [await Keyed(world, caller, name).predicted() for name in "abcde"]
        await keyed.delete(addresses[0].rpartition("/")[0])
        assert await records(world) == 0

    async def test_deletion_leaves_the_keys_of_others(self, world, keyed: Keyed, caller) -> None:
        world.instance()
        address = await keyed.predicted()
        other, third = Keyed(world, caller, "other"), Keyed(world, caller, "third")
        kept = await other.predicted()
        assert await third.call() == (200, None)
        await keyed.delete(address)
        assert await other.call() == REUSED
        assert (await other.begin()).json()["urls"]["get"] == kept
        assert await third.call() == (200, "replayed")

    async def test_deletion_leaves_a_call_that_has_the_key_now(self, world, keyed: Keyed) -> None:
        """As after an upgrade from a release whose predictions had no records."""
        twin = world.instance()
        address = await keyed.predicted()
        async with world.components.database.transaction() as session:
            await session.execute(sa.delete(IdempotentCall))
        assert await keyed.call() == (200, None)
        await keyed.delete(address)
        assert await keyed.call() == (200, "replayed")
        assert len(twin.requests) == 2

    async def test_deletion_leaves_a_call_that_is_running(self, world, keyed: Keyed) -> None:
        asked, goes_on = asyncio.Queue[InstanceRequest](), asyncio.Event()

        async def slow(request: InstanceRequest) -> AsyncGenerator[Answer]:
            asked.put_nowait(request)
            await goes_on.wait()
            yield Answer(Payload(json="1"), {})

        world.instance(slow)
        goes_on.set()
        address = await keyed.predicted()
        await asked.get()
        goes_on.clear()
        async with world.components.database.transaction() as session:
            await session.execute(sa.delete(IdempotentCall))
        running = asyncio.create_task(keyed.call())
        async with asyncio.timeout(60):
            await asked.get()
        await keyed.delete(address)
        goes_on.set()
        assert await running == (200, None)
