"""Unmodified programs against an account's bucket."""

import hashlib
import io
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from mlplace_runtime.objectstore import S3Settings, open_s3

from .programs import Keys, aside, refused

_MIB = 1024 * 1024


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class TestPythonClient:
    async def test_stores_and_reads_an_object_with_what_was_said_about_it(self, keys: Keys) -> None:
        client = keys.client()
        await aside(
            lambda: client.put_object(
                Bucket=keys.bucket, Key="папка/a b+c.txt", Body=b"text", ContentType="text/plain",
                CacheControl="max-age=60", Metadata={"colour": "green"},
            )
        )  # fmt: skip
        found = await aside(lambda: client.get_object(Bucket=keys.bucket, Key="папка/a b+c.txt"))
        assert await aside(found["Body"].read) == b"text"
        assert (found["ContentType"], found["CacheControl"], found["Metadata"]) == (
            "text/plain", "max-age=60", {"colour": "green"},
        )  # fmt: skip
        assert found["ETag"] == f'"{hashlib.md5(b"text").hexdigest()}"'
        head = await aside(lambda: client.head_object(Bucket=keys.bucket, Key="папка/a b+c.txt"))
        assert head["ContentLength"] == 4

    async def test_stores_an_empty_object(self, keys: Keys) -> None:
        client = keys.client()
        await aside(lambda: client.put_object(Bucket=keys.bucket, Key="folder/"))
        found = await aside(lambda: client.get_object(Bucket=keys.bucket, Key="folder/"))
        assert (await aside(found["Body"].read), found["ContentLength"]) == (b"", 0)

    async def test_sends_a_large_file_in_parts_and_reads_ranges_of_it(self, keys: Keys, tmp_path: Path) -> None:
        source, target = tmp_path / "source", tmp_path / "target"
        source.write_bytes(os.urandom(21 * _MIB))
        client = keys.client()
        await aside(lambda: client.upload_file(str(source), keys.bucket, "large"))
        head = await aside(lambda: client.head_object(Bucket=keys.bucket, Key="large"))
        assert head["ETag"].endswith('-3"')
        await aside(lambda: client.download_file(keys.bucket, "large", str(target)))
        assert _digest(source) == _digest(target)
        across = await aside(
            lambda: client.get_object(Bucket=keys.bucket, Key="large", Range=f"bytes={8 * _MIB - 5}-{8 * _MIB + 4}")
        )
        assert across["ResponseMetadata"]["HTTPStatusCode"] == 206
        assert await aside(across["Body"].read) == source.read_bytes()[8 * _MIB - 5 : 8 * _MIB + 5]
        last = await aside(lambda: client.get_object(Bucket=keys.bucket, Key="large", Range="bytes=-3"))
        assert await aside(last["Body"].read) == source.read_bytes()[-3:]
        beyond = lambda: client.get_object(Bucket=keys.bucket, Key="large", Range="bytes=99999999-")  # noqa: E731
        assert await refused(beyond) == "InvalidRange"

    async def test_lists_folders_in_pages(self, keys: Keys) -> None:
        client = keys.client()
        names = [f"{folder}/{number}" for folder in ("a", "b", "b-c", "d") for number in range(3)] + ["e", "a.txt"]
        for name in names:
            await aside(lambda name=name: client.put_object(Bucket=keys.bucket, Key=name, Body=b"1"))
        pages = await aside(
            lambda: list(
                client.get_paginator("list_objects_v2").paginate(
                    Bucket=keys.bucket, Delimiter="/", PaginationConfig={"PageSize": 2}
                )
            )
        )
        folders = [each["Prefix"] for page in pages for each in page.get("CommonPrefixes", [])]
        objects = [each["Key"] for page in pages for each in page.get("Contents", [])]
        assert (folders, objects, len(pages)) == (["a/", "b-c/", "b/", "d/"], ["a.txt", "e"], 3)
        old = await aside(
            lambda: list(
                client.get_paginator("list_objects").paginate(Bucket=keys.bucket, PaginationConfig={"PageSize": 5})
            )
        )
        assert [each["Key"] for page in old for each in page["Contents"]] == sorted(names)
        below = await aside(lambda: client.list_objects_v2(Bucket=keys.bucket, Prefix="b/", StartAfter="b/0"))
        assert [each["Key"] for each in below["Contents"]] == ["b/1", "b/2"]

    async def test_copies_and_deletes(self, keys: Keys) -> None:
        client = keys.client()
        await aside(lambda: client.put_object(Bucket=keys.bucket, Key="one", Body=b"1", ContentType="text/plain"))
        source = {"Bucket": keys.bucket, "Key": "one"}
        await aside(lambda: client.copy_object(Bucket=keys.bucket, Key="two", CopySource=source))
        found = await aside(lambda: client.get_object(Bucket=keys.bucket, Key="two"))
        assert (await aside(found["Body"].read), found["ContentType"]) == (b"1", "text/plain")
        deleted = await aside(
            lambda: client.delete_objects(
                Bucket=keys.bucket, Delete={"Objects": [{"Key": "one"}, {"Key": "two"}, {"Key": "never"}]}
            )
        )
        assert [each["Key"] for each in deleted["Deleted"]] == ["one", "two", "never"]
        assert await refused(lambda: client.get_object(Bucket=keys.bucket, Key="one")) == "NoSuchKey"
        await aside(lambda: client.delete_object(Bucket=keys.bucket, Key="one"))

    @pytest.mark.parametrize("settings", [{}, {"signature_version": "s3v4"}])
    async def test_addresses_that_were_signed_in_advance_need_no_keys(
        self, keys: Keys, http: httpx.AsyncClient, settings: dict[str, str]
    ) -> None:
        client = keys.client(**settings)
        said = {"Bucket": keys.bucket, "Key": "page.html", "ContentType": "text/html"}
        put = client.generate_presigned_url("put_object", Params=said)
        page = "<script>alert(1)</script>"
        stored = await http.put(put, content=page, headers={"Content-Type": "text/html"})
        assert stored.status_code == 200, stored.text
        got = await http.get(
            client.generate_presigned_url("get_object", Params={"Bucket": keys.bucket, "Key": "page.html"})
        )
        assert got.text == page
        assert got.headers["content-type"] == "application/octet-stream", "a browser must not run it at this address"
        assert got.headers["content-disposition"] == "attachment"
        assert "sandbox" in got.headers["content-security-policy"]
        assert (await http.get(put)).status_code == 403, "it is for PUT"

    async def test_each_way_of_sending_a_body(self, keys: Keys) -> None:
        for settings in (
            {"request_checksum_calculation": "when_required"},
            {"request_checksum_calculation": "when_supported"},
            {"s3": {"payload_signing_enabled": False}},
            {"s3": {"payload_signing_enabled": True}},
        ):
            client = keys.client(**settings)
            body = io.BytesIO(os.urandom(200_000))
            await aside(lambda client=client, body=body: client.put_object(Bucket=keys.bucket, Key="body", Body=body))
            found = await aside(lambda client=client: client.get_object(Bucket=keys.bucket, Key="body"))
            assert await aside(found["Body"].read) == body.getvalue()
        for algorithm in ("SHA1", "SHA256", "CRC32"):
            await aside(
                lambda algorithm=algorithm: keys.client().put_object(
                    Bucket=keys.bucket, Key="body", Body=b"text", ChecksumAlgorithm=algorithm
                )
            )

    async def test_copies_parts_and_reads_them_by_number(self, keys: Keys) -> None:
        client, bucket = keys.client(), keys.bucket
        body = os.urandom(6 * _MIB)
        await aside(lambda: client.put_object(Bucket=bucket, Key="source", Body=body))
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="parts"))
        part = {"Bucket": bucket, "Key": "parts", "UploadId": begun["UploadId"]}
        copy = {"Bucket": bucket, "Key": "source"}
        copied = await aside(
            lambda: client.upload_part_copy(
                **part, PartNumber=1, CopySource=copy, CopySourceRange=f"bytes=0-{5 * _MIB - 1}"
            )
        )
        for wrong in ("bytes=1-2,4-5", "bytes=5-", "all"):
            work = lambda wrong=wrong: client.upload_part_copy(  # noqa: E731
                **part, PartNumber=2, CopySource=copy, CopySourceRange=wrong
            )
            assert await refused(work) == "InvalidArgument"
        second = await aside(lambda: client.upload_part(**part, PartNumber=2, Body=b"end"))
        shown = await aside(lambda: client.list_parts(**part, MaxParts=1))
        assert (shown["IsTruncated"], [each["Size"] for each in shown["Parts"]]) == (True, [5 * _MIB])
        uploads = await aside(lambda: client.list_multipart_uploads(Bucket=bucket))
        assert [each["Key"] for each in uploads["Uploads"]] == ["parts"]
        etags = [copied["CopyPartResult"]["ETag"], second["ETag"]]
        listed = {"Parts": [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]}
        await aside(lambda: client.complete_multipart_upload(**part, MultipartUpload=listed))
        found = await aside(lambda: client.get_object(Bucket=bucket, Key="parts", PartNumber=2))
        assert (await aside(found["Body"].read), found["PartsCount"]) == (b"end", 2)
        assert found["ContentRange"] == f"bytes {5 * _MIB}-{5 * _MIB + 2}/{5 * _MIB + 3}"
        whole = await aside(lambda: client.get_object(Bucket=bucket, Key="parts"))
        assert await aside(whole["Body"].read) == body[: 5 * _MIB] + b"end"

    async def test_an_upload_of_one_empty_part_is_an_empty_object(self, keys: Keys) -> None:
        client, bucket = keys.client(), keys.bucket
        begun = await aside(lambda: client.create_multipart_upload(Bucket=bucket, Key="empty"))
        part = {"Bucket": bucket, "Key": "empty", "UploadId": begun["UploadId"]}
        etag = (await aside(lambda: client.upload_part(**part, PartNumber=1, Body=b"")))["ETag"]
        listed = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
        await aside(lambda: client.complete_multipart_upload(**part, MultipartUpload=listed))
        found = await aside(lambda: client.get_object(Bucket=bucket, Key="empty"))
        assert await aside(found["Body"].read) == b""

    async def test_a_copy_to_itself_changes_what_is_said_and_no_byte(self, keys: Keys) -> None:
        client, bucket = keys.client(), keys.bucket
        before = await aside(lambda: client.put_object(Bucket=bucket, Key="a", Body=b"text", ContentType="text/plain"))
        copy = {"Bucket": bucket, "Key": "a"}
        assert await refused(lambda: client.copy_object(Bucket=bucket, Key="a", CopySource=copy)) == "InvalidRequest"
        said = {"ContentType": "text/csv", "Metadata": {"mtime": "1"}, "MetadataDirective": "REPLACE"}
        await aside(lambda: client.copy_object(Bucket=bucket, Key="a", CopySource=copy, **said))
        found = await aside(lambda: client.get_object(Bucket=bucket, Key="a"))
        assert (found["ContentType"], found["Metadata"], found["ETag"]) == ("text/csv", {"mtime": "1"}, before["ETag"])

    async def test_conditions_of_reads(self, keys: Keys) -> None:
        client, bucket = keys.client(), keys.bucket
        put = await aside(lambda: client.put_object(Bucket=bucket, Key="a", Body=b"text"))
        read = {"Bucket": bucket, "Key": "a"}
        assert await refused(lambda: client.get_object(**read, IfNoneMatch=put["ETag"])) == "304"
        assert await refused(lambda: client.get_object(**read, IfMatch='"0"')) == "PreconditionFailed"
        later = datetime.now(UTC) + timedelta(days=1)
        assert await refused(lambda: client.get_object(**read, IfModifiedSince=later)) == "304"
        await aside(lambda: client.get_object(**read, IfMatch=put["ETag"], IfUnmodifiedSince=later))

    async def test_new_objects_only(self, keys: Keys) -> None:
        client = keys.client()
        put = lambda: client.put_object(Bucket=keys.bucket, Key="lock", Body=b"1", IfNoneMatch="*")  # noqa: E731
        await aside(put)
        assert await refused(put) == "PreconditionFailed"


