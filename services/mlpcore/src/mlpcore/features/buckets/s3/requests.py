"""One request of the S3 protocol after its signature has been checked."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import unquote

from starlette.requests import Request as HttpRequest

from mlpcore.features.buckets.contents import ByteRange
from mlpcore.features.buckets.errors import ObjectKeyInvalid
from mlpcore.features.buckets.keys import checked_key
from mlpcore.features.buckets.objects import Attributes, IncomingObject, ObjectInfo, WriteCondition
from mlpcore.features.buckets.s3.bodies import body_of
from mlpcore.features.buckets.s3.errors import S3Error, access_denied, invalid_argument, not_implemented
from mlpcore.features.buckets.s3.signature import Proof

_META: Final = "x-amz-meta-"
_MOST_META: Final = 2048
KEPT_HEADERS: Final = ("cache-control", "content-disposition", "content-encoding", "content-language", "expires")
"""What an uploader says about an object beside its type, and a download can ask for instead."""
_VALUE: Final = re.compile(r"[\x20-\x7e\x80-\xff]{0,1024}")
_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_CHUNKED: Final = "aws-chunked"
_SIGNING: Final = frozenset({
    "AWSAccessKeyId", "Expires", "Signature", "content-type", "content-md5", "x-id", "versionId",
})  # fmt: skip
"""`x-id` is the name of the operation. Clients add it, and headers that they have signed, to addresses."""
_KNOWN_BEGINNINGS: Final = (_META, "x-amz-checksum-", "x-amz-copy-source-if-", "x-amz-sdk-")
_KNOWN_HEADERS: Final = frozenset({
    "x-amz-content-sha256", "x-amz-copy-source", "x-amz-copy-source-range", "x-amz-date",
    "x-amz-decoded-content-length", "x-amz-expected-bucket-owner", "x-amz-metadata-directive", "x-amz-mp-object-size",
    "x-amz-request-payer", "x-amz-storage-class", "x-amz-tagging-directive", "x-amz-te", "x-amz-trailer",
    "x-amz-user-agent",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class S3Request:
    """`key` is empty for requests about the bucket. Names of `headers` are in lower case; the first of each counts.

    `prefix`: what all keys begin with that the caller may use; empty for the whole bucket.
    """

    http: HttpRequest
    account_id: int
    bucket: str
    prefix: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    proof: Proof

    @property
    def method(self) -> str:
        return self.http.method

    def checked_key(self) -> str:
        """Raises S3Error."""
        try:
            return checked_key(self.key)
        except ObjectKeyInvalid as error:
            raise invalid_argument(error.text) from error

    def expect_within(self, keys: Iterable[str]) -> None:
        """Raises S3Error for keys that the caller may not use, whether there are such objects or not."""
        if not all(key.startswith(self.prefix) for key in keys):
            raise access_denied()

    def body(self) -> IncomingObject:
        """Raises S3Error, also while its pieces are read."""
        return body_of(self.headers, self.http.stream(), self.proof)

    def expect_known(self, parameters: Collection[str]) -> None:
        """Refuses what would be ignored: the caller counts on it. Raises S3Error.

        `parameters`: those of the query that the operation knows, beside those of signatures.
        """
        for name in self.query:
            if name not in parameters and name not in _SIGNING and not name.lower().startswith("x-amz-"):
                raise not_implemented(f"The parameter {name[:64]}")
        if self.query.get("versionId", "null") != "null":
            raise not_implemented("A version")
        for name, value in self.headers.items():
            if name.startswith("x-amz-") and not name.startswith(_KNOWN_BEGINNINGS):
                if name == "x-amz-acl" and value in {"private", "bucket-owner-full-control"}:
                    continue
                if name not in _KNOWN_HEADERS:
                    raise not_implemented(f"The header {name[:64]}")

    def write_condition(self) -> WriteCondition:
        """Raises S3Error."""
        absent, etag = self.headers.get("if-none-match"), self.headers.get("if-match")
        if absent not in {None, "*"} or etag == "*":
            raise not_implemented("This condition of a write")
        return WriteCondition(only_new=absent == "*", etag=None if etag is None else etag.strip().strip('"'))

    async def text(self, most: int) -> bytes:
        """Returns a body that is read as a whole. Raises S3Error."""
        body = self.body()
        if body.size > most:
            raise S3Error("MaxMessageLengthExceeded", 400, f"The body may have {most} bytes.")
        return b"".join([piece async for piece in body.pieces])

    def number(self, name: str, *, default: int, most: int) -> int:
        """Returns a number of the query. Raises S3Error."""
        text = self.query.get(name, "")
        if not text:
            return default
        if not text.isdecimal() or len(text) > 9:
            raise invalid_argument(f"{name} must be a whole number.")
        return min(int(text), most)

    def attributes(self) -> Attributes:
        """Raises S3Error."""
        meta = {name[len(_META) :]: value for name, value in self.headers.items() if name.startswith(_META)}
        if sum(len(name) + len(value) for name, value in meta.items()) > _MOST_META:
            raise S3Error("MetadataTooLarge", 400, f"The metadata of an object may have {_MOST_META} bytes.")
        kept = {name: self.headers[name] for name in KEPT_HEADERS if name in self.headers}
        if "content-encoding" in kept:
            kept["content-encoding"] = _without_chunked(kept["content-encoding"])
        content_type = self.headers.get("content-type") or "binary/octet-stream"
        for text in (content_type, *kept.values(), *meta.values()):
            if not _VALUE.fullmatch(text):
                raise invalid_argument("A header of the object is too long or has control characters.")
        return Attributes(content_type, {name: value for name, value in kept.items() if value}, meta)


_OF_SIGNATURES: Final = frozenset({
    "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-signature", "x-amz-signedheaders",
})  # fmt: skip


def headers_of(headers: Sequence[tuple[str, str]], query: Mapping[str, str]) -> Mapping[str, str]:
    """Returns the headers of a request; the first of each name counts.

    Signed addresses may have headers x-amz-* as parameters, which the signatures of both versions cover. Checksums
    among them are those of an empty body, which some clients add before there is a body: they do not count.
    """
    moved = {name.lower(): value.strip(" ") for name, value in query.items() if name.lower().startswith("x-amz-")}
    kept = {
        name: value
        for name, value in moved.items()
        if name not in _OF_SIGNATURES and not name.startswith(("x-amz-checksum-", "x-amz-sdk-"))
    }
    return {**kept, **dict(reversed(headers))}


def _without_chunked(encoding: str) -> str:
    """That encoding is one of the transfer, not of the object."""
    return ", ".join(part for each in encoding.split(",") if (part := each.strip()) and part != _CHUNKED)


def span_of(text: str | None, size: int) -> ByteRange | None:
    """Returns the part of the object that a Range header asks for; None for all of it. Raises S3Error."""
    found = _RANGE.fullmatch(text.strip()) if text else None
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = min(int(found[2]), size)
        if not length:
            raise _no_range(size)
        return ByteRange(size - length, length)
    start, last = int(found[1]), int(found[2]) if found[2] else size - 1
    if start >= size or last < start:
        raise _no_range(size)
    return ByteRange(start, min(last, size - 1) - start + 1)


def copied_span(text: str | None, size: int) -> ByteRange:
    """Returns the part of the source that is copied. Raises S3Error for one in a wrong form or beyond the end."""
    if text is None:
        return ByteRange(0, size)
    found = _RANGE.fullmatch(text.strip())
    if found is None or not found[1] or not found[2]:
        raise invalid_argument("x-amz-copy-source-range must be bytes=first-last.")
    start, last = int(found[1]), int(found[2])
    if not start <= last < size:
        raise _no_range(size)
    return ByteRange(start, last - start + 1)


def _no_range(size: int) -> S3Error:
    return S3Error("InvalidRange", 416, "The object has no such range.", ActualObjectSize=str(size))


def check_conditions(headers: Mapping[str, str], info: ObjectInfo, *, prefix: str = "") -> bool:
    """Returns whether the caller has this object already (304). Raises S3Error when a condition fails.

    `prefix`: of the headers' names, for the source of a copy.
    """
    failed = S3Error("PreconditionFailed", 412, "A condition of the request does not hold.")
    modified = info.modified.replace(microsecond=0)
    if (text := headers.get(f"{prefix}if-match")) is not None:
        if not _names(text, info.etag):
            raise failed
    elif (since := _date(headers.get(f"{prefix}if-unmodified-since"))) is not None and modified > since:
        raise failed
    if (text := headers.get(f"{prefix}if-none-match")) is not None:
        known = _names(text, info.etag)
    else:
        since = _date(headers.get(f"{prefix}if-modified-since"))
        known = since is not None and modified <= since
    if known and prefix:
        raise failed
    return known


def _names(text: str, etag: str) -> bool:
    return text.strip() == "*" or etag in [each.strip().removeprefix("W/").strip('"') for each in text.split(",")]


def _date(text: str | None) -> datetime | None:
    try:
        at = parsedate_to_datetime(text or "")
        at.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def copy_source(text: str) -> tuple[str, str]:
    """Returns bucket and key. Raises S3Error."""
    path, _, version = text.partition("?")
    if version and version != "versionId=null":
        raise S3Error("NoSuchVersion", 404, "Objects have no versions.")
    try:
        bucket, _, key = unquote(path, errors="strict").lstrip("/").partition("/")
    except UnicodeDecodeError:
        raise invalid_argument("x-amz-copy-source is not UTF-8.") from None
    if not bucket or not key:
        raise invalid_argument("x-amz-copy-source must be bucket/key.")
    return bucket, key


def listed_parts(found: Sequence[tuple[str, str]]) -> Sequence[tuple[int, str]]:
    """Raises S3Error for numbers that are none."""
    parts = list[tuple[int, str]]()
    for number, etag in found:
        if not number.isdecimal() or len(number) > 5:
            raise S3Error("InvalidPart", 400, "The number of a part is no number.")
        parts.append((int(number), etag))
    return parts
