"""Calls with an Idempotency-Key, even concurrent ones and with a failing database."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from itertools import count
from typing import Any, cast

import pytest
import sqlalchemy as sa

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.features.idempotency.tables import IdempotentCall
from mlpgateway.http2.call import Call as Context
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import headers as names
from services.mlpgateway.tests.rpcs import Rpc, answered, client_rpc

BODY = '{"text":"hi"}'


@pytest.fixture
def caller(world, kit) -> dict[str, str]:
    world.know(kit.model_changed(billing=kit.CALLS))
    return {**world.key(), "Idempotency-Key": "one"}


async def rows(world) -> int:
    async with world.components.database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(IdempotentCall))).scalar_one()


def in_turn(*scripts):
    """Returns an instance that runs another script with each request."""
    left = iter(scripts)

    def script(request: InstanceRequest) -> AsyncGenerator[Answer]:
        return next(left)(request)

    return script


class TestRepeatedCall:
    async def test_repeated_call_gets_the_first_answer_and_is_charged_once(self, world, kit, caller) -> None:
        twin = world.instance(in_turn(kit.says("1", Z_own="x"), kit.says("2")))
        first, second = await world.predict(caller), await world.predict(caller)
        assert (first.text, second.text, len(twin.requests)) == ("1", "1", 1)
        assert (first.headers["z-own"], second.headers["z-own"]) == ("x", "x")
        assert "z-idempotent-replayed" not in first.headers
        assert second.headers["z-idempotent-replayed"] == "true"
        assert [usage.amount_nano for usage in await world.usage()] == [10]

    @pytest.mark.parametrize(("prefer", "status"), [({}, 200), ({"Prefer": "respond-async"}, 202)])
    async def test_answer_is_repeated_only_where_a_call_may_come_from(self, world, kit, caller, prefer, status) -> None:
        world.instance()
        caller = {**caller, **prefer}
        assert (await world.predict(caller)).status_code == status
        elsewhere = kit.limits_changed(kit.DEMO).model_copy(update={"allowed_networks": ("10.0.0.0/8",)})
        world.know(elsewhere)
        refused = await world.predict(caller)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.gate.access_denied_for_account_from_ip")
        world.know(elsewhere.model_copy(update={"version": elsewhere.version + 1, "allowed_networks": None}))
        assert (await world.predict(caller)).headers["z-idempotent-replayed"] == "true"

    @pytest.mark.parametrize(("prefer", "status"), [({}, 200), ({"Prefer": "respond-async"}, 202)])
    async def test_answer_is_repeated_only_to_who_may_call_the_model(self, world, kit, caller, prefer, status) -> None:
        world.instance()
        known = world.key_event()
        caller = {**caller, **prefer, "MLP-API-KEY": known[1]}
        world.know(known[0])
        assert (await world.predict(caller)).status_code == status
        world.know(known[0].model_copy(update={"version": known[0].version + 1, "allowed_models": (1,)}))
        refused = await world.predict(caller)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.gate.access_denied")

    @pytest.mark.parametrize(("prefer", "status"), [({}, 200), ({"Prefer": "respond-async"}, 202)])
    async def test_key_that_pays_has_to_be_one_for_a_repeated_call_too(self, world, caller, prefer, status) -> None:
        world.instance()
        caller = {**caller, **prefer}
        assert (await world.predict(caller)).status_code == status
        refused = await world.predict({**caller, "MLP-BILLING-KEY": "nonsense"})
        assert (refused.status_code, refused.json()["code"]) == (401, "mlp.gate.billing_key_not_valid")

    async def test_bytes_are_repeated_as_bytes(self, world, caller) -> None:
        async def binary(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(protobuf=b"\x00\xff"), {})

        world.instance(binary)
        answers = [await world.predict(caller) for _ in range(2)]
        assert [answer.content for answer in answers] == [b"\x00\xff"] * 2
        assert answers[1].headers["content-type"] == "application/octet-stream"

    async def test_form_of_an_answer_is_made_once(self, world, kit, caller) -> None:
        """It may name the time: what the first caller gets is what is stored."""
        forms, once = count(1), world.components.entry_points.idempotent_calls

        def shape(answer: Answer) -> Answer:
            return Answer(Payload(json=str(next(forms))), answer.headers)

        world.instance()
        answers = [await once.answer(kit.call_with(caller), key="one", request=(b"x",), shape=shape) for _ in range(2)]
        assert [answer.payload.json for answer in answers] == ["1", "1"]

    async def test_other_body_or_path_with_the_same_key_is_refused(self, world, caller) -> None:
        twin = world.instance()
        await world.predict(caller, BODY)
        for body, call in (('{"text":"other"}', "predict"), (BODY, "predict?dataType=x")):
            answer = await world.predict(caller, body, call)
            assert (answer.status_code, answer.json()["code"]) == (422, "mlp.gate.idempotency_key_reused")
        assert len(twin.requests) == 1

    async def test_other_api_key_makes_another_call(self, world, caller) -> None:
        twin = world.instance()
        await world.predict(caller)
        await world.predict({**world.key(), "Idempotency-Key": "one"})
        assert len(twin.requests) == 2

    async def test_call_is_served_again_after_an_error(self, world, kit, caller) -> None:
        world.instance(in_turn(kit.fails(kit.Failing), kit.says("5")))
        assert (await world.predict(caller)).status_code == 503
        assert (await world.predict(caller)).text == "5"
        assert len(await world.usage()) == 1

    async def test_nothing_is_stored_without_a_key(self, world) -> None:
        world.instance()
        await world.predict(world.key())
        assert await rows(world) == 0


class TestConcurrentCalls:
    async def test_one_call_is_served_and_the_others_are_told_to_wait(self, world, caller) -> None:
        go = asyncio.Event()

        async def slow(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await go.wait()
            yield Answer(Payload(json="5"), {})

        twin = world.instance(slow)
        calls = [asyncio.create_task(world.predict(caller)) for _ in range(10)]
        # All but the running one answer at once.
        done, running = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        while len(running) > 1:
            more, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            done |= more
        refused = [task.result() for task in done]
        assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {
            (409, "mlp.gate.idempotent_call_running")
        }
        go.set()
        (last,) = running
        assert (await last).text == "5"
        assert (await world.predict(caller)).text == "5"
        assert (len(twin.requests), len(await world.usage())) == (1, 1)

    async def test_call_of_a_dead_process_is_taken_over(self, world, caller) -> None:
        twin = world.instance()
        await world.predict(caller)
        async with world.components.database.transaction() as session:
            past = sa.func.now() - sa.text("interval '1 second'")
            await session.execute(sa.update(IdempotentCall).values(answered_at=None, body=None, leased_until=past))
        assert (await world.predict(caller)).status_code == 200
        assert len(twin.requests) == 2


class TestAtomicity:
    async def test_answer_that_lost_its_claim_is_not_charged(self, world, caller) -> None:
        async def robbed(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            async with world.components.database.transaction() as session:
                await session.execute(sa.delete(IdempotentCall))
            yield Answer(Payload(json="5"), {})

        world.instance(robbed)
        answer = await world.predict(caller)
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.usage_not_recorded")
        assert await world.usage() == []

    async def test_too_large_answer_is_not_charged_and_not_stored(self, open_world, kit) -> None:
        async with open_world(kept_answer_bytes=3) as world:
            world.instance(kit.says('"long"'))
            answer = await world.predict({**world.key(), "Idempotency-Key": "one"})
            assert (answer.status_code, answer.json()["code"]) == (502, "mlp.gate.answer_too_large_to_keep")
            assert (await world.usage(), await rows(world)) == ([], 0)

    async def test_cancelled_call_releases_its_claim(self, world, caller, raw) -> None:
        started = asyncio.Event()

        async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            started.set()
            await asyncio.Event().wait()
            yield Answer(Payload(), {})

        world.instance(hang)
        request = raw(world.app, "/p/acme/ner", caller)
        await started.wait()
        request.hang_up()
        await request.task
        assert (await rows(world), await world.usage()) == (0, [])


class TestCharactersThatCannotBeStored:
    """PostgreSQL refuses NUL in texts."""

    @staticmethod
    def asked(world, *, field: str = "", key: str = "one") -> tuple[pb.ClientRequestProto, Context]:
        kind = pb.PayloadProto(json="1", dataType="a\0b")
        fine = pb.PayloadProto(json="1")
        request = pb.ClientRequestProto(account="acme", model="ner", authToken=world.key()["MLP-API-KEY"])
        if field == "params.p":
            request.ext.methodName = "m"
            request.ext.params["p"].CopyFrom(kind)
        else:
            request.predict.data.CopyFrom(kind if field == "data" else fine)
            request.predict.config.CopyFrom(kind if field == "config" else fine)
        return request, cast("Context", Rpc(idempotency_key=key))

    async def test_those_of_an_instance_are_replaced_in_every_answer(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))

        async def odd(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json='"\\u0000"', data_type="t\0"), {"Z-own\0": "a\0b", "Z-fine": "c"})

        twin, rpc = world.instance(odd), client_rpc(world.components)
        asked, context = self.asked(world)
        answers = [await answered(rpc, asked, context) for _ in range(2)]
        for answer in answers:
            data = answer.predict.data
            assert (answer.error.code, data.json, data.dataType) == ("", '"\\u0000"', "t\ufffd")
            assert (answer.headers["Z-own\ufffd"], answer.headers["Z-fine"]) == ("a\ufffdb", "c")
        assert (len(twin.requests), len(await world.usage())) == (1, 1)

    @pytest.mark.parametrize("with_key", [True, False])
    @pytest.mark.parametrize(
        ("call", "body"),
        [
            ("predict?dataType=a%00b", "1"),
            ("predict-with-config", r'{"data":1,"dataType":"a\u0000b"}'),
            ("predict-with-config-v2", r'{"data":"1","dataType":"a\u0000b"}'),
        ],
    )
    async def test_those_of_a_caller_over_http_are_refused(self, world, caller, call, body, with_key) -> None:
        twin = world.instance()
        answer = await world.predict(caller if with_key else world.key(), body, call)
        found = {"dataType": "must not contain the NUL character"}
        assert (answer.status_code, answer.json()["args"]) == (400, found)
        assert (twin.requests, await rows(world)) == ([], 0)

    @pytest.mark.parametrize("field", ["data", "config", "params.p"])
    async def test_those_of_a_caller_over_grpc_are_refused(self, world, field) -> None:
        twin = world.instance()
        asked, context = self.asked(world, field=field)
        error = (await answered(client_rpc(world.components), asked, context)).error
        assert (error.status, f"{field}.dataType" in error.message) == (400, True)
        assert (twin.requests, await rows(world)) == ([], 0)


class TestLargeRequestsOverGrpc:
    async def test_text_apart_from_its_message_identifies_the_request(self, world) -> None:
        twin, rpc, secret = world.instance(), client_rpc(world.components), world.key()["MLP-API-KEY"]
        context = cast("Context", Rpc(idempotency_key="one"))

        def ask(text: str) -> Coroutine[Any, Any, pb.ClientResponseProto]:
            asked = pb.ClientRequestProto(account="acme", model="ner", authToken=secret)
            asked.predict.data.json = text
            return answered(rpc, asked, context)

        text = '"' + "x" * LARGE_BYTES + '"'
        answers = [await ask(text), await ask(text), await ask(text.replace("x", "y", 1)), await ask("1")]
        assert [answer.error.status for answer in answers] == [0, 0, 422, 422]
        assert names.REPLAYED in answers[1].headers
        assert len(twin.requests) == 1


class TestRefusals:
    @pytest.mark.parametrize("key", ["", "a b", "x" * 256])
    async def test_invalid_key_is_refused(self, world, key) -> None:
        world.instance()
        answer = await world.predict({**world.key(), "Idempotency-Key": key})
        assert answer.status_code == 400

    async def test_stream_with_a_key_is_refused(self, world, caller) -> None:
        answer = await world.predict(caller, '{"data": "5"}', "predict-with-config-v2-stream")
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.gate.idempotency_not_for_streams")

    async def test_anonymous_caller_is_refused(self, world) -> None:
        answer = await world.predict({"Idempotency-Key": "one"})
        assert (answer.status_code, await rows(world)) == (401, 0)


class TestDeletion:
    async def test_answer_is_deleted_after_a_day(self, world, caller) -> None:
        world.instance()
        await world.predict(caller)
        await world.components.entry_points.idempotent_calls._forget()
        assert await rows(world) == 1
        async with world.components.database.transaction() as session:
            past = sa.func.now() - sa.text("interval '25 hours'")
            await session.execute(sa.update(IdempotentCall).values(created_at=past, leased_until=past))
        await world.components.entry_points.idempotent_calls._forget()
        assert await rows(world) == 0