class TestCommandLine:
    async def test_copies_lists_syncs_presigns_and_removes(
        self, keys: Keys, http: httpx.AsyncClient, tmp_path: Path
    ) -> None:
        folder = tmp_path / "folder"
        (folder / "deep").mkdir(parents=True)
        (folder / "small.txt").write_text("small")
        (folder / "deep" / "large.bin").write_bytes(os.urandom(9 * _MIB))
        bucket = f"s3://{keys.bucket}"
        await keys.aws("s3", "cp", "--quiet", str(folder / "small.txt"), f"{bucket}/one.txt")
        await keys.aws("s3", "sync", "--quiet", str(folder), f"{bucket}/copy")
        assert keys.bucket in await keys.aws("s3", "ls")
        listed = await keys.aws("s3", "ls", "--recursive", f"{bucket}/")
        assert [line.split()[-1] for line in listed.splitlines()] == [
            "copy/deep/large.bin", "copy/small.txt", "one.txt",
        ]  # fmt: skip
        await keys.aws("s3", "cp", "--quiet", f"{bucket}/copy/deep/large.bin", f"{bucket}/moved.bin")
        await keys.aws("s3", "sync", "--quiet", f"{bucket}/copy", str(tmp_path / "back"))
        assert _digest(tmp_path / "back" / "deep" / "large.bin") == _digest(folder / "deep" / "large.bin")
        await keys.aws("s3", "cp", "--quiet", f"{bucket}/moved.bin", str(tmp_path / "moved"))
        assert _digest(tmp_path / "moved") == _digest(folder / "deep" / "large.bin")
        address = (await keys.aws("s3", "presign", f"{bucket}/one.txt")).strip()
        assert (await http.get(address)).text == "small"
        await keys.aws("s3", "rm", "--quiet", "--recursive", f"{bucket}/")
        assert (
            await keys.aws("s3api", "list-objects-v2", "--no-paginate", "--bucket", keys.bucket, "--query", "KeyCount")
        ).strip() == "0"


class TestRustClient:
    """The library that the platform itself uses for its object store."""

    async def test_stores_lists_and_reads(self, keys: Keys) -> None:
        store = open_s3(S3Settings(keys.bucket, keys.url, keys.access_key, keys.secret_key))
        await store.put("folder/a", b"small")
        data = os.urandom(12 * _MIB)
        await store.put_file("folder/b", io.BytesIO(data))
        assert (await store.list("folder"), await store.get("folder/b")) == (["folder/a", "folder/b"], data)
        assert b"".join([piece async for piece in store.stream("folder/b", start=7, length=5)]) == data[7:12]
        await store.delete("folder/a")
        assert await store.list("folder") == ["folder/b"]
