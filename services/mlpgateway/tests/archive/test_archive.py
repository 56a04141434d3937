"""The archived requests of a model, as its owner reads them."""

import asyncio
import base64
import json
import uuid
from contextlib import aclosing
from typing import Any, cast

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError
from mlpgateway.features.archive.repository import ArchivedObject, ArchiveRepository
from mlpgateway.http2.call import Call as Context
from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.rpcs import Rpc, answered, client_rpc, refused_with, speech_rpc

ARCHIVE = "/api/mlpgateway/account/acme/model/ner/archive"


async def content(world, owner, record) -> dict[str, Any]:
    answer = await world.client.get(f"{ARCHIVE}/{record['id']}/content", headers=owner)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), answer.text
    assert answer.headers["content-disposition"] == f'attachment; filename="{record["id"]}.json"'
    return answer.json()


class TestKeptContent:
    async def test_request_is_kept_with_its_answer(self, world, kit, archiving, listed, owner) -> None:
        world.know(archiving())
        twin = world.instance(kit.says('{"b":2}', Z_own="x", Z_custom_billing="5"))
        body = '{"data": {"a": 1}, "config": {"c": 3}}'
        await world.predict(world.key(), body, "predict-with-config")
        (record,) = await listed(1)
        assert record["requestId"]
        assert record | {"at": "", "durationMs": 0, "storedBytes": 0, "id": "", "requestId": ""} == {
            "id": "", "at": "", "requestId": "", "callerAccountId": kit.DEMO,
            "operation": "predict", "status": 200, "errorCode": None, "requestBytes": 16, "answerBytes": 7,
            "storedBytes": 0, "durationMs": 0, "instanceId": twin.instance_id, "cached": False, "keyId": None,
        }  # fmt: skip
        kept = await content(world, owner, record)
        assert kept["request"]["data"] == {"json": '{"a": 1}', "type": None}
        assert kept["request"]["config"] == {"json": '{"c": 3}', "type": None}
        assert kept["answer"]["parts"] == [{"json": '{"b":2}', "type": None}]
        assert kept["answer"]["headers"] == {"Z-own": "x"}
        one = await world.client.get(f"{ARCHIVE}/{record['id']}", headers=owner)
        assert one.json() == record

    async def test_error_of_the_model_is_kept_with_its_code(self, world, kit, archiving, listed, owner) -> None:
        world.know(archiving())
        error = InstanceError(code="svc.bad", message="no {x}", status=422, details={"x": "y"}, headers={})
        world.instance(kit.fails(error))
        await world.predict(world.key())
        (record,) = await listed(1)
        assert (record["status"], record["errorCode"]) == (422, "svc.bad")
        assert (await content(world, owner, record))["answer"]["error"]["code"] == "svc.bad"

    async def test_unstorable_error_code_loses_no_record(self, world, kit, archiving, listed) -> None:
        world.know(archiving())
        error = InstanceError(code="svc.\x00bad", message="no", status=422, details={}, headers={})
        world.instance(kit.fails(error))
        await asyncio.gather(*(world.predict(world.key()) for _ in range(3)))
        assert [record["errorCode"] for record in await listed(3)] == ["svc.\ufffdbad"] * 3

    async def test_all_parts_of_a_stream_and_bytes_are_kept(self, world, kit, archiving, listed, owner) -> None:
        world.know(archiving())

        async def script(_request):
            yield Answer(Payload(protobuf=b"\x00\xff"), {"Z-Own": "x"}, first=True, last=False, partial=True)
            yield Answer(Payload(json='"end"'), {}, first=False, last=True, partial=True)

        world.instance(script)
        call = kit.call_with(world.key())  # lines over HTTP cannot hold bytes, messages over gRPC can
        async with aclosing(world.components.pipeline.stream(call)) as answers:
            assert len([answer async for answer in answers]) == 2
        (record,) = await listed(1)
        kept = (await content(world, owner, record))["answer"]
        parts = kept["parts"]
        assert kept["headers"]["Z-Own"] == "x"
        assert base64.b64decode(parts[0]["base64"]) == b"\x00\xff"
        assert parts[1]["json"] == '"end"'

    async def test_call_whose_caller_left_is_kept(self, world, kit, archiving, listed) -> None:
        world.know(archiving())
        world.instance(kit.fails(RuntimeError("never"), '"1"'))
        call = kit.call_with(world.key())
        async with aclosing(world.components.pipeline.stream(call)) as answers:
            await anext(answers)
        (record,) = await listed(1)
        assert record["status"] == 499

    async def test_hidden_contents_are_not_kept(self, world, archiving, listed) -> None:
        world.know(archiving())
        world.instance()
        await world.predict({**world.key(), "Content-Hidden": "true"})
        asked = pb.ClientRequestProto(account="acme", model="ner", authToken=world.key()["MLP-API-KEY"])
        asked.predict.data.json = "{}"
        await answered(client_rpc(world.components), asked, cast("Context", Rpc(content_hidden="true")))
        speech = speech_rpc(world.components)
        await refused_with("processSynthesis", client_rpc(world.components), speech, asked, Rpc(content_hidden="True"))
        await world.predict(world.key())
        assert len(await listed(1)) == 1

    async def test_models_without_an_archive_and_refused_calls_are_not_kept(
        self, world, kit, archiving, listed
    ) -> None:
        world.instance()
        assert (await world.predict(world.key())).status_code == 200
        world.know(archiving())
        assert (await world.predict({"MLP-API-KEY": "nobody"})).status_code == 401
        await world.predict(world.key())
        await listed(1)

    async def test_too_large_contents_are_marked_as_omitted(self, open_world, kit, archiving) -> None:
        async with open_world(archived_bytes=100) as world:
            world.know(archiving())
            world.instance(kit.says(json.dumps("x" * 200)))
            await world.predict(world.key(), json.dumps("y" * 300))
            owner = world.key(kit.ACME, permissions=("read",))

            async def look() -> list[dict[str, Any]]:
                return (await world.client.get(ARCHIVE, headers=owner)).json()["records"]

            (record,) = await eventually(look, seconds=60)
            kept = await content(world, owner, record)
            assert (kept["request"]["omitted"], kept["request"]["data"]) == (True, None)
            assert (kept["answer"]["omitted"], kept["answer"]["parts"]) == (True, [])
            assert (record["requestBytes"], record["answerBytes"]) == (304, 202)

    async def test_calls_are_served_while_the_archive_is_unavailable(self, open_world, archiving) -> None:
        async with open_world(archive_waiting_bytes=0) as world:
            world.know(archiving())
            world.instance()
            assert (await world.predict(world.key())).status_code == 200


