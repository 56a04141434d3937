"""What an account stores is counted, bounded, and gone when it is deleted."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.buckets.dependencies import bucket_contents_of, bucket_service_of, named_contents_of
from mlpcore.features.buckets.objects import Attributes, IncomingObject
from mlpcore.features.buckets.sweeping import sweep
from mlpcore.features.buckets.tables import BucketBlob
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import Unavailable
from mlplace_runtime.db.times import database_time
from mlplace_runtime.objectstore import ObjectNotStoredError, ObjectStore
from mlplace_runtime.objectstore.stores import Store
from mlplace_testing.world import World

from .programs import Keys, aside, refused

S3 = "/api/mlpcore/account/acme/s3"
_MIB = 1024 * 1024
LATER = timedelta(minutes=20)


async def storage(http: httpx.AsyncClient, world: World) -> dict[str, Any]:
    return (await http.get(f"{S3}/storage", headers=world.owner)).json()


async def blobs(state: CoreState) -> int:
    return len(await state.objects.list("buckets"))


class Stuck:
    """A store that cannot delete one object. Other operations are its own."""

    def __init__(self, store: ObjectStore, key: str) -> None:
        self._store = store
        self._key = key
        self.get, self.stream, self.put, self.put_pieces = store.get, store.stream, store.put, store.put_pieces
        self.put_file, self.list = store.put_file, store.list
        self.entries, self.delete_unfinished = store.entries, store.delete_unfinished

    async def delete(self, key: str) -> None:
        if key == self._key:
            raise OSError("it is in use")
        await self._store.delete(key)


async def limit(http: httpx.AsyncClient, world: World, text: str) -> None:
    current = (await http.get(f"/api/mlpcore/account/{world.acme.account_id}", headers=world.owner)).json()
    url = f"/api/mlpcore/admin/account/{world.acme.account_id}/limits"
    answer = await http.post(url, json={**current["limits"], "storageLimit": text}, headers=world.admin)
    assert answer.status_code == 200, answer.text


class TestSum:
    async def test_is_that_of_the_objects_and_parts_whatever_happens(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        client, bucket = keys.client(), keys.bucket
        put = lambda key, size: client.put_object(Bucket=bucket, Key=key, Body=b"x" * size)  # noqa: E731
        for key, size in (("a", 10), ("b", 20), ("a", 5)):
            await aside(lambda key=key, size=size: put(key, size))
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="parts"))
        part = lambda number, size: client.upload_part(  # noqa: E731
            Bucket=bucket, Key="parts", PartNumber=number, UploadId=begun["UploadId"], Body=b"y" * size
        )
        etags = {}
        for number, size in ((1, 5 * _MIB), (2, 7), (3, 9), (2, 8)):
            etags[number] = (await aside(lambda number=number, size=size: part(number, size)))["ETag"]
        found = await storage(http, world)
        assert (found["bucketBytes"], found["objects"]) == (25 + 5 * _MIB + 8 + 9, 2)
        listed = {"Parts": [{"PartNumber": number, "ETag": etags[number]} for number in (1, 2)]}
        await aside(
            lambda: client.complete_multipart_upload(
                Bucket=bucket, Key="parts", UploadId=begun["UploadId"], MultipartUpload=listed
            )
        )
        found = await storage(http, world)
        assert (found["bucketBytes"], found["objects"]) == (25 + 5 * _MIB + 8, 3)
        other = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="other"))
        await aside(
            lambda: client.upload_part(Bucket=bucket, Key="other", PartNumber=1, UploadId=other["UploadId"], Body=b"z")
        )
        await aside(lambda: client.abort_multipart_upload(Bucket=bucket, Key="other", UploadId=other["UploadId"]))
        await aside(lambda: client.delete_object(Bucket=bucket, Key="a"))
        found = await storage(http, world)
        assert (found["bucketBytes"], found["objects"]) == (20 + 5 * _MIB + 8, 2)
        clock.advance(LATER)
        await sweep(state)
        assert await blobs(state) == 3
        assert (await http.post(f"{S3}/delete", json={"keys": ["b", "parts"]}, headers=world.owner)).json() == {
            "deleted": 2,
            "more": False,
        }
        clock.advance(LATER)
        await sweep(state)
        found = await storage(http, world)
        assert (found["bucketBytes"], found["objects"], await blobs(state)) == (0, 0, 0)

    async def test_of_datasets_and_bucket_is_bounded_together(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await limit(http, world, "1000")
        dataset = {"name": "d", "dataType": "plain/texts", "content": "x" * 600}
        made = await http.post("/api/mlpcore/account/acme/dataset", json=dataset, headers=world.owner)
        assert made.status_code == 200, made.text
        client, bucket = keys.client(), keys.bucket
        await aside(lambda: client.put_object(Bucket=bucket, Key="a", Body=b"x" * 300))
        large = lambda: client.put_object(Bucket=bucket, Key="b", Body=b"x" * 101)  # noqa: E731
        assert await refused(large) == "QuotaExceeded"
        own = await http.put(f"{S3}/content", params={"key": "b"}, content=b"x" * 101, headers=world.owner)
        assert (own.status_code, own.json()["code"]) == (413, "mlp.core.storage_limit_exceeded")
        await aside(lambda: client.put_object(Bucket=bucket, Key="a", Body=b"x" * 400))
        second = await http.post(
            "/api/mlpcore/account/acme/dataset", json={**dataset, "name": "e", "content": "x"}, headers=world.owner
        )
        assert (second.status_code, second.json()["code"]) == (413, "mlp.core.storage_limit_exceeded")
        found = await storage(http, world)
        assert (found["usedBytes"], found["bucketBytes"], found["datasetBytes"], found["limitBytes"]) == (
            1000, 400, 600, 1000,
        )  # fmt: skip
        assert found["objectLimitBytes"] == state.settings.object_bytes
        shown = await http.get("/api/mlpcore/account/acme/dataset-storage", headers=world.owner)
        assert shown.json()["usedBytes"] == 1000

    async def test_holds_when_many_write_at_once(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await limit(http, world, "1000")

        async def put(number: int) -> int:
            answer = await http.put(
                f"{S3}/content", params={"key": f"k{number}"}, content=b"x" * 300, headers=world.owner
            )
            return answer.status_code

        answers = await asyncio.gather(*[put(number) for number in range(8)])
        assert sorted(answers)[:4] == [200, 200, 200, 413], answers
        assert (await storage(http, world))["bucketBytes"] == 900

    async def test_of_bytes_that_come_and_go_is_bounded_too(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        """Who replaces an object without end gets a pause, and not the whole store."""
        await limit(http, world, "1000")
        put = lambda: http.put(f"{S3}/content", params={"key": "a"}, content=b"x" * 600, headers=world.owner)  # noqa: E731
        answers = [(await put()).status_code for _ in range(5)]
        assert answers == [200, 200, 200, 503, 503]
        assert (
            await refused(lambda: keys.client().put_object(Bucket=keys.bucket, Key="a", Body=b"x" * 600)) == "SlowDown"
        )
        await sweep(state)
        assert (await put()).status_code == 200
        assert await blobs(state) == 2

    async def test_of_uploads_at_once_is_bounded_too(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        await limit(http, world, "1000")

        async def put(number: int) -> int:
            answer = await http.put(
                f"{S3}/content", params={"key": f"k{number}"}, content=b"x" * 900, headers=world.owner
            )
            return answer.status_code

        answers = await asyncio.gather(*[put(number) for number in range(10)])
        assert answers.count(200) == 1, answers
        assert await blobs(state) <= 2

    async def test_counts_parts_once_under_a_limit_that_was_lowered(
        self, keys: Keys, http: httpx.AsyncClient, world: World
    ) -> None:
        client, bucket = keys.client(), keys.bucket
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="parts"))
        part = {"Bucket": bucket, "Key": "parts", "UploadId": begun["UploadId"]}
        etag = (await aside(lambda: client.upload_part(**part, PartNumber=1, Body=b"x" * 500)))["ETag"]
        await limit(http, world, "100")
        listed = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
        await aside(lambda: client.complete_multipart_upload(**part, MultipartUpload=listed))
        assert (await storage(http, world))["bucketBytes"] == 500
        smaller = lambda: client.put_object(Bucket=bucket, Key="parts", Body=b"x" * 400)  # noqa: E731
        await aside(smaller)
        assert (await storage(http, world))["bucketBytes"] == 400

    async def test_counts_a_part_that_is_sent_again_once(
        self, keys: Keys, http: httpx.AsyncClient, world: World
    ) -> None:
        """A client that lost the answer sends the part again."""
        await limit(http, world, "1000")
        client, bucket = keys.client(), keys.bucket
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="parts"))
        part = {"Bucket": bucket, "Key": "parts", "UploadId": begun["UploadId"]}
        put = lambda number: client.upload_part(**part, PartNumber=number, Body=b"x" * 600)  # noqa: E731
        for _ in range(2):
            await aside(lambda: put(1))
        assert await refused(lambda: put(2)) == "QuotaExceeded"
        assert (await storage(http, world))["bucketBytes"] == 600


class TestCompletedUploads:
    async def test_complete_again_with_the_same_answer(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        """A client that lost the answer asks again."""
        client, bucket = keys.client(), keys.bucket
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="parts"))
        part = {"Bucket": bucket, "Key": "parts", "UploadId": begun["UploadId"]}
        send = lambda number, body: client.upload_part(**part, PartNumber=number, Body=body)["ETag"]  # noqa: E731
        etags = [
            await aside(lambda number=number, body=body: send(number, body))
            for number, body in enumerate((b"x" * 5 * _MIB, b"end", b"not listed"), 1)
        ]
        listed = {"Parts": [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags[:2], 1)]}
        fewer = {"Parts": listed["Parts"][:1]}
        complete = lambda parts=listed, key="parts": client.complete_multipart_upload(  # noqa: E731
            **part | {"Key": key}, MultipartUpload=parts, IfNoneMatch="*"
        )
        first = await aside(complete)
        again = await aside(complete)
        assert (again["ETag"], again["Key"], again["Location"]) == (first["ETag"], "parts", first["Location"])
        assert (await storage(http, world))["bucketBytes"] == 5 * _MIB + 3
        found = await aside(lambda: client.get_object(Bucket=bucket, Key="parts"))
        assert (await aside(found["Body"].read))[-4:] == b"xend"
        assert await refused(lambda: complete(fewer)) == "NoSuchUpload"
        assert await refused(lambda: complete(key="other")) == "NoSuchUpload"
        assert await refused(lambda: client.list_parts(**part)) == "NoSuchUpload"
        assert await refused(lambda: send(1, b"y")) == "NoSuchUpload"
        await aside(lambda: client.put_object(Bucket=bucket, Key="parts", Body=b"other"))
        assert await refused(complete) == "NoSuchUpload"
        clock.advance(LATER)
        await sweep(state)
        assert await blobs(state) == 1


class TestBrokenUploads:
    async def test_leave_the_old_object_and_nothing_else(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        client = keys.client()
        await aside(lambda: client.put_object(Bucket=keys.bucket, Key="a", Body=b"old"))

        async def pieces() -> AsyncIterator[bytes]:
            yield b"x"

        async def breaking() -> AsyncIterator[bytes]:
            yield b"x" * 100_000
            raise ConnectionError

        with pytest.raises(ConnectionError):
            await http.put(
                f"{S3}/content",
                params={"key": "a"},
                content=breaking(),
                headers=world.owner | {"Content-Length": "200000"},
            )
        unknown = await http.put(f"{S3}/content", params={"key": "a"}, content=pieces(), headers=world.owner)
        assert (unknown.status_code, unknown.json()["code"]) == (400, "mlp.core.malformed_request")
        wrong = lambda: client.put_object(  # noqa: E731
            Bucket=keys.bucket, Key="a", Body=b"new", ContentMD5="AAAAAAAAAAAAAAAAAAAAAA=="
        )
        assert await refused(wrong) == "BadDigest"
        found = await aside(lambda: client.get_object(Bucket=keys.bucket, Key="a"))
        assert await aside(found["Body"].read) == b"old"
        clock.advance(timedelta(days=2))
        await sweep(state)
        assert await blobs(state) == 1

    async def test_a_store_that_refuses_is_said_to_be_unavailable(
        self, http: httpx.AsyncClient, world: World, monkeypatch: pytest.MonkeyPatch, keys: Keys
    ) -> None:
        async def refuse(_self: Store, key: str, _pieces: object) -> None:
            raise ObjectNotStoredError(key)

        monkeypatch.setattr(Store, "put_pieces", refuse)
        answer = await http.put(f"{S3}/content", params={"key": "a"}, content=b"x", headers=world.owner)
        assert answer.status_code == 503

    async def test_uploads_that_nobody_completes_are_aborted_after_a_week(
        self, keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState, clock: ManualClock
    ) -> None:
        client = keys.client()
        begun = await aside(lambda: client.create_multipart_upload(Bucket=keys.bucket, Key="parts"))
        await aside(
            lambda: client.upload_part(
                Bucket=keys.bucket, Key="parts", PartNumber=1, UploadId=begun["UploadId"], Body=b"x"
            )
        )
        clock.advance(timedelta(days=6))
        await sweep(state)
        assert (await storage(http, world))["bucketBytes"] == 1
        clock.advance(timedelta(days=2))
        await sweep(state)
        clock.advance(LATER)
        await sweep(state)
        assert ((await storage(http, world))["bucketBytes"], await blobs(state)) == (0, 0)

    async def test_bytes_that_cannot_be_deleted_stop_no_others(
        self, keys: Keys, state: CoreState, clock: ManualClock, world: World, http: httpx.AsyncClient
    ) -> None:
        for key in ("a", "b"):
            put = await http.put(f"{S3}/content", params={"key": key}, content=b"x", headers=world.owner)
            assert put.status_code == 200
        await http.post(f"{S3}/delete", json={"keys": ["a", "b"]}, headers=world.owner)
        clock.advance(LATER)
        stuck = min(await state.objects.list("buckets"))
        await sweep(dataclasses.replace(state, objects=Stuck(state.objects, stuck)))
        assert await state.objects.list("buckets") == [stuck]
        await sweep(state)
        assert await blobs(state) == 0

    async def test_a_killed_process_leaves_a_row_from_which_the_bytes_are_deleted(
        self, keys: Keys, state: CoreState, clock: ManualClock, world: World
    ) -> None:
        """As after a kill between the last byte and the row of the object."""
        await state.objects.put("buckets/1000000001/lost", b"bytes")
        async with state.database.transaction() as session:
            session.add(
                BucketBlob(
                    account_id=1000000001, store_key="buckets/1000000001/lost", number=0, size=0, md5="",
                    stored_at=clock.now(), delete_after=clock.now() + timedelta(hours=24),
                )
            )  # fmt: skip
        await sweep(state)
        assert await blobs(state) == 1
        clock.advance(timedelta(hours=25))
        await sweep(state)
        async with state.database.transaction() as session:
            left = await session.scalar(sa.select(sa.func.count()).select_from(BucketBlob))
        assert (await blobs(state), left) == (0, 0)


class TestClocks:
    async def test_that_differ_leave_what_another_process_stores(
        self, keys: Keys, world: World, state: CoreState
    ) -> None:
        behind, ahead = (
            dataclasses.replace(state, clock=ManualClock(state.clock.now() + by), shared_time=database_time)
            for by in (-LATER, LATER)
        )
        account_id = world.acme.account_id

        async def pieces() -> AsyncIterator[bytes]:
            yield b"te"
            await sweep(ahead)
            yield b"xt"

        contents = bucket_contents_of(behind)
        incoming = IncomingObject(pieces(), 4)
        await contents.put(account_id, key="a", incoming=incoming, attributes=Attributes())
        await sweep(ahead)
        found = await aside(lambda: keys.client().get_object(Bucket=keys.bucket, Key="a"))
        assert await aside(found["Body"].read) == b"text"
        await contents.delete(account_id, ["a"])
        await sweep(ahead)
        assert await blobs(state) == 1, "it is kept for downloads in progress"


class TestEmptyBuckets:
    async def test_that_receive_bytes_are_kept(
        self, keys: Keys, foreign_keys: Keys, http: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        url = "/api/mlpcore/admin/minio/delete-empty-users"
        answers = list[dict[str, Any]]()
        contents = named_contents_of(state, keys.bucket)

        async def pieces() -> AsyncIterator[bytes]:
            yield b"te"
            for dry in (True, False):
                answers.append((await http.post(url, params={"count": 10, "dryRun": dry}, headers=world.admin)).json())
            gone = await contents.run(lambda service: service.delete_empty(world.acme.account_id))
            assert not gone, "the upload began after the list was made"
            yield b"xt"

        await contents.put(
            world.acme.account_id, key="a", incoming=IncomingObject(pieces(), 4), attributes=Attributes()
        )
        assert answers == [{"empty": [foreign_keys.bucket], "withContent": [keys.bucket]}] * 2
        found = await aside(lambda: keys.client().get_object(Bucket=keys.bucket, Key="a"))
        assert await aside(found["Body"].read) == b"text"

    @pytest.mark.parametrize("content", [b"", b"text"])
    async def test_that_are_deleted_get_no_object_under_another_name(
        self, keys: Keys, world: World, state: CoreState, content: bytes
    ) -> None:
        """The deletion comes between the check of the keys and the object."""

        async def pieces() -> AsyncIterator[bytes]:
            yield content

        contents, account_id = named_contents_of(state, keys.bucket), world.acme.account_id
        assert await contents.run(lambda service: service.delete_empty(account_id))
        for _ in range(2):
            with pytest.raises(Unavailable):
                await contents.put(
                    account_id, key="a", incoming=IncomingObject(pieces(), len(content)), attributes=Attributes()
                )
            with pytest.raises(Unavailable):
                await contents.begin_upload(account_id, key="a", attributes=Attributes())
            async with state.database.transaction() as session:
                await bucket_service_of(state, session).ensure(account_id)  # now there is one of another name
        assert await blobs(state) == 0

    async def test_are_deleted_with_their_keys_and_made_again_at_the_next_use(
        self, keys: Keys, foreign_keys: Keys, http: httpx.AsyncClient, world: World
    ) -> None:
        await aside(lambda: keys.client().put_object(Bucket=keys.bucket, Key="a", Body=b"x"))
        url = "/api/mlpcore/admin/minio/delete-empty-users"
        dry = await http.post(url, params={"count": 10, "dryRun": True}, headers=world.admin)
        assert dry.json() == {"empty": [foreign_keys.bucket], "withContent": [keys.bucket]}
        await aside(lambda: foreign_keys.client().list_buckets())
        done = await http.post(url, params={"count": 10, "dryRun": False}, headers=world.admin)
        assert done.json() == dry.json()
        assert await refused(lambda: foreign_keys.client().list_buckets()) == "InvalidAccessKeyId"
        new = await Keys.of(http, "globex", world.stranger, keys.url)
        assert new.bucket != foreign_keys.bucket
        assert (await http.post(url, params={"count": 1, "dryRun": False}, headers=world.owner)).status_code == 403
