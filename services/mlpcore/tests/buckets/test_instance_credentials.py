"""The credential of an instance opens the prefix of its service, and nothing else of the bucket of its account.

The image may be somebody else's: it must neither read nor change what the tenant stores beside it, nor learn of it.
"""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx
import pytest
from botocore.exceptions import ClientError

from mlpcore.features.buckets.contents import BucketContents
from mlpcore.features.buckets.dependencies import instance_credentials_of
from mlpcore.features.buckets.instance_repository import InstanceCredentialRepository
from mlpcore.features.buckets.objects import StorageUser
from mlpcore.features.buckets.s3 import bucket_operations, object_operations
from mlpcore.state import CoreState
from mlplace_testing.world import Teller, World, account_changed

from .programs import Keys, aside, refused

OWN, BESIDE = "models/1000000001/7/", "models/1000000001/70/"
STATE = f"{OWN}0/state"
SECRETS = ("private", f"{BESIDE}0/state", "models/1000000001/7", "models/1000000001/8/0/state")
"""Objects of the tenant, some of them with names that begin almost like those of the instance."""


async def keys_of(state: CoreState, url: str, *, instance_id: int = 5, prefix: str = OWN, generation: int = 2) -> Keys:
    user = StorageUser(instance_id, generation, 1000000001, prefix)
    async with state.database.transaction() as session:
        found = (await instance_credentials_of(state, session).given([user]))[instance_id]
    return Keys(url, found.access_key, found.secret_key, found.bucket)


@dataclass(frozen=True, slots=True)
class Tenant:
    """The account's own keys, and what it has beside the instance's prefix. `upload_id`: of an upload to `private`."""

    keys: Keys
    upload_id: str
    etag: str

    async def stored(self) -> dict[str, bytes]:
        client, bucket = self.keys.client(), self.keys.bucket

        def read() -> dict[str, bytes]:
            listed = client.list_objects_v2(Bucket=bucket).get("Contents", [])
            return {each["Key"]: client.get_object(Bucket=bucket, Key=each["Key"])["Body"].read() for each in listed}

        return await aside(read)


@pytest.fixture
async def tenant(keys: Keys) -> Tenant:
    client, bucket = keys.client(), keys.bucket

    def fill() -> tuple[str, str]:
        for key in SECRETS:
            client.put_object(Bucket=bucket, Key=key, Body=f"secret of {key}".encode())
        begun = client.create_multipart_upload(Bucket=bucket, Key="private")["UploadId"]
        part = client.upload_part(Bucket=bucket, Key="private", UploadId=begun, PartNumber=1, Body=b"secret part")
        return begun, part["ETag"]

    upload_id, etag = await aside(fill)
    return Tenant(keys, upload_id, etag)


@pytest.fixture
async def instance(tenant: Tenant, state: CoreState) -> Keys:
    """Keys of an instance, which has stored an object and begun an upload."""
    found = await keys_of(state, tenant.keys.url)
    await aside(lambda: found.client().put_object(Bucket=found.bucket, Key=STATE, Body=b"state"))
    return found


Call = Callable[[Any, str, str, Tenant], object]
"""Calls one operation with client, bucket, a key outside the prefix, and what the tenant has."""


def _source(bucket: str, key: str) -> dict[str, str]:
    return {"Bucket": bucket, "Key": key}


def _own_upload(client: Any, bucket: str) -> str:
    return str(client.create_multipart_upload(Bucket=bucket, Key=f"{OWN}parts")["UploadId"])


def _parts(etag: str) -> dict[str, object]:
    return {"Parts": [{"PartNumber": 1, "ETag": etag}]}


_Upload = dict[str, Any]


def _upload(key: str, tenant: Tenant) -> _Upload:
    return {"Key": key, "UploadId": tenant.upload_id}


