"""What the parts of this feature hand to each other."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

UNUSED: Final = timedelta(minutes=15)
"""How long the bytes of a deleted object are kept for downloads in progress."""


REGION: Final = "us-east-1"


@dataclass(frozen=True, slots=True)
class Attributes:
    """What the uploader says about an object. Names of `headers` and `user_metadata` are in lower case."""

    content_type: str = "application/octet-stream"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    user_metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """`md5` in hexadecimal digits. `blob_id` None: no bytes, and nothing is stored."""

    blob_id: int | None
    size: int
    md5: str
    store_key: str = ""


@dataclass(frozen=True, slots=True)
class BucketRoom:
    """What a bucket takes, in bytes.

    `unused_bytes` and `unused`, their number: of blobs to which nothing refers, before they are stored to their end and
    after their object has been deleted. `replaced_bytes`: of the object that has a certain key, or of a certain part.
    """

    used_bytes: int
    unused_bytes: int
    unused: int
    replaced_bytes: int


@dataclass(frozen=True, slots=True)
class PartPlace:
    """Where a part belongs: the unfinished upload, and its number there."""

    upload_id: str
    number: int


@dataclass(frozen=True, slots=True)
class BlobPlace:
    """Where the bytes of a stored blob are."""

    store_key: str
    size: int


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """`etag` without quotation marks."""

    key: str
    size: int
    etag: str
    modified: datetime
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class FoundObject:
    info: ObjectInfo
    blobs: Sequence[BlobPlace]


class RefusedBodyError(Exception):
    """The bytes that a caller sends break a rule of their protocol."""


@dataclass(frozen=True, slots=True)
class IncomingObject:
    """Bytes that a caller sends. `size`: as announced. The pieces raise when they break a rule, at the latest at
    their end.
    """

    pieces: AsyncIterator[bytes]
    size: int


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """`only_new`: there must be no object with the key. `etag`: there must be one with this ETag."""

    only_new: bool = False
    etag: str | None = None


ALWAYS: Final = WriteCondition()


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of a list. `folders` are common prefixes. `next`: what the next page begins after; None at the end."""

    objects: Sequence[ObjectInfo]
    folders: Sequence[str]
    next: str | None


@dataclass(frozen=True, slots=True)
class Part:
    number: int
    size: int
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Upload:
    upload_id: str
    key: str
    created: datetime


@dataclass(frozen=True, slots=True)
class StorageUser:
    """An instance in one generation. `prefix`: what the keys begin with that it may use; it ends with /."""

    instance_id: int
    generation: int
    account_id: int
    prefix: str


@dataclass(frozen=True, slots=True)
class StorageAccess:
    """How an instance reaches the bucket of its account. `url`: the address of the S3 interface."""

    url: str
    region: str
    bucket: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