class TestRetention:
    async def test_only_the_newest_records_and_their_objects_stay(self, world, archiving, listed) -> None:
        world.know(archiving(most=3))
        world.instance()
        for length in range(7):
            await world.predict(world.key(), json.dumps("x" * length))

        async def newest() -> int:
            return (await listed(3))[0]["requestBytes"]

        await eventually(newest, until=lambda size: size == 10, seconds=60)
        records = await listed(3)
        await _objects(world, {record["id"] for record in records})
        assert [record["requestBytes"] for record in records] == [10, 9, 8]

    async def test_pages_begin_with_the_newest(self, world, archiving, listed) -> None:
        world.know(archiving())
        world.instance()
        for length in range(1, 6):
            await world.predict(world.key(), json.dumps("x" * length))
            await listed(length)
        assert [record["requestBytes"] for record in await listed(5, size=2)] == [9, 8]
        assert [record["requestBytes"] for record in await listed(5, size=2, page=2)] == [5]

    @pytest.mark.parametrize("end", ["off", "deleted", "fewer"])
    async def test_records_are_deleted_when_the_archive_shrinks(self, world, kit, archiving, listed, end: str) -> None:
        world.know(archiving())
        world.instance()
        for _ in range(2):
            await world.predict(world.key())
        await listed(2)
        changes = {
            "off": kit.model_changed(), "deleted": kit.model_changed(active=False), "fewer": archiving(most=1),
        }  # fmt: skip
        world.know(changes[end])

        async def left() -> int:
            return len(await world.components.archive._objects.list("archive"))

        await eventually(left, until=lambda found: found == (1 if end == "fewer" else 0), seconds=60)

    async def test_leftovers_of_a_dead_gate_are_cleaned_up(self, world, kit, archiving, listed) -> None:
        world.know(archiving())
        world.instance()
        await world.predict(world.key())
        (record,) = await listed(1)
        place = ArchivedObject(uuid.UUID(record["id"]), kit.ACME, kit.MODEL)
        async with world.components.database.transaction() as session:
            await ArchiveRepository(session).keep_last(kit.MODEL, 0)
        await listed(0)
        await _objects(world, set())
        assert place.key.startswith("archive/")


class TestAccess:
    async def test_another_account_gets_the_answer_for_a_missing_model(self, world, kit, archiving, listed) -> None:
        world.know(archiving())
        world.instance()
        await world.predict(world.key())
        (record,) = await listed(1)
        stranger = world.key(kit.OTHER, permissions=("read", "write"))
        for path in ("", f"/{record['id']}", f"/{record['id']}/content"):
            denied = await world.client.get(ARCHIVE + path, headers=stranger)
            missing = await world.client.get(ARCHIVE.replace("acme", "nobody") + path, headers=stranger)
            assert (denied.status_code, denied.json()["code"]) == (missing.status_code, missing.json()["code"])
            own = ARCHIVE.replace("acme", "other").replace("ner", str(kit.MODEL)) + path
            assert (await world.client.get(own, headers=stranger)).json()["code"] == "mlp.gate.model_not_found"

    async def test_key_for_calls_or_other_models_is_refused(self, world, kit, archiving) -> None:
        world.know(archiving())
        for about in ({"permissions": ("predict",)}, {"permissions": ("read",), "allowed_models": (7,)}):
            answer = await world.client.get(ARCHIVE, headers=world.key(kit.ACME, **about))
            assert answer.status_code in {403, 404}
        assert (await world.client.get(ARCHIVE)).status_code == 401

    async def test_missing_record_is_not_found(self, world, archiving, owner) -> None:
        world.know(archiving())
        answer = await world.client.get(f"{ARCHIVE}/{uuid.uuid4()}/content", headers=owner)
        assert (answer.status_code, answer.json()["code"]) == (404, "mlp.gate.archived_request_not_found")


async def _objects(world, ids: set[str]) -> None:
    async def there() -> set[str]:
        found = await world.components.archive._objects.list("archive")
        return {key.rpartition("/")[2] for key in found}

    await eventually(there, until=lambda found: found == ids, seconds=60)