OUTSIDE: dict[str, Call] = {
    "GET object": lambda c, b, k, t: c.get_object(Bucket=b, Key=k),
    "GET object, range": lambda c, b, k, t: c.get_object(Bucket=b, Key=k, Range="bytes=0-1"),
    "HEAD object": lambda c, b, k, t: c.head_object(Bucket=b, Key=k),
    "PUT object": lambda c, b, k, t: c.put_object(Bucket=b, Key=k, Body=b"x"),
    "PUT object, only new": lambda c, b, k, t: c.put_object(Bucket=b, Key=k, Body=b"x", IfNoneMatch="*"),
    "DELETE object": lambda c, b, k, t: c.delete_object(Bucket=b, Key=k),
    "POST object": lambda c, b, k, t: c.create_multipart_upload(Bucket=b, Key=k),
    "PUT object, copy to": lambda c, b, k, t: c.copy_object(Bucket=b, Key=k, CopySource=_source(b, STATE)),
    "PUT object, copy from": lambda c, b, k, t: c.copy_object(Bucket=b, Key=f"{OWN}x", CopySource=_source(b, k)),
    "PUT object, copy onto itself": lambda c, b, k, t: c.copy_object(
        Bucket=b, Key=k, CopySource=_source(b, k), MetadataDirective="REPLACE"
    ),
    "PUT part": lambda c, b, k, t: c.upload_part(Bucket=b, **_upload(k, t), PartNumber=1, Body=b"x"),
    "PUT part, copy to": lambda c, b, k, t: c.upload_part_copy(
        Bucket=b, **_upload(k, t), PartNumber=1, CopySource=_source(b, STATE)
    ),
    "PUT part, copy from": lambda c, b, k, t: c.upload_part_copy(
        Bucket=b, Key=f"{OWN}parts", UploadId=_own_upload(c, b), PartNumber=1, CopySource=_source(b, k)
    ),
    "GET part": lambda c, b, k, t: c.list_parts(Bucket=b, **_upload(k, t)),
    "POST part": lambda c, b, k, t: c.complete_multipart_upload(
        Bucket=b, **_upload(k, t), MultipartUpload=_parts(t.etag)
    ),
    "DELETE part": lambda c, b, k, t: c.abort_multipart_upload(Bucket=b, **_upload(k, t)),
    "list-type": lambda c, b, k, t: c.list_objects_v2(Bucket=b, Prefix=k),
    "list-type, all": lambda c, b, k, t: c.list_objects_v2(Bucket=b),
    "list-type, folders": lambda c, b, k, t: c.list_objects_v2(Bucket=b, Prefix="models/", Delimiter="/"),
    "list, first version": lambda c, b, k, t: c.list_objects(Bucket=b, Prefix=k),
    "list, first version, all": lambda c, b, k, t: c.list_objects(Bucket=b, MaxKeys=1),
    "uploads": lambda c, b, k, t: c.list_multipart_uploads(Bucket=b, Prefix=k),
    "uploads, all": lambda c, b, k, t: c.list_multipart_uploads(Bucket=b),
    "delete": lambda c, b, k, t: c.delete_objects(Bucket=b, Delete={"Objects": [{"Key": k}]}),
    "delete, with own": lambda c, b, k, t: c.delete_objects(
        Bucket=b, Delete={"Objects": [{"Key": STATE}, {"Key": k}], "Quiet": True}
    ),
    "PUT bucket": lambda c, b, k, t: c.create_bucket(Bucket=b),
    "DELETE bucket": lambda c, b, k, t: c.delete_bucket(Bucket=b),
    "unknown of an object": lambda c, b, k, t: c.get_object_tagging(Bucket=b, Key=k),
    "unknown of the bucket": lambda c, b, k, t: c.get_bucket_policy(Bucket=b),
}
"""Each operation of the protocol with a key or prefix outside. The test below finds operations that are missing."""
WITHOUT_KEYS = {"location", "versioning"}
CONTENTS = {
    "put", "put_part", "describe", "find", "read", "incoming", "listed", "delete", "delete_below", "begin_upload",
    "complete", "abort", "parts", "uploads", "run", "delete_empty_buckets",
}  # fmt: skip
"""What the operations are made of. `run`, `delete_below` and `delete_empty_buckets` are not of the protocol."""
CODES = {"AccessDenied", "403"}
"""An answer to HEAD has no document."""


