"""Buckets on the wire of the platform's own API."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mlpcore.features.buckets.keys import is_prefix
from mlplace_kit.wire import Input, Output


def _check_prefix(text: str) -> str:
    if not is_prefix(text):
        raise PydanticCustomError(
            "object_key", "use up to 1024 bytes without control characters, invisible characters and \\"
        )
    return text


def _check_folder(text: str) -> str:
    if not text.endswith("/"):
        raise PydanticCustomError("folder_prefix", "must end with /")
    return text


KeyPrefix = Annotated[str, AfterValidator(_check_prefix)]
FolderPrefix = Annotated[KeyPrefix, AfterValidator(_check_folder)]


class S3CredentialsData(Output):
    """`s3Url`: the address of the S3 interface; buckets are addressed by path. The region is us-east-1."""

    s3_url: str
    access_key: str
    secret_key: str
    bucket_name: str


class S3FolderData(Output):
    """`prefix`: what the keys of everything in the folder begin with."""

    name: str
    prefix: str


class S3ObjectData(Output):
    """`name`: the end of the key, after the last /. `size` in bytes."""

    key: str
    name: str
    size: int
    modified: datetime
    etag: str
    content_type: str


class S3ObjectListData(Output):
    """`bucketName` None: the account has no bucket yet. `next`: send it as `after` to get the next page."""

    bucket_name: str | None
    prefix: str
    folders: list[S3FolderData]
    objects: list[S3ObjectData]
    next: str | None


class S3DeleteData(Input):
    """Objects by their keys, and all objects whose keys begin with a prefix that ends with /."""

    keys: Annotated[list[KeyPrefix], Field(max_length=1000)] = Field(default_factory=list[str])
    prefixes: Annotated[list[FolderPrefix], Field(max_length=100)] = Field(default_factory=list[str])


class S3DeletedData(Output):
    """`more`: there are more objects below the prefixes; send the request again."""

    deleted: int
    more: bool


class S3StorageData(Output):
    """What the account stores in its bucket and its datasets, in bytes, and its storageLimit.

    `objectLimitBytes`: what an object may have that comes in one request.
    """

    limit_bytes: int
    used_bytes: int
    bucket_bytes: int
    dataset_bytes: int
    objects: int
    object_limit_bytes: int


class EmptyUsersResponse(Output):
    """Names of buckets: `empty` are or would be deleted, `withContent` are kept."""

    empty: list[str]
    with_content: list[str]
