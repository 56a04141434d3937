"""Another account's bucket looks like one that does not exist, whatever is signed and however."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from mlplace_contracts.enums import KeyPermission
from mlplace_kit.clock import ManualClock
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

from .programs import Keys, aside, refused

S3 = "/api/mlpcore/account/acme/s3"


@pytest.fixture
async def kept(keys: Keys) -> Keys:
    """Keys of a bucket with an object."""
    await aside(lambda: keys.client().put_object(Bucket=keys.bucket, Key="kept", Body=b"mine"))
    return keys


class TestForeignKeys:
    @pytest.mark.parametrize("bucket", ["theirs", "s3-bucket-1000000001-aaaaaaaaaa", "s3-bucket-9-a"])
    async def test_reach_nothing(self, kept: Keys, foreign_keys: Keys, bucket: str) -> None:
        name = kept.bucket if bucket == "theirs" else bucket
        client = foreign_keys.client()
        copy = {"Bucket": name, "Key": "kept"}
        mine = foreign_keys.bucket
        for number, work in enumerate(
            (
                lambda: client.get_object(Bucket=name, Key="kept"),
                lambda: client.put_object(Bucket=name, Key="kept", Body=b"theirs"),
                lambda: client.delete_object(Bucket=name, Key="kept"),
                lambda: client.list_objects_v2(Bucket=name),
                lambda: client.list_multipart_uploads(Bucket=name),
                lambda: client.create_multipart_upload(Bucket=name, Key="kept"),
                lambda: client.delete_objects(Bucket=name, Delete={"Objects": [{"Key": "kept"}]}),
                lambda: client.copy_object(Bucket=mine, Key="stolen", CopySource=copy),
            )
        ):
            assert (number, await refused(work)) == (number, "AccessDenied")
        assert await refused(lambda: client.head_object(Bucket=name, Key="kept")) == "403"
        found = await aside(lambda: kept.client().get_object(Bucket=kept.bucket, Key="kept"))
        assert await aside(found["Body"].read) == b"mine"

    async def test_see_only_their_own_bucket(self, kept: Keys, foreign_keys: Keys) -> None:
        listed = await aside(lambda: foreign_keys.client().list_buckets())
        assert [each["Name"] for each in listed["Buckets"]] == [foreign_keys.bucket]
        assert kept.bucket != foreign_keys.bucket

    async def test_continue_no_upload_of_another_account(self, kept: Keys, foreign_keys: Keys) -> None:
        begun = await aside(lambda: kept.client().create_multipart_upload(Bucket=kept.bucket, Key="parts"))
        put = lambda: foreign_keys.client().upload_part(  # noqa: E731
            Bucket=foreign_keys.bucket, Key="parts", PartNumber=1, UploadId=begun["UploadId"], Body=b"x"
        )
        assert await refused(put) == "NoSuchUpload"


class TestSignatures:
    async def test_of_a_wrong_secret_is_refused(self, kept: Keys) -> None:
        wrong = Keys(kept.url, kept.access_key, "wrong", kept.bucket)
        assert (
            await refused(lambda: wrong.client().get_object(Bucket=kept.bucket, Key="kept")) == "SignatureDoesNotMatch"
        )
        unknown = Keys(kept.url, "s3-user-7", kept.secret_key, kept.bucket)
        assert (
            await refused(lambda: unknown.client().get_object(Bucket=kept.bucket, Key="kept")) == "InvalidAccessKeyId"
        )

    @pytest.mark.parametrize("version", ["s3v4", "s3"])
    async def test_in_an_address_holds_for_its_request_and_time_only(
        self, kept: Keys, http: httpx.AsyncClient, clock: ManualClock, version: str
    ) -> None:
        client = kept.client(signature_version=version)
        address = client.generate_presigned_url(
            "get_object", Params={"Bucket": kept.bucket, "Key": "kept"}, ExpiresIn=60
        )
        assert (await http.get(address)).text == "mine"
        assert (await http.get(address.replace("/kept?", "/other?"))).status_code == 403
        assert (await http.delete(address)).status_code == 403
        clock.advance(timedelta(seconds=90))
        late = await http.get(address)
        assert (late.status_code, "expired" in late.text) == (403, True)

    async def test_of_a_replaced_secret_is_refused_at_once(
        self, kept: Keys, http: httpx.AsyncClient, world: World
    ) -> None:
        address = kept.client().generate_presigned_url("get_object", Params={"Bucket": kept.bucket, "Key": "kept"})
        replaced = (await http.post(f"{S3}/rotate", headers=world.owner)).json()
        assert replaced["bucketName"] == kept.bucket
        assert replaced["secretKey"] != kept.secret_key
        assert (
            await refused(lambda: kept.client().get_object(Bucket=kept.bucket, Key="kept")) == "SignatureDoesNotMatch"
        )
        assert (await http.get(address)).status_code == 403
        new = Keys(kept.url, replaced["accessKey"], replaced["secretKey"], kept.bucket)
        await aside(lambda: new.client().get_object(Bucket=kept.bucket, Key="kept"))

    async def test_of_a_blocked_account_is_refused(self, kept: Keys, tell: Teller, world: World) -> None:
        read = lambda: kept.client().get_object(Bucket=kept.bucket, Key="kept")  # noqa: E731
        await tell(account_changed(world.acme, active=False, version=5))
        assert await refused(read) == "InvalidAccessKeyId"
        await tell(account_changed(world.acme, version=6))
        await aside(read)

    async def test_of_another_time_is_refused(self, kept: Keys, clock: ManualClock) -> None:
        clock.advance(timedelta(minutes=16))
        assert await refused(lambda: kept.client().get_object(Bucket=kept.bucket, Key="kept")) == "RequestTimeTooSkewed"

    async def test_is_needed_for_everything(self, kept: Keys, http: httpx.AsyncClient) -> None:
        for path in ("/", f"/{kept.bucket}", f"/{kept.bucket}/kept"):
            answer = await http.get(path)
            assert (answer.status_code, "AccessDenied" in answer.text) == (403, True)

    async def test_covers_every_header_that_changes_what_is_done(self, kept: Keys, http: httpx.AsyncClient) -> None:
        client = kept.client(signature_version="s3v4")
        address = client.generate_presigned_url("put_object", Params={"Bucket": kept.bucket, "Key": "copy"})
        added = {"x-amz-copy-source": f"{kept.bucket}/kept"}
        assert (await http.put(address, headers=added)).status_code == 403


class TestOlderSignatures:
    """They sign the values of some parameters only, and not where a value ends."""

    async def test_of_one_part_replace_no_whole_object(self, kept: Keys, http: httpx.AsyncClient) -> None:
        client = kept.client()
        begun = await aside(lambda: client.create_multipart_upload(Bucket=kept.bucket, Key="kept"))
        said = {"Bucket": kept.bucket, "Key": "kept", "PartNumber": 1, "UploadId": begun["UploadId"]}
        address = client.generate_presigned_url("upload_part", Params=said)
        joined = f"partNumber=1%26uploadId%3D{begun['UploadId']}"
        changed = address.replace("partNumber=1", joined).replace(f"&uploadId={begun['UploadId']}", "", 1)
        changed = changed.replace(f"uploadId={begun['UploadId']}&", "", 1)
        assert joined in changed
        assert (await http.put(changed, content=b"theirs")).status_code == 403
        found = await aside(lambda: client.get_object(Bucket=kept.bucket, Key="kept"))
        assert await aside(found["Body"].read) == b"mine"
        assert (await http.put(address, content=b"part")).status_code == 200

    @pytest.mark.parametrize("name", ["x-amz-copy-source", "X-Amz-Copy-Source"])
    async def test_cover_headers_in_the_address(self, kept: Keys, http: httpx.AsyncClient, name: str) -> None:
        """Who may store one object would read any other."""
        client = kept.client()
        begun = await aside(lambda: client.create_multipart_upload(Bucket=kept.bucket, Key="mine"))
        part = {"Bucket": kept.bucket, "Key": "mine", "PartNumber": 1, "UploadId": begun["UploadId"]}
        whole = client.generate_presigned_url("put_object", Params={"Bucket": kept.bucket, "Key": "mine"})
        for address in (whole, client.generate_presigned_url("upload_part", Params=part)):
            assert "AWSAccessKeyId" in address
            answer = await http.put(f"{address}&{name}={kept.bucket}/kept")
            assert (answer.status_code, "SignatureDoesNotMatch" in answer.text) == (403, True)
        assert await refused(lambda: client.head_object(Bucket=kept.bucket, Key="mine")) == "404"

    async def test_tell_where_a_header_ends(self, kept: Keys, http: httpx.AsyncClient) -> None:
        """What was signed as one value is not read as two, nor two headers as one."""
        said = {"Bucket": kept.bucket, "Key": "new", "ExpectedBucketOwner": "1", "Metadata": {"colour": "green,x"}}
        path, _, query = kept.client().generate_presigned_url("put_object", Params=said).partition("?")
        signed = "&".join(part for part in query.split("&") if not part.startswith("x-amz-"))
        owner, colour = ("x-amz-expected-bucket-owner", "1"), "x-amz-meta-colour"
        for address, headers in (
            (f"{path}?{signed}", [owner, (colour, "green"), (colour, "x")]),
            (f"{path}?{signed}&{owner[0]}=1%0A{colour}:green,x", []),
            (f"{path}?{signed}&{colour}=green,x&X-Amz-Meta-Colour=x", [owner]),
            (f"{path}?{signed}&x-amz-meta-%D1%8F=%D1%8F", [owner, (colour, "green,x")]),
        ):
            answer = await http.put(address, content=b"text", headers=headers)
            assert (answer.status_code, "SignatureDoesNotMatch" in answer.text) == (403, True), address
        stored = await http.put(f"{path}?{signed}", content=b"text", headers=[owner, (colour, "green,x")])
        assert stored.status_code == 200, stored.text

    @pytest.mark.parametrize("sent", [False, True])
    async def test_of_the_python_client_hold_with_headers_in_the_address(
        self, kept: Keys, http: httpx.AsyncClient, sent: bool
    ) -> None:
        client, headers = kept.client(), {"x-amz-meta-colour": "a green+one"} if sent else {}
        said = {"Bucket": kept.bucket, "Key": "new", "Metadata": {"colour": "a green+one"}}
        address = client.generate_presigned_url("put_object", Params=said)
        assert "x-amz-meta-colour" in address
        stored = await http.put(address, content=b"text", headers=headers)
        assert stored.status_code == 200, stored.text
        head = await aside(lambda: client.head_object(Bucket=kept.bucket, Key="new"))
        assert head["Metadata"] == {"colour": "a green+one"}
        copy = {"Bucket": kept.bucket, "Key": "copy", "CopySource": f"{kept.bucket}/kept"}
        copied = await http.put(client.generate_presigned_url("copy_object", Params=copy))
        assert copied.status_code == 200, copied.text
        assert (await http.put(address.replace("green", "blue"), content=b"text")).status_code == 403

    async def test_list_nothing(self, kept: Keys, http: httpx.AsyncClient) -> None:
        address = kept.client().generate_presigned_url("list_objects", Params={"Bucket": kept.bucket})
        assert "AWSAccessKeyId" in address
        assert (await http.get(address)).status_code == 403


class TestStrangers:
    @pytest.mark.parametrize(
        "query",
        [
            "AWSAccessKeyId=%00&Expires=99999999999&Signature=x",
            "AWSAccessKeyId=%ff&Expires=99999999999&Signature=x",
            "AWSAccessKeyId=known&Expires=99999999999&Signature=%ff",
            "AWSAccessKeyId=known&Expires=99999999999&Signature=x&uploadId=%00",
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%00/20260101/us-east-1/s3/aws4_request",
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=known/99991231/us-east-1/s3/aws4_request"
            "&X-Amz-Date=99991231T235959Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature=" + "0" * 64,
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=known/00010101/us-east-1/s3/aws4_request"
            "&X-Amz-Date=00010101T000000Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature=" + "0" * 64,
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=known/20260101/us-east-1/s3/aws4_request"
            "&X-Amz-Date=20260101T000000Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host;%d1%8f&X-Amz-Signature="
            + "0"
            * 64,
            "prefix=%ff",
            "prefix=%00",
            "a=1&a=2",
        ],
    )
    async def test_get_refusals_and_no_errors(self, kept: Keys, http: httpx.AsyncClient, query: str) -> None:
        for path in (f"/{kept.bucket}/kept", f"/{kept.bucket}", f"/{kept.bucket}/%ff"):
            answer = await http.get(f"{path}?{query.replace('known', kept.access_key)}")
            assert (answer.status_code in {400, 403}, answer.text.startswith("<?xml")) == (True, True), answer.text


class TestUnknown:
    """What would be ignored is refused: the caller counts on it."""

    async def test_headers_and_parameters_are_refused(self, kept: Keys) -> None:
        client, bucket = kept.client(), kept.bucket
        for work in (
            lambda: client.put_object(Bucket=bucket, Key="kept", Body=b"x", ServerSideEncryption="aws:kms"),
            lambda: client.put_object(Bucket=bucket, Key="kept", Body=b"x", Tagging="a=b"),
            lambda: client.put_object(Bucket=bucket, Key="kept", Body=b"x", ACL="public-read"),
            lambda: client.put_object(Bucket=bucket, Key="kept", Body=b"x", WriteOffsetBytes=4),
            lambda: client.get_object(Bucket=bucket, Key="kept", VersionId="abc"),
            lambda: client.get_object_tagging(Bucket=bucket, Key="kept"),
            lambda: client.delete_object(Bucket=bucket, Key="kept", IfMatch="other"),
            lambda: client.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "kept", "VersionId": "abc"}]}),
            lambda: client.get_bucket_policy(Bucket=bucket),
            lambda: client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"}),
            lambda: client.list_object_versions(Bucket=bucket),
        ):
            assert await refused(work) == "NotImplemented"
        found = await aside(lambda: client.get_object(Bucket=bucket, Key="kept", VersionId="null"))
        assert await aside(found["Body"].read) == b"mine"

    async def test_conditions_of_writes_hold(self, kept: Keys) -> None:
        client, bucket = kept.client(), kept.bucket
        copy = {"Bucket": bucket, "Key": "kept"}
        await aside(lambda: client.put_object(Bucket=bucket, Key="other", Body=b"other"))
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="kept"))
        part = {"Bucket": bucket, "Key": "kept", "UploadId": begun["UploadId"]}
        etag = (await aside(lambda: client.upload_part(**part, PartNumber=1, Body=b"part")))["ETag"]
        listed = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
        for work in (
            lambda: client.copy_object(Bucket=bucket, Key="other", CopySource=copy, IfNoneMatch="*"),
            lambda: client.put_object(Bucket=bucket, Key="kept", Body=b"x", IfMatch='"0"'),
            lambda: client.complete_multipart_upload(**part, MultipartUpload=listed, IfNoneMatch="*"),
            lambda: client.complete_multipart_upload(**part, MultipartUpload=listed, IfMatch='"0"'),
            lambda: client.copy_object(Bucket=bucket, Key="new", CopySource=copy, CopySourceIfMatch='"0"'),
        ):
            assert await refused(work) == "PreconditionFailed"
        missing = lambda: client.put_object(Bucket=bucket, Key="new", Body=b"x", IfMatch='"0"')  # noqa: E731
        assert await refused(missing) == "NoSuchKey"
        head = await aside(lambda: client.head_object(Bucket=bucket, Key="kept"))
        await aside(lambda: client.put_object(Bucket=bucket, Key="kept", Body=b"new", IfMatch=head["ETag"]))
        await aside(lambda: client.complete_multipart_upload(**part, MultipartUpload=listed))
        found = await aside(lambda: client.get_object(Bucket=bucket, Key="kept"))
        assert await aside(found["Body"].read) == b"part"


class TestCredentials:
    async def test_two_first_requests_get_the_same(self, http: httpx.AsyncClient, world: World) -> None:
        answers = await asyncio.gather(*[http.get(S3, headers=world.owner) for _ in range(6)])
        assert len({answer.text for answer in answers}) == 1, [answer.text for answer in answers]

    async def test_are_for_developers_and_keys_that_may_write(
        self, http: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        reader = identities.api_key(world.acme, permissions=[KeyPermission.READ])
        writer = identities.api_key(world.acme, permissions=[KeyPermission.READ, KeyPermission.WRITE])
        assert (await http.get(S3, headers=world.user)).status_code == 403
        assert (await http.get(S3, headers=reader)).status_code == 403
        assert (await http.get(S3, headers=writer)).status_code == 200
        assert (await http.get(S3, headers=world.stranger)).status_code == 403
        assert (await http.get(f"{S3}/object", headers=world.user)).status_code == 200
        assert (await http.get(f"{S3}/object", headers=world.stranger)).status_code == 403