class TestOutsideThePrefix:
    @pytest.mark.parametrize("name", OUTSIDE)
    async def test_every_operation_is_denied_and_changes_nothing(
        self, tenant: Tenant, instance: Keys, name: str
    ) -> None:
        client, before = instance.client(), await tenant.stored()
        for key in (*SECRETS, "missing", f"{OWN[:-1]}x"):
            code = await refused(lambda: OUTSIDE[name](client, instance.bucket, key, tenant))  # noqa: B023  awaited
            assert (key, code in CODES) == (key, True), code
        assert await tenant.stored() == before
        listed = await aside(
            lambda: tenant.keys.client().list_parts(Bucket=instance.bucket, **_upload("private", tenant))
        )
        assert [each["ETag"] for each in listed["Parts"]] == [tenant.etag]

    def test_the_table_has_every_operation(self) -> None:
        """A new one needs a row here, and `scope.py` refuses it until it is known there."""
        operations = object_operations.ObjectOperations(cast("Any", None))
        of_object = {f"{method} object" for method in vars(operations)["_of_object"]}
        of_upload = {f"{method} part" for method in vars(operations)["_of_upload"]}
        of_bucket = vars(bucket_operations)["_KNOWN"].keys() - WITHOUT_KEYS
        assert {*of_object, *of_upload, *of_bucket} <= OUTSIDE.keys()
        public = {name for name, _ in inspect.getmembers(BucketContents, inspect.isfunction) if name[0] != "_"}
        assert public == CONTENTS, "an operation that the protocol may use needs a row in OUTSIDE"

    @pytest.mark.parametrize("version", ["s3v4", "s3"])
    async def test_signed_addresses_are_denied(
        self, tenant: Tenant, instance: Keys, http: httpx.AsyncClient, version: str
    ) -> None:
        client, bucket = instance.client(signature_version=version), instance.bucket
        for method, key, more in (
            ("get_object", "private", {}),
            ("put_object", "private", {}),
            ("delete_object", "private", {}),
            ("head_object", "private", {}),
            ("copy_object", f"{OWN}stolen", {"CopySource": f"{bucket}/private"}),
            ("upload_part_copy", f"{OWN}stolen", {
                "CopySource": f"{bucket}/private", "PartNumber": 1, "UploadId": "0" * 32,
            }),
        ):  # fmt: skip
            address = client.generate_presigned_url(method, Params={"Bucket": bucket, "Key": key, **more})
            verb = {"get": "GET", "head": "HEAD", "delete": "DELETE"}.get(method.partition("_")[0], "PUT")
            sent = {"x-amz-copy-source": str(more["CopySource"])} if more and version == "s3v4" else {}
            answer = await http.request(verb, address, headers=sent)
            assert (method, answer.status_code) == (method, 403)
            assert verb == "HEAD" or "AccessDenied" in answer.text, answer.text
        assert (await tenant.stored())["private"] == b"secret of private"

    async def test_keys_that_climb_out_are_no_keys(self, tenant: Tenant, instance: Keys) -> None:
        client, bucket = instance.client(), instance.bucket
        for key in (f"{OWN}../70/0/state", f"{OWN}./x", f"{OWN}/x"):
            put = lambda key=key: client.put_object(Bucket=bucket, Key=key, Body=b"x")  # noqa: E731
            assert await refused(put) in {"InvalidArgument", "AccessDenied"}
        assert sorted(await tenant.stored()) == sorted([*SECRETS, STATE])

    async def test_a_list_that_begins_elsewhere_shows_only_what_is_inside(self, tenant: Tenant, instance: Keys) -> None:
        client, bucket = instance.client(), instance.bucket
        second = await aside(lambda: client.list_objects_v2(Bucket=bucket, Prefix=OWN, StartAfter="a"))
        first = await aside(lambda: client.list_objects(Bucket=bucket, Prefix=OWN, Marker="models/1000000001/6"))
        for found in (second, first):
            assert [each["Key"] for each in found["Contents"]] == [STATE]
        beyond = await aside(
            lambda: client.list_objects_v2(Bucket=bucket, Prefix=OWN, StartAfter="models/1000000001/7~")
        )
        assert beyond["KeyCount"] == 0

    async def test_another_account_s_bucket_is_denied(self, instance: Keys, foreign_keys: Keys) -> None:
        client, theirs = instance.client(), foreign_keys.bucket
        await aside(lambda: foreign_keys.client().put_object(Bucket=theirs, Key=STATE, Body=b"theirs"))
        copy = {"Bucket": theirs, "Key": STATE}
        for work in (
            lambda: client.get_object(Bucket=theirs, Key=STATE),
            lambda: client.list_objects_v2(Bucket=theirs, Prefix=OWN),
            lambda: client.copy_object(Bucket=instance.bucket, Key=f"{OWN}x", CopySource=copy),
        ):
            assert await refused(work) == "AccessDenied"


