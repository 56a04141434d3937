"""Calls with cached answers, and their behaviour when the owner's database fails."""

import asyncio
import logging
from collections.abc import AsyncGenerator

import pytest
from prometheus_client import REGISTRY

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError
from mlplace_contracts.events import ModelBilling, PredictConfigChanged
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually

CUSTOM = ModelBilling(
    enabled=True, unit=BillingUnit.CUSTOM, unit_price_nano=3, currency=Currency.RUBLE, free_unit_quota=0
)


async def counted(records, number: int) -> None:
    await eventually(lambda: records.count_documents({}), until=lambda found: found == number, seconds=60)


async def reached(instance, requests: int) -> None:
    async def seen() -> bool:
        return len(instance.requests) == requests

    await eventually(seen, seconds=60)


async def followed(calls: int) -> None:
    async def seen() -> bool:
        return REGISTRY.get_sample_value("mlp_gateway_cache_following_calls") == calls

    await eventually(seen, seconds=60)


class Held:
    """An instance that answers when a test lets it."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self, request) -> AsyncGenerator[Answer]:
        await self.go.wait()
        if self.error is not None:
            raise self.error
        yield Answer(request.data or Payload(), {"Z-custom-billing": "7", "Z-Server-Time": "5", "Z-own": "x"})


@pytest.fixture
async def served(world, kit, caching, mongo_uri: str, warm, records):
    """Makes one call, so that the cache is connected and the instance has had one request."""
    world.know(caching(mongo_uri, billing=CUSTOM))
    instance = world.instance(kit.says('"answer"', Z_custom_billing="7", Z_Server_Time="5", Z_own="x"))
    assert (await world.predict(world.key(), '"first"')).headers["z-cache"] == "miss"
    await warm(world)
    await counted(records, 1)
    await records.delete_many({})
    return instance


class TestHits:
    async def test_repeated_call_gets_answer_and_headers_without_an_instance(self, world, served, records) -> None:
        key = world.key()
        first = await world.predict(key)
        await counted(records, 1)
        again = await world.predict(key)
        assert (first.headers["z-cache"], again.headers["z-cache"]) == ("miss", "hit")
        assert (first.text, again.text) == ('"answer"', '"answer"')
        assert again.headers["z-own"] == "x"
        assert "z-server-time" not in again.headers
        assert len(served.requests) == 2

    async def test_hit_is_recorded_as_a_call_without_the_instances_units(self, world, served, records) -> None:
        key = world.key()
        for _ in range(2):
            await world.predict(key)
            await counted(records, 1)
        *_, first, again = await world.usage()
        assert (first.units, first.amount_nano, first.instance_id) == (7, 21, served.instance_id)
        assert (again.units, again.amount_nano, again.instance_id) == (0, 0, None)

    async def test_hit_is_charged_as_a_call_when_calls_are_priced(
        self, world, kit, served, records, caching, mongo_uri, warm
    ) -> None:
        world.know(caching(mongo_uri, billing=kit.CALLS))
        key = world.key()
        await world.predict(key)
        await counted(records, 1)
        assert (await world.predict(key)).headers["z-cache"] == "hit"
        assert [usage.amount_nano for usage in (await world.usage())[-2:]] == [10, 10]

    async def test_answer_under_a_bound_of_the_payer_is_not_shared(self, world, served, records) -> None:
        """The model is told the bound, and may have done less work. The payer still gets what others have paid for."""
        key = world.key()
        bounded = {**key, "MLP-Max-Price": "0.0000001"}
        assert (await world.predict(bounded)).headers["z-cache"] == "miss"
        assert (await world.predict(bounded)).headers["z-cache"] == "miss"
        assert (await world.predict(key)).headers["z-cache"] == "miss"
        await counted(records, 1)
        assert (await world.predict(bounded)).headers["z-cache"] == "hit"
        assert len(served.requests) == 4

    async def test_caller_without_access_gets_no_cached_answer(self, world, served, records) -> None:
        await world.predict(world.key())
        await counted(records, 1)
        assert (await world.predict({"MLP-API-KEY": "nobody"})).status_code == 401
        assert (await world.predict(world.key(permissions=("read",)))).status_code == 403

    @pytest.mark.parametrize("body", ['{"text":"other"}', '{"text": "hi"}'])
    async def test_other_data_misses(self, world, served, records, body: str) -> None:
        await world.predict(world.key())
        await counted(records, 1)
        assert (await world.predict(world.key(), body)).headers["z-cache"] == "miss"

    async def test_other_config_or_model_version_misses(self, world, kit, served, records, caching, mongo_uri) -> None:
        key, body = world.key(), '{"data": {"a": 1}, "config": {"b": %d}}'
        await world.predict(key, body % 1, "predict-with-config")
        await counted(records, 1)
        assert (await world.predict(key, body % 1, "predict-with-config")).headers["z-cache"] == "hit"
        assert (await world.predict(key, body % 2, "predict-with-config")).headers["z-cache"] == "miss"
        await counted(records, 2)
        world.know(caching(mongo_uri, billing=CUSTOM))
        assert (await world.predict(key, body % 2, "predict-with-config")).headers["z-cache"] == "miss"

    async def test_stored_config_counts_by_its_content(self, world, kit, served, records) -> None:
        def stored(version: int, text: str) -> PredictConfigChanged:
            return PredictConfigChanged(
                version=version, config_id=5, account_id=kit.ACME, model_id=kit.MODEL, is_default=True, config=text,
                active=True,
            )  # fmt: skip

        world.know(stored(1, '{"a":1}'))
        key = world.key()
        await world.predict(key)
        await counted(records, 1)
        world.know(stored(2, '{"a":2}'))
        assert (await world.predict(key)).headers["z-cache"] == "miss"

    async def test_streams_other_methods_and_hidden_contents_are_not_cached(self, world, served, records) -> None:
        key = world.key()
        streamed = await world.predict(key, '{"data":"1"}', "predict-with-config-v2-stream")
        other = await world.predict(key, '{"methodName":"x","params":{}}', "ext")
        hidden = await world.predict({**key, "Content-Hidden": "true"})
        assert [answer.status_code for answer in (streamed, other, hidden)] == [200, 200, 200]
        assert not [answer for answer in (streamed, other, hidden) if "z-cache" in answer.headers]
        await world.predict(key)
        await counted(records, 1)

    async def test_errors_are_not_cached(self, world, kit, served, records) -> None:
        served.accepts_requests = False
        error = InstanceError(code="svc.bad", message="no", status=422, details={}, headers={})
        failing = world.instance(kit.fails(error))
        for _ in range(2):
            assert (await world.predict(world.key())).status_code == 422
        assert len(failing.requests) == 2
        assert await records.count_documents({}) == 0

    async def test_idempotent_call_keeps_the_cached_answer(self, world, served, records) -> None:
        await world.predict(world.key())
        await counted(records, 1)
        key = {**world.key(), "Idempotency-Key": "k"}
        answers = [await world.predict(key) for _ in range(2)]
        assert [answer.text for answer in answers] == ['"answer"', '"answer"']
        assert len(served.requests) == 2


class TestEqualCallsAtOnce:
    async def test_one_call_reaches_the_instance_and_all_get_its_answer(self, world, kit, caching, mongo_uri) -> None:
        world.know(caching(mongo_uri, billing=CUSTOM))
        held = Held()
        instance = world.instance(held)
        calls = [asyncio.create_task(world.predict(world.key())) for _ in range(20)]
        await reached(instance, 1)
        await followed(19)
        held.go.set()
        answers = await asyncio.gather(*calls)
        assert {answer.text for answer in answers} == {'{"text":"hi"}'}
        assert sorted(answer.headers["z-cache"] for answer in answers) == ["hit"] * 19 + ["miss"]
        assert len(instance.requests) == 1
        assert sorted(usage.units for usage in await world.usage()) == [0] * 19 + [7]

    async def test_calls_ask_themselves_when_the_first_one_fails(self, world, kit, caching, mongo_uri) -> None:
        world.know(caching(mongo_uri))
        held = Held()
        held.error = InstanceError(code="svc.bad", message="no", status=500, details={}, headers={})
        instance = world.instance(held)
        calls = [asyncio.create_task(world.predict(world.key())) for _ in range(3)]
        await reached(instance, 1)
        await followed(2)
        held.go.set()
        assert [answer.status_code for answer in await asyncio.gather(*calls)] == [500] * 3
        assert len(instance.requests) == 3

    async def test_another_call_takes_over_when_the_first_is_cancelled(
        self, world, kit, caching, mongo_uri, raw
    ) -> None:
        world.know(caching(mongo_uri))
        held = Held()
        instance = world.instance(held)
        path = "/api/mlpgateway/account/acme/model/ner/predict"
        first = raw(world.app, path, world.key(), b'{"text":"hi"}')
        await reached(instance, 1)
        others = [asyncio.create_task(world.predict(world.key())) for _ in range(5)]
        await followed(5)
        first.hang_up()
        await reached(instance, 2)
        held.go.set()
        assert [answer.status_code for answer in await asyncio.gather(*others)] == [200] * 5
        assert len(instance.requests) == 2
        await asyncio.gather(first.task, return_exceptions=True)


class TestSecrets:
    async def test_database_address_is_not_logged(self, world, kit, caching, caplog, capsys) -> None:
        caplog.set_level(logging.DEBUG)
        world.know(caching("mongodb://user:hunter2@127.0.0.1:9/x"))  # pragma: allowlist secret
        world.instance()
        await world.predict(world.key())

        async def noticed() -> bool:
            return world.components.caches.find(kit.MODEL).problem is not None

        await eventually(noticed, seconds=60)
        printed = capsys.readouterr()
        assert "hunter2" not in caplog.text + printed.out + printed.err


class TestCacheHeader:
    async def test_gate_tells_it_without_a_database_too(self, world, kit, caching) -> None:
        world.know(caching("mongodb://127.0.0.1:9/x"))
        held = Held()
        instance = world.instance(held)
        calls = [asyncio.create_task(world.predict(world.key()))]
        await reached(instance, 1)
        calls.append(asyncio.create_task(world.predict(world.key())))
        await followed(1)
        held.go.set()
        assert [answer.headers["z-cache"] for answer in await asyncio.gather(*calls)] == ["miss", "hit"]

    async def test_instance_cannot_set_it(self, world, kit, caching) -> None:
        world.know(caching("mongodb://127.0.0.1:9/x"))
        world.instance(kit.says('"answer"', Z_Cache="hit"))
        assert (await world.predict(world.key())).headers["z-cache"] == "miss"
