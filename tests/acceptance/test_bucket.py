"""An unmodified program of the S3 protocol stores, lists, reads and deletes in an account's bucket."""

import hashlib
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError

from tests.acceptance.conftest import Platform

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Bucket:
    name: str
    client: Any


def bucket_of(platform: Platform, member: httpx.Client) -> Bucket:
    found = member.get(f"/api/mlpcore/account/{platform.account_of(member)}/s3").raise_for_status().json()
    client = boto3.client(
        "s3", endpoint_url=platform.url, region_name="us-east-1",
        aws_access_key_id=found["accessKey"], aws_secret_access_key=found["secretKey"],
    )  # fmt: skip
    return Bucket(found["bucketName"], client)


@pytest.fixture
def bucket(platform: Platform, owner: httpx.Client) -> Generator[Bucket]:
    found = bucket_of(platform, owner)
    yield found
    account = platform.account_of(owner)
    owner.post(f"/api/mlpcore/account/{account}/s3/delete", json={"prefixes": ["acceptance/"]}).raise_for_status()


class TestBucket:
    def test_a_large_file_comes_back_as_it_was(self, bucket: Bucket, tmp_path: Path) -> None:
        source, target = tmp_path / "source", tmp_path / "target"
        source.write_bytes(os.urandom(40 * _MIB))
        bucket.client.upload_file(str(source), bucket.name, "acceptance/weights.bin")
        bucket.client.download_file(bucket.name, "acceptance/weights.bin", str(target))
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (source, target)]
        assert digests[0] == digests[1]

    def test_names_in_any_script_are_listed_and_deleted(self, bucket: Bucket) -> None:
        names = [f"acceptance/данные {number}/a+b&c={number}.txt" for number in range(3)]
        for name in names:
            bucket.client.put_object(Bucket=bucket.name, Key=name, Body=name.encode())
        folders = bucket.client.list_objects_v2(Bucket=bucket.name, Prefix="acceptance/", Delimiter="/")
        assert [each["Prefix"] for each in folders["CommonPrefixes"]] == [f"acceptance/данные {n}/" for n in range(3)]
        assert bucket.client.get_object(Bucket=bucket.name, Key=names[1])["Body"].read().decode() == names[1]
        bucket.client.delete_objects(Bucket=bucket.name, Delete={"Objects": [{"Key": name} for name in names]})
        assert bucket.client.list_objects_v2(Bucket=bucket.name, Prefix="acceptance/")["KeyCount"] == 0
        assert bucket.name in [each["Name"] for each in bucket.client.list_buckets()["Buckets"]]

    def test_addresses_that_were_signed_in_advance_work_without_keys(self, bucket: Bucket, platform: Platform) -> None:
        said = {"Bucket": bucket.name, "Key": "acceptance/shared.txt"}
        with platform.client() as stranger:
            put = bucket.client.generate_presigned_url("put_object", Params=said)
            assert stranger.put(put, content=b"shared").status_code == 200
            got = stranger.get(bucket.client.generate_presigned_url("get_object", Params=said))
            assert (got.text, got.headers["content-disposition"]) == ("shared", "attachment")
            assert stranger.get(f"/{bucket.name}/acceptance/shared.txt").status_code == 403

    def test_another_account_reaches_nothing(self, bucket: Bucket, platform: Platform, caller: httpx.Client) -> None:
        bucket.client.put_object(Bucket=bucket.name, Key="acceptance/mine.txt", Body=b"mine")
        foreign = bucket_of(platform, caller)
        for key in ("acceptance/mine.txt", "acceptance/never.txt"):
            with pytest.raises(ClientError, match="AccessDenied"):
                foreign.client.get_object(Bucket=bucket.name, Key=key)