class TestInsideThePrefix:
    async def test_every_operation_works(self, tenant: Tenant, instance: Keys) -> None:
        client, bucket = instance.client(), instance.bucket
        key, copy = f"{OWN}0/a", f"{OWN}0/b"

        def work() -> None:
            client.head_bucket(Bucket=bucket)
            client.get_bucket_location(Bucket=bucket)
            assert [each["Name"] for each in client.list_buckets()["Buckets"]] == [bucket]
            client.put_object(Bucket=bucket, Key=key, Body=b"text")
            client.copy_object(Bucket=bucket, Key=copy, CopySource=_source(bucket, key))
            assert client.get_object(Bucket=bucket, Key=copy)["Body"].read() == b"text"
            upload = {"Key": f"{OWN}0/c", "UploadId": ""}
            upload["UploadId"] = client.create_multipart_upload(Bucket=bucket, Key=upload["Key"])["UploadId"]
            part = client.upload_part(Bucket=bucket, **upload, PartNumber=1, Body=b"part")
            client.upload_part_copy(Bucket=bucket, **upload, PartNumber=2, CopySource=_source(bucket, key))
            assert len(client.list_parts(Bucket=bucket, **upload)["Parts"]) == 2
            uploads = client.list_multipart_uploads(Bucket=bucket, Prefix=OWN)["Uploads"]
            assert [each["Key"] for each in uploads] == [upload["Key"]]
            client.complete_multipart_upload(Bucket=bucket, **upload, MultipartUpload=_parts(part["ETag"]))
            other = client.create_multipart_upload(Bucket=bucket, Key=f"{OWN}d")["UploadId"]
            client.abort_multipart_upload(Bucket=bucket, Key=f"{OWN}d", UploadId=other)
            listed = client.list_objects_v2(Bucket=bucket, Prefix=f"{OWN}0")["Contents"]
            assert [each["Key"] for each in listed] == [key, copy, f"{OWN}0/c", STATE]
            folders = client.list_objects_v2(Bucket=bucket, Prefix=OWN, Delimiter="/")["CommonPrefixes"]
            assert folders == [{"Prefix": f"{OWN}0/"}]
            client.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key}, {"Key": copy}]})
            client.delete_object(Bucket=bucket, Key=f"{OWN}0/c")

        await aside(work)
        assert sorted(await tenant.stored()) == sorted([*SECRETS, STATE])

    async def test_instances_of_one_service_share_what_they_store(self, instance: Keys, state: CoreState) -> None:
        other = await keys_of(state, instance.url, instance_id=6)
        assert (other.access_key, other.secret_key) != (instance.access_key, instance.secret_key)
        found = await aside(lambda: other.client().get_object(Bucket=other.bucket, Key=STATE))
        assert await aside(found["Body"].read) == b"state"

    @pytest.mark.parametrize("version", ["s3v4", "s3"])
    async def test_signed_address_opens_an_object(self, instance: Keys, http: httpx.AsyncClient, version: str) -> None:
        client = instance.client(signature_version=version)
        address = client.generate_presigned_url("get_object", Params={"Bucket": instance.bucket, "Key": STATE})
        assert (await http.get(address)).text == "state"

    async def test_what_it_stores_counts_as_what_people_store(
        self, tenant: Tenant, instance: Keys, http: httpx.AsyncClient, world: World
    ) -> None:
        path = "/api/mlpcore/account/acme"
        limits = {**(await http.get(path, headers=world.owner)).json()["limits"], "storageLimit": "1Ki"}
        put = await http.post("/api/mlpcore/admin/account/acme/limits", json=limits, headers=world.admin)
        assert put.status_code == 200, put.text
        used = (await http.get(f"{path}/s3/storage", headers=world.owner)).json()["bucketBytes"]
        assert used > len(b"state")
        too_much = lambda: instance.client().put_object(Bucket=instance.bucket, Key=f"{OWN}x", Body=bytes(1024))  # noqa: E731
        assert await refused(too_much) == "QuotaExceeded"


class TestEnd:
    async def test_ended_key_is_refused_at_once_also_in_signed_addresses(
        self, instance: Keys, state: CoreState, http: httpx.AsyncClient
    ) -> None:
        client = instance.client()
        address = client.generate_presigned_url("get_object", Params={"Bucket": instance.bucket, "Key": STATE})
        assert (await http.get(address)).status_code == 200
        async with state.database.transaction() as session:
            await InstanceCredentialRepository(session).end([5], at=state.clock.now())
        read = lambda: client.get_object(Bucket=instance.bucket, Key=STATE)  # noqa: E731
        assert await refused(read) == "InvalidAccessKeyId"
        assert (await http.get(address)).status_code == 403

    async def test_next_generation_has_another_key_and_ends_the_one_before(
        self, instance: Keys, state: CoreState
    ) -> None:
        after = await keys_of(state, instance.url, generation=3)
        found = await aside(lambda: after.client().get_object(Bucket=after.bucket, Key=STATE))
        assert await aside(found["Body"].read) == b"state"
        read = lambda: instance.client().get_object(Bucket=instance.bucket, Key=STATE)  # noqa: E731
        assert await refused(read) == "InvalidAccessKeyId"

    async def test_key_of_a_blocked_account_is_refused(self, instance: Keys, tell: Teller, world: World) -> None:
        read = lambda: instance.client().get_object(Bucket=instance.bucket, Key=STATE)  # noqa: E731
        await tell(account_changed(world.acme, active=False, version=5))
        assert await refused(read) == "InvalidAccessKeyId"

    async def test_new_key_of_the_account_changes_nothing_for_instances(
        self, instance: Keys, http: httpx.AsyncClient, world: World
    ) -> None:
        await http.post("/api/mlpcore/account/acme/s3/rotate", headers=world.owner)
        await aside(lambda: instance.client().get_object(Bucket=instance.bucket, Key=STATE))

    async def test_wrong_secret_is_refused(self, instance: Keys) -> None:
        wrong = replace(instance, secret_key="wrong")
        with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
            await aside(lambda: wrong.client().get_object(Bucket=wrong.bucket, Key=STATE))


class TestBucket:
    async def test_first_instances_of_an_account_share_one_bucket(
        self, state: CoreState, http: httpx.AsyncClient, world: World, address: str
    ) -> None:
        made = await asyncio.gather(*[keys_of(state, address, instance_id=number) for number in range(1, 7)])
        assert len({each.bucket for each in made}) == 1
        assert (await Keys.of(http, "acme", world.owner, address)).bucket == made[0].bucket
